package shard

import (
	"isochron/txn"
)

// OnAccess answers reads: any replica answers a nearest read, the leader all others.
func (r *Replica) OnAccess(from txn.NodeID, m *txn.Access) {
	switch {
	case (m.AsOf != 0 || m.WantReadTS) && !r.cfg.Spec.SnapshotReads():
		r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: noRows(r.cfg.ID, m, txn.ReasonNoSnapshotReads.Refusal())})
	case m.AsOf != 0:
		r.accessAsOf(from, m)
	case m.WantReadTS && r.Serving():
		r.lead.snapshotReads.present(from, m)
	case m.WantReadTS:
		r.notLeader(from, txn.NotLeader{Request: m.Request})
	case r.Serving() && r.lead.locks.Asks(m.Txn, m.Request): // it was sent again
	case r.Serving() && m.Lock != txn.LockNone && r.lead.switching.ahead(m.ProtocolSeq):
		r.notLeader(from, txn.NotLeader{Request: m.Request})
	case m.Nearest && r.cfg.Params.NearAsIs && r.state.applied.Index > 0:
		rows := latestRows{state: r.state, engine: r.cfg.Engine} // as any replica answers, the leader too
		r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: rows.nearest(m, warm(r.env, m))})
	case r.Serving():
		r.lead.reader.access(from, m, r.arrives())
	case m.Nearest && r.state.applied.Index > 0:
		rows := r.latest()
		r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: rows.nearest(m, warm(r.env, m))})
	default:
		r.notLeader(from, txn.NotLeader{Request: m.Request})
	}
}

func (r *Replica) notLeader(to txn.NodeID, n txn.NotLeader) {
	n.Shard = r.cfg.ID
	n.Leader, n.Term = r.group.Leader()
	if n.Leader == r.cfg.Self && !r.Serving() {
		n.Leader = 0 // elected, not yet serving: ask again soon
	}
	r.env.Send(txn.Coordinator(to), txn.Message{NotLeader: &n})
}

// warm returns the temperatures requested by a read.
func warm(env Env, m *txn.Access) []txn.WarmKey {
	if !m.Temperatures {
		return nil
	}
	return env.Warm(m)
}
