package workload

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"isochron/txn"
)

// Payments and orders are at home in one source, and at one more if they are distributed; each row
// is accessed once, except after a read; the rows of a warehouse and the items of a source are only
// there.
func TestTPCCAtSources(t *testing.T) {
	for _, name := range []string{"payment-sources", "new-order-sources"} {
		mix, err := NewMix(name, MixConfig{Warehouses: 4, Sources: []txn.ShardID{7, 8, 9}, DistributedMilli: 300, Central: CentralFirst, Rounds: 2})
		if err != nil {
			t.Fatal(err)
		}
		c := &Client{Rand: rand.New(rand.NewPCG(1, 2)), Process: 6}
		const all = 2000
		distributed := 0
		for range all {
			job, p := mix.Next(c), &packets{}
			if err := job.Body(context.Background(), p); err != nil || !slices.Equal(p.last, []bool{false, true}) {
				t.Fatalf("%s: %v, %v, %v", name, err, p.sent, p.last)
			}
			places, written := map[txn.ShardID]bool{}, map[string]bool{}
			for _, s := range slices.Concat(p.sent...) {
				places[s.Source] = true
				if txn.Key(strings.Fields(s.Text)[1]) != s.Records[0] || s.Writes != strings.HasPrefix(s.Text, "PUT ") {
					t.Fatalf("%s: %+v", name, s)
				}
				if s.Writes && written[s.Text] {
					t.Fatalf("%s: %q is sent twice", name, s.Text)
				}
				written[s.Text] = s.Writes
				if kind, _, _ := strings.Cut(s.Text, "/"); kind == "PUT w" && (s.Source != 7 || s.Text != "PUT w/3 x") {
					t.Fatalf("%s: not the client's warehouse at its home: %q at %d", name, s.Text, s.Source)
				}
			}
			if len(places) != map[string]int{ClassCentral: 1, ClassDistributed: 2}[job.Class] || !places[7] {
				t.Fatalf("%s, %s: %v", name, job.Class, p.sent)
			}
			if job.Class == ClassDistributed {
				distributed++
			}
		}
		if distributed < all/4 || distributed > all*7/20 {
			t.Errorf("%s: %d of %d are distributed, of a share of 0.3", name, distributed, all)
		}
	}
}
