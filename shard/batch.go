package shard

import (
	"time"

	"isochron/txn"
	"isochron/yield"
)

// Prepares that are judged in batches: the rule stands in yield/batch.go.

// runs notes who has read here, where prepares are gathered.
func (l *leadership) runs(m *txn.Access) {
	if l.r.cfg.Row.Yield.Batches && !m.Final {
		l.batches.Reads(l.r.env.Now().Mono, m.Txn)
	}
}

// runsNoMore is told of who asks for its vote, or ends without one.
func (l *leadership) runsNoMore(id txn.ID) {
	if l.batches.Leaves(id) {
		l.closeBatch()
	}
}

// gatherPrepare takes a Prepare into the batch, and judges the batch if it is whole.
func (l *leadership) gatherPrepare(from txn.NodeID, p *txn.Prepare) {
	if l.batches.Has(p.Attempt) {
		return
	}
	began := l.r.arrives()
	whole := l.batches.Gather(yield.Gathered{Prepare: p, Retry: func() {
		if !l.known.over(p.Attempt) {
			l.prepare(from, p, began)
		}
	}, Refuse: func(why txn.Refusal) { l.refuse(from, p, why) }})
	if whole {
		l.closeBatch()
	}
}

// closeBatch judges what was gathered.
func (l *leadership) closeBatch() {
	lost, stay := l.batches.Judge(l.known.over)
	for _, g := range lost {
		g.Refuse(txn.WhyLostInBatch.Refusal())
	}
	for _, g := range stay {
		g.Retry()
	}
}

// tickBatch judges a batch whose time is over.
func (l *leadership) tickBatch(now time.Duration) {
	l.closeBatch()
	l.batches.Forget(now)
}
