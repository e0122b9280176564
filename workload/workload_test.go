package workload

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/geo"
	"isochron/history"
)

// run runs eight clients against the model database, interleaved as the seed
// draws it, and judges what they saw.
func run(t *testing.T, seed uint64, flaw flaw) (bank, lists *history.Report) {
	t.Helper()
	d := Cluster([]geo.Region{"va", "wa", "pr"})
	Spread(d, 1)
	db := newModelDB(d, flaw)
	b := &Bank{Parts: 3, Accounts: 6, BranchMax: 4, Each: 100}
	l := &ListAppend{Parts: 3, Lists: 4}
	if err := b.Setup(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	histories := [2]*history.History{{}, {}}
	r := rand.New(rand.NewPCG(seed, 0))
	client := func(i int, h *history.History) *Client {
		return &Client{Process: i, DB: db, Env: db, Rand: rand.New(rand.NewPCG(seed, uint64(i))), Record: h.Add, Pause: time.Millisecond, Tries: 5}
	}
	var running []func() (struct{}, bool)
	for i := range 8 {
		c := client(i, histories[i%2])
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			for range 60 {
				if db.park = func() { yield(struct{}{}) }; i%2 == 0 {
					b.Step(context.Background(), c)
				} else {
					l.Step(context.Background(), c)
				}
			}
		})
		defer stop()
		running = append(running, next)
	}
	for len(running) > 0 {
		i := r.IntN(len(running))
		if _, more := running[i](); !more {
			running = slices.Delete(running, i, i+1)
		}
		db.now++
	}
	db.park = func() {}
	last := client(99, histories[0])
	listReader := client(98, histories[1])
	if !b.ReadAll(t.Context(), last, true) || !l.ReadAll(t.Context(), listReader, true) {
		t.Fatal("the final read failed with nobody in its way")
	}
	return history.CheckBank(histories[0], b.Rules()), history.CheckLists(histories[1])
}

func TestSoundDatabasePasses(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		bank, lists := run(t, seed, sound)
		for _, r := range []*history.Report{bank, lists} {
			if !r.StrictSerializable() {
				t.Fatalf("seed %d: %v", seed, r.Violations)
			}
			if r.Checked < 50 {
				t.Fatalf("seed %d: only %d transactions committed", seed, r.Checked)
			}
		}
	}
}

// Each flaw shows in most runs, in one of the two workloads at least.
func TestFlawsAreFound(t *testing.T) {
	for flaw := noValidation; flaw <= lastFlaw; flaw++ {
		found := 0
		for seed := uint64(1); seed <= 10; seed++ {
			bank, lists := run(t, seed, flaw)
			if !bank.Serializable() || !lists.Serializable() {
				found++
			}
		}
		if found < 7 {
			t.Errorf("flaw %d was found in %d of 10 runs", flaw, found)
		}
	}
}
