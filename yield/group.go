package yield

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// Groups on hot rows (TXSQL sections 3.3 and 4). A transaction publishes its write of a hot row
// before it commits, and the next reads that value and updates it (chain.go). A vote waits until
// its predecessors' votes are in the log: so the log has them in the order of their updates, and no
// other record of that order is needed. An undecided write exists only here: it is lost with the
// leadership, and so are the locks of all that have read it.
//
// Invariant: a transaction that has read another's published value votes after that one has ended
// here, and aborts with it.

// Publish publishes the writes of hot rows with readers in wait, under the attempt. If a value
// published before has changed, all transactions that read it are aborted.
func (t *Table) Publish(now time.Duration, id txn.ID, a txn.Attempt, writes []txn.Write) {
	was := t.begin()
	t.publishWrites(now, id, a, writes)
	t.finish(was)
}

func (t *Table) publishWrites(now time.Duration, id txn.ID, a txn.Attempt, writes []txn.Write) {
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

// retract aborts all that have read a published value which the transaction has changed since, or
// published under another attempt: a version is one value. The transaction holds such a row again.
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

// rowOf is the row that a reader of an attempt's write sees.
func rowOf(w txn.Write, a txn.Attempt) txn.Row {
	row := txn.Row{Key: w.Key, Value: w.Value}
	if w.Value != nil {
		row.Version = a
	}
	return row
}

// waitInChain makes a vote wait until its predecessors in a chain have ended. Before that it
// publishes its writes; at its turn it withdraws changed ones.
func (t *Table) waitInChain(now time.Duration, r *LockRequest) LockResult {
	if t.chains.ahead(r.Txn) != nil {
		t.publishWrites(now, r.Txn, r.Attempt, r.Writes)
	}
	on := t.chains.ahead(r.Txn)
	switch {
	case on == nil && r.Attempt.IsZero(): // it has no vote that would contain its writes
		return LockResult{}
	case on == nil:
		t.retract(now, r.Txn, r.Attempt, r.Writes)
		return LockResult{}
	case t.graph.closesCycle(r.Txn, r.Age, []*Holder{on}, nil):
		return LockResult{Refused: txn.ReasonChainDeadlock.Refusal(), BlockedBy: on.Txn}
	}
	t.counts.Hit(coverage.ChainVotesInOrder)
	return t.waitBehind(now, on, r)
}
