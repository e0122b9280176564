package shard

import (
	"slices"

	"isochron/txn"
	"isochron/yield"
)

// Groups on hot rows (TXSQL sections 3.3 and 4). A transaction publishes what it
// has written of a hot row before it commits, and the next goes on from there. A
// vote waits until those before it have theirs in the log: so the log has them in
// the order of their updates, and nothing else needs to be kept of that order. An
// undecided write is nowhere but here: it is lost with the leadership, and with it
// the locks of all who have seen it.
//
// Invariant: whoever has gone on from another's value votes after that one has
// ended here, and is undone with it.

// OnPublish passes on what a transaction has written.
func (r *Replica) OnPublish(m *txn.Publish) {
	if !r.Serving() || m.Term != r.lead.term {
		return
	}
	r.lead.atOnce(func() { r.lead.publish(m.Txn, m.Attempt, m.Writes) })
}

// publish passes on those of the writes that should be. Another value of what was
// passed on before undoes all who went on from that.
func (l *leadership) publish(id txn.ID, a txn.Attempt, writes []txn.Write) {
	if h := l.locks.Holder(id); h == nil || h.Voted {
		return
	}
	l.retractPublished(id, a, writes)
	for _, w := range writes {
		if l.locks.Publish(id, yield.RowOf(w, a)) {
			l.tellPassedOn(id)
		}
	}
}

// retractPublished undoes all who went on from a value that the transaction has changed
// since, or passed on as another attempt: a version is one value. It holds such a row again.
func (l *leadership) retractPublished(id txn.ID, a txn.Attempt, writes []txn.Write) {
	for _, row := range append([]txn.Row(nil), l.locks.Published(id)...) {
		same := func(w txn.Write) bool {
			return w.Same(txn.Write{Key: row.Key, Value: row.Value}) && row.Version == yield.RowOf(w, a).Version
		}
		if !slices.ContainsFunc(writes, same) {
			l.atOnce(func() {
				l.undoBehind(id, row.Key)
				l.locks.Unpublish(id, row.Key)
			})
		}
	}
}

// undoBehind ends those who have gone on from what a transaction has written,
// newest first. Nothing is granted meanwhile: it is one step of the leader.
func (l *leadership) undoBehind(id txn.ID, key txn.Key) {
	for _, behind := range l.locks.Behind(id, key) {
		h := l.locks.Holder(behind)
		if h == nil {
			continue // undone with another
		}
		if h.Voted {
			panic("shard: " + behind.String() + " has voted before one whose value it has read has ended")
		}
		l.r.counts.Cascades++
		l.undo(behind, id, true)
	}
}

// inTurn reports whether nobody is before a vote in a chain who has not ended. Else it waits
// for that, or is refused.
func (l *leadership) inTurn(p *txn.Prepare, began arrival, retry func(arrival), refuse func(txn.Refusal)) bool {
	if l.locks.Ahead(p.Txn) == nil {
		return true
	}
	l.publish(p.Txn, p.Attempt, p.Writes)
	q := yield.Request{Phase: yield.Turn, Txn: p.Txn, Age: p.Age}
	l.mayWait(&q, began, 0)
	e := l.acquire(&q)
	next := began.behind(e.Behind)
	switch {
	case e.Refused.Refused():
		refuse(e.Refused)
	case e.Waits != nil:
		e.Waits.Retry, e.Waits.Refuse = func() { retry(next) }, refuse
		l.waiting[p.Attempt] = e.Waits
	default:
		return true
	}
	l.wake()
	return false
}

// bounds are those of the lock table: what an operator wants goes before what
// the node began with.
func (r *Replica) bounds() yield.Bounds {
	b := yield.Bounds{HotWaiters: r.cfg.Params.HotWaiters, GroupSize: r.cfg.Params.GroupSize, Off: r.wish.Hot.Off}
	if n := r.wish.Hot.Waiters; n > 0 {
		b.HotWaiters, b.HotDelay = n, -1
	}
	if n := r.wish.Hot.GroupSize; n > 0 {
		b.GroupSize = n
	}
	return b
}
