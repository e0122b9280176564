package yield

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// Groups on hot rows (TXSQL sections 3.3 and 4). A transaction publishes what it
// has written of a hot row before it commits, and the next goes on from there (chain.go). A
// vote waits until those before it have theirs in the log: so the log has them in
// the order of their updates, and nothing else needs to be kept of that order. An
// undecided write is nowhere but here: it is lost with the leadership, and with it
// the locks of all who have seen it.
//
// Invariant: whoever has gone on from another's value votes after that one has
// ended here, and is undone with it.

// Publish passes on those of the writes that should be, as the attempt. Another value of what was
// passed on before undoes all who went on from that.
func (t *Table) Publish(now time.Duration, id txn.ID, a txn.Attempt, writes []txn.Write) {
	was := t.begin()
	t.passOn(now, id, a, writes)
	t.finish(was)
}

func (t *Table) passOn(now time.Duration, id txn.ID, a txn.Attempt, writes []txn.Write) {
	if h := t.holders.get(id); h == nil || h.Voted {
		return
	}
	t.retract(now, id, a, writes)
	for _, w := range writes {
		if t.chains.publish(id, rowOf(w, a)) {
			t.events.Published(id)
		}
	}
}

// retract undoes all who went on from a value that the transaction has changed
// since, or passed on as another attempt: a version is one value. It holds such a row again.
func (t *Table) retract(now time.Duration, id txn.ID, a txn.Attempt, writes []txn.Write) {
	h := t.holders.get(id)
	if h == nil || len(h.written) == 0 {
		return
	}
	for _, row := range slices.Clone(h.written) {
		same := func(w txn.Write) bool {
			return w.Same(txn.Write{Key: row.Key, Value: row.Value}) && row.Version == rowOf(w, a).Version
		}
		if !slices.ContainsFunc(writes, same) {
			was := t.begin()
			t.abortDependents(now, id, row.Key)
			t.chains.unpublish(id, row.Key)
			t.finish(was)
		}
	}
}

// rowOf is the row that a reader of a write sees, as that of an attempt.
func rowOf(w txn.Write, a txn.Attempt) txn.Row {
	row := txn.Row{Key: w.Key, Value: w.Value}
	if w.Value != nil {
		row.Version = a
	}
	return row
}

// inTurn has a vote wait until those before it in a chain have ended. It passes on what it has written,
// before, and withdraws then what it has changed.
func (t *Table) inTurn(now time.Duration, r *LockRequest) LockResult {
	if t.chains.ahead(r.Txn) != nil {
		t.passOn(now, r.Txn, r.Attempt, r.Writes)
	}
	on := t.chains.ahead(r.Txn)
	switch {
	case on == nil && r.Attempt.IsZero(): // it has no vote that could say what it has written
		return LockResult{}
	case on == nil:
		t.retract(now, r.Txn, r.Attempt, r.Writes)
		return LockResult{}
	case t.graph.closesCycle(r.Txn, r.Age, []*Holder{on}, nil):
		return LockResult{Refused: txn.ReasonChainDeadlock.Refusal(), BlockedBy: on.Txn}
	}
	t.counts.Hit(coverage.ChainInTurn)
	return t.waitBehind(now, on, r)
}
