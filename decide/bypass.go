package decide

import "isochron/txn"

// bypass is the scheme of rows in which replicas acknowledge votes past their leaders
// (D2PC sections 3.3 and 4): leaders vote as elsewhere, but the coordinator also counts
// who has a vote on its disk, and whichever tells of a majority first is believed. What
// was decided the co-coordinators are told, and asked by whoever finishes an attempt.
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

// here reports whether a node's leaders are told by the coordinator that all have voted: see
// CoCoordinator.here.
func (b *bypass) here(n txn.NodeID) bool {
	if b.decider.Policy.ParticipantsDecide() {
		return n == b.ID.Node
	}
	return !b.decider.Env.Wide(n)
}

// preCommits reports whether leaders are told that all have voted on such an attempt. Where
// leaders reveal what they vote on, and no more comes of it, the only one of an attempt knows
// when; and of several regions nothing is revealed then.
func (c Policy) preCommits(m *txn.Ack) bool {
	return !c.ParticipantsDecide() || len(m.Participants) > 1 && !m.Region.MultiRegion()
}

// shared is the decision as co-coordinators keep it.
func (b *bypass) shared() *txn.Decision {
	v, at := b.tally.Verdict()
	return &txn.Decision{Attempt: b.ID, Commit: v == Commit, At: at}
}

// share tells the other co-coordinators how an attempt ended. What became of one with a
// single participant is in that participant's log, and nowhere else of use.
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

// queryDecision asks the co-coordinators for a decision that its coordinator may have
// told them before it was lost (D2PC section 4.4).
func (b *bypass) queryDecision() {
	for _, n := range b.decider.Env.CoCoordinators(b.ID) {
		b.decider.Env.Send(txn.Coordinator(n), txn.Message{QueryDecision: &txn.QueryDecision{Attempt: b.ID}})
	}
}
