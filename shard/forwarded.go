package shard

import (
	"isochron/rulebook"
	"isochron/txn"
	"isochron/yield"
)

// forward passes what one reads that waits on to the coordinator of whom it waits for, which
// answers when that has committed (yield/forwarded.go).
func (o *voter) forward(i *yield.StampedVote, d *txn.Declared) {
	if !o.cfg.Row.Reads.Forwards() || len(d.Reads) == 0 {
		return
	}
	on, ok := o.instants.ForwardTo(i)
	if !ok {
		return
	}
	i.Forwarded = true
	m := &txn.Forward{Shard: o.cfg.ID, Attempt: on.Attempt, Reader: i.Attempt}
	for _, k := range d.Reads {
		m.Rows = append(m.Rows, o.rows.row(k))
	}
	o.cfg.Env.Send(txn.Coordinator(on.Attempt.Node), txn.Message{Forward: m})
}

// goesBetween has one give way that would go before another whose read was forwarded.
func (o *voter) goesBetween(from txn.NodeID, p *txn.Prepare, q *yield.Request, i *yield.StampedVote) bool {
	w := o.instants.Between(&q.LockSet, i)
	if w == nil {
		return false
	}
	o.cfg.Params.Rules.Bite(rulebook.ForwardedKeepsPlace)
	o.refuse(from, p, txn.Refusal{Why: txn.WhyGivesWay, Who: w.Txn})
	return true
}
