package store_test

import (
	"math/rand/v2"
	"testing"

	"isochron/store"
	"isochron/store/storetest"
)

func TestMemConforms(t *testing.T) {
	storetest.Run(t, func() store.Engine { return store.NewMem() })
}

// A crash keeps all that was synced and a prefix of the rest.
func TestMemCrashKeepsAPrefix(t *testing.T) {
	for seed := uint64(1); seed <= 50; seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		m := store.NewMem()
		states := []*storetest.Model{storetest.NewModel()} // states[i]: after i batches
		durable := 0
		for range 8 {
			apply(m, &states, r)
			point := m.BeginSync()
			begun := len(states) - 1
			apply(m, &states, r) // during the sync: not covered by it
			if r.IntN(3) > 0 {
				m.EndSync(point)
				durable = begun
			}
			storetest.Compare(t, m.CrashStrict(), states[durable], r)
			lost := lostBatches(t, m, r)
			storetest.Compare(t, m.CrashClone(fixed(m.Unsynced()-lost)), states[len(states)-1-lost], r)
			storetest.Compare(t, m, states[len(states)-1], r) // the clones did not touch it
		}
		lost := lostBatches(t, m, r)
		survivor := m.Crash(fixed(m.Unsynced() - lost))
		storetest.Compare(t, survivor, states[len(states)-1-lost], r)
		if survivor.Unsynced() != 0 {
			t.Fatal("what survived a crash is durable")
		}
	}
}

func apply(m *store.Mem, states *[]*storetest.Model, r *rand.Rand) {
	for range r.IntN(4) {
		b := storetest.RandomBatch(r)
		m.Apply(b)
		next := (*states)[len(*states)-1].Clone()
		next.Apply(b)
		*states = append(*states, next)
	}
}

func lostBatches(t *testing.T, m *store.Mem, r *rand.Rand) int {
	t.Helper()
	return r.IntN(m.Unsynced() + 1)
}

// fixed draws always itself.
type fixed int

func (f fixed) IntN(int) int { return int(f) }

func TestMemOlderSyncPointChangesNothing(t *testing.T) {
	m := store.NewMem()
	first := m.BeginSync()
	var b store.Batch
	b.Set([]byte("a"), []byte("1"))
	m.Apply(&b)
	m.EndSync(m.BeginSync())
	m.EndSync(first)
	if _, ok := m.CrashStrict().Get([]byte("a")); !ok {
		t.Fatal("an acknowledged sync was lost")
	}
}

func TestMemBatchMayBeReused(t *testing.T) {
	m := store.NewMem()
	var b store.Batch
	b.Set([]byte("a"), []byte("1"))
	m.Apply(&b)
	b.Ops = b.Ops[:0]
	b.Set([]byte("b"), []byte("2"))
	m.EndSync(m.BeginSync())
	if _, ok := m.CrashStrict().Get([]byte("a")); !ok {
		t.Fatal("reusing a batch changed what had been applied")
	}
}
