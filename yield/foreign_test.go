package yield

import (
	"testing"
	"time"

	"isochron/txn"
)

func foreign(n, of uint64, step uint64) ForeignWait {
	return ForeignWait{Txn: id(n), Age: age(n), Step: step, For: id(of), ForAge: age(of)}
}

// A wait reported again is the same wait; one that was missing, or is of another statement, is
// another. A transaction that neither waits nor is waited for is dropped.
func TestReportedForeignWaits(t *testing.T) {
	var ended []txn.ID
	log := &probeLog{}
	f := NewForeign(DetectorConfig{Here: at(1), After: 100 * time.Millisecond}, log, func(id txn.ID) { ended = append(ended, id) })
	edge := func() (out txn.WaitEdge) {
		for _, w := range f.table.waits.byTxn[id(3)] {
			f.table.graph.edges(w, f.here, func(e txn.WaitEdge, _ txn.Age, _ bool) { out = e })
		}
		return out
	}
	f.Report(0, []ForeignWait{foreign(3, 5, 1), foreign(4, 5, 1), foreign(5, 5, 1)})
	first := edge()
	if first.For != id(5) || f.Waits() != 2 {
		t.Fatalf("want 3 and 4 waiting for 5, and none for itself: %+v, %d waits", first, f.Waits())
	}
	f.Report(1, []ForeignWait{foreign(4, 5, 1), foreign(3, 5, 1)})
	if edge() != first || !f.table.graph.stillWaits(first) {
		t.Errorf("the wait was not interrupted: %+v", edge())
	}
	f.Report(2, []ForeignWait{foreign(3, 5, 2)})
	if edge() == first || f.table.graph.stillWaits(first) {
		t.Error("another statement waits, and the wait still exists")
	}
	second := edge()
	f.Report(3, nil)
	if f.Waits() != 0 || len(f.table.Holders()) != 0 {
		t.Error("no transaction waits, and waits are kept")
	}
	f.Report(4, []ForeignWait{foreign(3, 5, 2)})
	if edge() == second || f.table.graph.stillWaits(second) {
		t.Error("the wait was missing once, and still exists")
	}
	f.Look(99 * time.Millisecond)
	log.received(t)
	f.Look(200 * time.Millisecond)
	log.received(t, "5 is chased for 3", "chase 5")
	back := edge()
	back.Txn, back.For, back.Shard = id(5), id(3), 2
	f.Confirm(&txn.DeadlockConfirm{Shard: 1, Cycle: []txn.WaitEdge{edge(), back}})
	if log.received(t, "3 aborts, wide true"); len(ended) != 1 || ended[0] != id(3) {
		t.Errorf("%v ended", ended)
	}
}
