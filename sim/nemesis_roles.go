package sim

import (
	"time"

	"isochron/txn"
)

// What the nemesis does to the roles of one transaction: coordinator, leader, follower, co-coordinator.

// prey is a transaction that will lose a role at one of its steps.
type prey struct {
	attempt txn.Attempt
	shards  []txn.ShardID
	co      txn.NodeID // a co-coordinator of it, if one has been heard of
	after   int        // messages until the loss
	since   time.Duration
}

// onStep follows one transaction and, at the drawn message, takes one of its
// roles away.
func (n *nemesis) onStep(h *host, env *txn.Envelope) fate {
	m := &env.Msg
	if !n.faults.Roles {
		return leaves
	}
	if n.hunted.attempt.IsZero() || n.w.now > n.hunted.since+40*n.unit {
		n.choosePrey(m)
		return leaves
	}
	if !n.concerns(m) {
		return leaves
	}
	if m.Ack != nil && env.To != n.hunted.attempt.Node {
		n.hunted.co = env.To
	}
	if n.hunted.after--; n.hunted.after >= 0 {
		return leaves
	}
	return n.strikeRole(h)
}

// choosePrey takes up an attempt of several participants, now and then.
func (n *nemesis) choosePrey(m *txn.Message) {
	if p := m.Prepare; p != nil && len(p.Participants) > 1 && n.steps.IntN(8) == 0 {
		n.hunted = prey{attempt: p.Attempt, shards: p.Participants, after: n.steps.IntN(5 + 12*len(p.Participants)), since: n.w.now}
	}
}

func (n *nemesis) concerns(m *txn.Message) bool {
	if a, ok := attemptOf(m); ok {
		return a == n.hunted.attempt
	}
	if m.Raft == nil || len(m.Raft.Data) < raftEntryBytes {
		return false
	}
	for _, s := range n.hunted.shards {
		if s == m.Raft.Shard {
			return true
		}
	}
	return false
}

// strikeRole crashes the coordinator, a participant's leader, one of its
// followers, or a co-coordinator, at the message that h is sending.
func (n *nemesis) strikeRole(h *host) fate {
	shard := n.hunted.shards[n.steps.IntN(len(n.hunted.shards))]
	victim, role := n.w.host(n.hunted.attempt.Node), "coordinator"
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
		if n.hunted.co != 0 {
			victim, role = n.w.host(n.hunted.co), "co-coordinator"
		}
	}
	n.hunted = prey{}
	if !victim.up() {
		return leaves
	}
	n.budget--
	n.counts["losses of a role: "+role]++
	n.w.log(victim, "a %s is lost at a step of a transaction", role)
	n.w.After(time.Duration(n.steps.Int64N(int64(10*n.unit))), victim.restart)
	if victim == h {
		return lostCrash + fate(n.steps.IntN(2))
	}
	victim.crash(strictly)
	return leaves
}
