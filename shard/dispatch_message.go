package shard

import "isochron/txn"

// Deliver dispatches a message for this replica.
func (r *Replica) Deliver(from txn.NodeID, m *txn.Message) {
	switch {
	case m.Raft != nil:
		r.group.Step(from, m.Raft)
	case m.Access != nil:
		r.OnAccess(from, m.Access)
	case m.Prepare != nil:
		r.OnPrepare(from, m.Prepare)
	case m.Decide != nil:
		r.OnDecide(from, m.Decide)
	case m.PreCommit != nil:
		r.OnPreCommit(m.PreCommit)
	case m.Inquire != nil:
		r.OnInquire(from, m.Inquire)
	case m.Reserve != nil:
		r.OnReserve(m.Reserve)
	case m.Publish != nil:
		r.OnPublish(m.Publish)
	case m.Release != nil:
		r.OnRelease(m.Release)
	case m.TxnStatusReply != nil:
		r.OnTxnStatusReply(from, m.TxnStatusReply)
	case m.DeadlockProbe != nil:
		r.OnDeadlockProbe(m.DeadlockProbe)
	case m.DeadlockConfirm != nil:
		r.OnDeadlockConfirm(m.DeadlockConfirm)
	case m.SnapFetch != nil:
		r.group.OnSnapFetch(from, m.SnapFetch)
	case m.SnapChunk != nil:
		r.group.OnSnapChunk(from, m.SnapChunk)
	}
}
