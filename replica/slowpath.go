package replica

import (
	"isochron/coverage"
	"isochron/txn"
)

// The slow path: the leader of the view or the coordinator, as the protocol specifies, proposes the
// shard's vote, and a majority accepts it. In one view only one vote
// is proposed for an attempt.

// proposal is a proposal of this replica as leader of the view.
type proposal struct {
	accept *txn.Accept
	have   map[txn.NodeID]bool
	voted  bool
}

// proposed is a received proposal that waits to be accepted.
type proposed struct {
	from txn.NodeID
	m    *txn.Accept
}

// slowPath has the proposals of one view: this replica's own as leader, and those of others that
// it cannot accept yet.
type slowPath struct {
	*member
	mine    map[txn.Attempt]*proposal
	waiting *txn.ByAttempt[proposed] // for conflicting attempts
	begun   uint64                   // proposals, since the replica was opened
}

func newSlowPath(m *member) *slowPath {
	return &slowPath{member: m, mine: map[txn.Attempt]*proposal{}, waiting: txn.NewByAttempt[proposed]()}
}

// forget drops all proposals: they do not count in another view.
func (s *slowPath) forget() {
	clear(s.mine)
	s.waiting = txn.NewByAttempt[proposed]()
}

func (s *slowPath) propose(p *txn.Prepare, yes bool) {
	if s.mine[p.Attempt] != nil {
		return
	}
	s.begun++
	m := &txn.Accept{Shard: s.cfg.ID, View: s.view(), Yes: yes, Prepare: p}
	s.mine[p.Attempt] = &proposal{accept: m, have: map[txn.NodeID]bool{}}
	s.env.Trace("shard %d: proposes %s for %v", s.cfg.ID, yesNo(yes), p.Txn)
	s.toAll(txn.Message{Accept: m})
}

// repeat sends the proposal for an attempt again, if there is one.
func (s *slowPath) repeat(a txn.Attempt) {
	if p := s.mine[a]; p != nil {
		s.toAll(txn.Message{Accept: p.accept})
	}
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// await queues a proposal until conflicting attempts have ended.
func (s *slowPath) await(from txn.NodeID, m *txn.Accept) {
	if s.waiting.Len() < maxWaiting { // otherwise treated as lost
		s.waiting.Set(m.Prepare.Attempt, proposed{from, m})
	}
}

// awaken returns all queued proposals, in the order of attempts.
func (s *slowPath) awaken() []proposed {
	if s.waiting.Len() == 0 {
		return nil
	}
	var list []proposed
	s.waiting.All(func(_ txn.Attempt, p proposed) bool {
		list = append(list, p)
		return true
	})
	s.waiting = txn.NewByAttempt[proposed]()
	return list
}

// onAccepted counts acceptances, and votes when a majority has accepted this leader's
// proposal.
func (s *slowPath) onAccepted(m *txn.Accepted) {
	p := s.mine[m.Attempt]
	if p == nil || p.accept.View != m.View || p.voted {
		return
	}
	p.have[m.Replica] = true
	if len(p.have) < s.majority() {
		s.cfg.Params.Rules.Hit(coverage.SlowMajority)
		return
	}
	p.voted = true
	v := &txn.Vote{Shard: s.cfg.ID, Attempt: m.Attempt, Yes: m.Yes, Proposed: m.At, AwaitsDecision: true}
	if !m.Yes {
		v.Refused, v.Reason = txn.ReasonConflict.Refusal().Kind(), txn.ReasonConflict.Refusal().String()
	}
	s.env.Send(txn.Coordinator(m.Attempt.Node), txn.Message{Vote: v})
}
