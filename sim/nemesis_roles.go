package sim

import (
	"time"

	"isochron/txn"
)

// What the nemesis does to the roles of one transaction: coordinator, leader, follower,
// co-coordinator.

// targetTxn is a transaction that will lose a role at one of its steps.
type targetTxn struct {
	attempt txn.Attempt
	shards  []txn.ShardID
	co      txn.NodeID // a co-coordinator of it, if one is known
	after   int        // messages until the loss
	since   time.Duration
}

// onStep follows one transaction and, at the drawn message, removes one of its roles.
func (n *nemesis) onStep(h *host, env *txn.Envelope) sendAction {
	m := &env.Msg
	if !n.faults.Roles {
		return leaves
	}
	if n.targeted.attempt.IsZero() || n.w.now > n.targeted.since+40*n.unit {
		n.choosePrey(m)
		return leaves
	}
	if !n.concerns(m) {
		return leaves
	}
	if m.Ack != nil && env.To != n.targeted.attempt.Node {
		n.targeted.co = env.To
	}
	if n.targeted.after--; n.targeted.after >= 0 {
		return leaves
	}
	return n.strikeRole(h)
}

// choosePrey sometimes selects an attempt with several participants as the target.
func (n *nemesis) choosePrey(m *txn.Message) {
	if p := m.Prepare; p != nil && len(p.Participants) > 1 && n.steps.IntN(8) == 0 {
		n.targeted = targetTxn{attempt: p.Attempt, shards: p.Participants, after: n.steps.IntN(5 + 12*len(p.Participants)), since: n.w.now}
	}
}

func (n *nemesis) concerns(m *txn.Message) bool {
	if a, ok := attemptOf(m); ok {
		return a == n.targeted.attempt
	}
	if m.Raft == nil || len(m.Raft.Data) < raftEntryBytes {
		return false
	}
	for _, s := range n.targeted.shards {
		if s == m.Raft.Shard {
			return true
		}
	}
	return false
}

// strikeRole crashes the coordinator, a participant's leader, one of its followers, or a
// co-coordinator, at the message that h is sending.
func (n *nemesis) strikeRole(h *host) sendAction {
	shard := n.targeted.shards[n.steps.IntN(len(n.targeted.shards))]
	victim, role := n.w.host(n.targeted.attempt.Node), "coordinator"
	switch lead := n.w.Leader(shard); n.steps.IntN(4) {
	case 1:
		if lead != 0 {
			victim, role = n.w.host(lead), "leader"
		}
	case 2:
		if i := n.steps.IntN(len(n.w.hosts)); n.w.hosts[i].id != lead {
			victim, role = n.w.hosts[i], "follower"
		}
	case 3:
		if n.targeted.co != 0 {
			victim, role = n.w.host(n.targeted.co), "co-coordinator"
		}
	}
	n.targeted = targetTxn{}
	if !victim.up() {
		return leaves
	}
	n.budget--
	n.counts["losses of a role: "+role]++
	n.w.log(victim, "a %s is lost at a step of a transaction", role)
	n.w.After(time.Duration(n.steps.Int64N(int64(10*n.unit))), victim.restart)
	if victim == h {
		return lostCrash + sendAction(n.steps.IntN(2))
	}
	victim.crash(strictly)
	return leaves
}
