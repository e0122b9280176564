package decide

import "isochron/txn"

// bypass is the vote path of protocols in which replicas acknowledge votes past their leaders (D2PC
// sections 3.3 and 4). Leaders vote as usual, but the coordinator also counts the replicas with a
// durable vote, and the first report of a majority counts. Co-coordinators receive the decision,
// and recovery asks them.
type bypass struct{ leaders }

func (b *bypass) receive(from txn.NodeID, m *txn.Message) {
	switch {
	case m.Ack != nil && b.phase != deciding && !m.Ack.No:
		b.onAck(m.Ack)
	case m.Decision != nil && b.phase != deciding:
		b.tally.Learned(m.Decision.Commit, m.Decision.At)
	case m.QueryDecision != nil && b.phase == deciding:
		b.decider.Env.Send(txn.Coordinator(from), txn.Message{Decision: b.shared()})
	}
}

func (b *bypass) onAck(m *txn.Ack) {
	b.onePhase = b.onePhase && !m.AwaitsDecision
	unanimous := b.tally.Unanimous()
	b.tally.Acknowledged(m)
	if !unanimous && b.tally.Unanimous() && b.decider.PreCommits && b.decider.Policy.preCommits(m) {
		PreCommit(b.decider.Env, b.here, b.ID, b.Txn, &b.tally)
	}
}

// here reports whether the coordinator notifies a node's leaders that all have voted: see
// CoCoordinator.here.
func (b *bypass) here(n txn.NodeID) bool {
	if b.decider.Policy.ParticipantsDecide() {
		return n == b.ID.Node
	}
	return !b.decider.Env.Wide(n)
}

// preCommits reports whether leaders are notified that all have voted on such an attempt. Where
// leaders reveal at validation, the only leader of an attempt knows that itself, and multi-region
// transactions are not revealed then.
func (c Policy) preCommits(m *txn.Ack) bool {
	return !c.ParticipantsDecide() || len(m.Participants) > 1 && !m.Region.MultiRegion()
}

// shared is the decision as co-coordinators keep it.
func (b *bypass) shared() *txn.Decision {
	v, at := b.tally.Verdict()
	return &txn.Decision{Attempt: b.ID, Commit: v == Commit, At: at}
}

// share sends the decision to the other co-coordinators. A single-participant attempt's decision is
// in the participant's log, and of no use elsewhere.
func (b *bypass) share() {
	if b.adopted() || b.ReadOnly || len(b.Participants) == 1 {
		return
	}
	for _, n := range b.decider.Env.CoCoordinators(b.ID) {
		if n != b.ID.Node {
			b.decider.Env.Send(txn.Coordinator(n), txn.Message{Decision: b.shared()})
		}
	}
}

// queryDecision asks the co-coordinators for a decision that the coordinator may have sent them
// before it was lost (D2PC section 4.4).
func (b *bypass) queryDecision() {
	for _, n := range b.decider.Env.CoCoordinators(b.ID) {
		b.decider.Env.Send(txn.Coordinator(n), txn.Message{QueryDecision: &txn.QueryDecision{Attempt: b.ID}})
	}
}
