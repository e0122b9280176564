package workload

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"isochron/geo"
	"isochron/txn"
)

// packets records the packets of statements.
type packets struct {
	txn.Txn
	sent [][]txn.SourceStatement
	last []bool
}

func (p *packets) Execute(_ context.Context, s []txn.SourceStatement, last bool) ([]txn.SourceResult, error) {
	p.sent, p.last = append(p.sent, s), append(p.last, last)
	return make([]txn.SourceResult, len(s)), nil
}

// Transactions are at as many sources as their class requires, have as many statements, each on a
// row of its own at its source, in order, and mark only their last packet.
func TestYCSBAtSources(t *testing.T) {
	mix, err := NewMix("ycsb-sources", MixConfig{Keys: 10_000, ZipfMilli: 900, Sources: []txn.ShardID{7, 8, 9}, DistributedMilli: 300, Rounds: 2, ReadsMilli: 250})
	if err != nil {
		t.Fatal(err)
	}
	c := &Client{Rand: rand.New(rand.NewPCG(1, 2))}
	const all = 4000
	distributed, reads, at := 0, 0, map[txn.ShardID]int{}
	for range all {
		job, p := mix.Next(c), &packets{}
		if err := job.Body(context.Background(), p); err != nil || !slices.Equal(p.last, []bool{false, true}) || len(p.sent[0]) != 2 || len(p.sent[1]) != 3 {
			t.Fatalf("%v: %v, %v", err, p.sent, p.last)
		}
		places, rows := map[txn.ShardID]bool{}, map[string]bool{}
		for _, s := range slices.Concat(p.sent...) {
			places[s.Source] = true
			verb, rest, _ := strings.Cut(s.Text, " ")
			row, _, _ := strings.Cut(rest, " ")
			rows[row] = true
			if verb == "GET" {
				reads++
			}
			if txn.Key(row) != s.Records[0] {
				t.Fatalf("%q names %q", s.Text, s.Records)
			}
		}
		if len(rows) != 5 || len(places) != map[string]int{ClassCentral: 1, ClassDistributed: 2}[job.Class] {
			t.Fatalf("%s: %v", job.Class, p.sent)
		}
		if job.Class == ClassDistributed {
			distributed++
		}
		for s := range places { // order: counted
			at[s]++
		}
	}
	if distributed < all*27/100 || distributed > all*33/100 || reads < all*5*23/100 || reads > all*5*27/100 {
		t.Errorf("%d of %d are distributed, %d of their statements read", distributed, all, reads)
	}
	for s, n := range at { // order: each by itself
		if n < all*40/100 || n > all*47/100 {
			t.Errorf("%d transactions are at source %d", n, s)
		}
	}
}

func TestPlacementOfRows(t *testing.T) {
	for name, sources := range map[string][]txn.ShardID{"ycsb-sources": nil, "micro": {7}} {
		if _, err := NewMix(name, MixConfig{Parts: 1, Sources: sources}); err == nil || !strings.Contains(err.Error(), "the rows of "+name) {
			t.Errorf("%s with sources %v: %v", name, sources, err)
		}
	}
}

// The place of transactions at one source: the first; or one statement on an even row, in use if
// one at or below the drawn one is, and on the first row of all otherwise.
func TestPlacementOfCentralRows(t *testing.T) {
	newMix := func(central Central) *ycsbSources {
		mix, err := NewMix("ycsb-sources", MixConfig{Keys: 10_000, ZipfMilli: 300, Sources: []txn.ShardID{7, 8, 9, 10}, DistributedMilli: 200, Central: central})
		if err != nil {
			t.Fatal(err)
		}
		return mix.(*ycsbSources)
	}
	c := &Client{Rand: rand.New(rand.NewPCG(1, 2))}
	m := newMix(CentralFirst)
	for range 500 {
		job, p := m.Next(c), &packets{}
		if job.Body(context.Background(), p); job.Class == ClassCentral && p.sent[0][0].Source != 7 {
			t.Fatalf("at source %v", p.sent)
		}
	}
	m = newMix(CentralInUse)
	first, writes, all := 0, 0, 0
	for range 2000 {
		done := m.uses([]int{1, 2, 400, 400, 6003})
		job, p := m.Next(c), &packets{}
		if job.Body(context.Background(), p); job.Class == ClassCentral {
			row := string(p.sent[0][0].Records[0])
			if len(p.sent[0]) != 1 || row != "user/0" && row != "user/2" && row != "user/400" {
				t.Fatalf("%v", p.sent)
			}
			if all++; row == "user/400" {
				first++
			}
			if p.sent[0][0].Writes {
				writes++
			}
		}
		if done(); len(m.inUse) != 0 {
			t.Fatalf("still in use: %v", m.inUse)
		}
	}
	if first < all*3/4 || writes < all*4/10 || writes > all*6/10 {
		t.Errorf("of %d, %d are on the row in use next below most, %d write", all, first, writes)
	}
	if m.nextInUse(5000) != 0 {
		t.Error("a row is in use though none is")
	}
	if _, err := NewMix("ycsb-sources", MixConfig{Sources: []txn.ShardID{7}, Central: "far"}); err == nil || !strings.Contains(err.Error(), "any, first, near or in-use") {
		t.Errorf("central transactions are remote: %v", err)
	}
}

// nearDB is a database for clients of one region.
type nearDB struct {
	txn.DB
	region geo.Region
}

func (d nearDB) Region() geo.Region { return d.region }

func TestCentralRowsNearTheirClients(t *testing.T) {
	mix, err := NewMix("ycsb-sources", MixConfig{Sources: []txn.ShardID{7, 8}, SourcesAt: []geo.Region{"bj", "ldn"}, Central: CentralNear})
	if err != nil {
		t.Fatal(err)
	}
	for region, want := range map[geo.Region]txn.ShardID{"bj": 7, "ldn": 8, "sh": 7} {
		c := &Client{Rand: rand.New(rand.NewPCG(1, 2)), DB: nearDB{region: region}}
		for range 20 {
			p := &packets{}
			if mix.Next(c).Body(context.Background(), p); p.sent[0][0].Source != want {
				t.Fatalf("a client in %s is at source %d", region, p.sent[0][0].Source)
			}
		}
	}
}
