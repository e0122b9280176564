package shard

import (
	"isochron/coverage"
	"isochron/txn"
	"isochron/yield"
)

// forward sends the reads of a waiting prepare to the coordinator of the transaction it waits for, which
// answers them when that has committed (yield/forwarded.go).
func (o *prepareHandler) forward(i *yield.QueuedPrepare, d *txn.FixedSet) {
	if !o.cfg.Spec.Reads.Forwards() || len(d.Reads) == 0 {
		return
	}
	on, ok := o.arrivalQueue.ForwardTo(i)
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

// fitsBetween refuses a prepare that would precede a transaction whose read was forwarded.
func (o *prepareHandler) fitsBetween(from txn.NodeID, p *txn.Prepare, q *yield.LockRequest, i *yield.QueuedPrepare) bool {
	w := o.arrivalQueue.Between(&q.LockSet, i)
	if w == nil {
		return false
	}
	o.cfg.Params.Rules.Hit(coverage.ForwardedKeepsPlace)
	o.refuse(from, p, txn.Refusal{Reason: txn.ReasonLockConflict, ConflictingTxn: w.Txn})
	return true
}
