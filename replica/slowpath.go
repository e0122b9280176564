package replica

import (
	"isochron/coverage"
	"isochron/txn"
)

// The slow path: one proposes what counts, and a majority takes it in. In one
// view it is the leader that proposes, or the coordinator, as the row says, and
// it proposes one thing.

// proposal is what the leader of the view has proposed of an attempt.
type proposal struct {
	accept *txn.Accept
	have   map[txn.NodeID]bool
	voted  bool
}

// proposed is what waits here to be taken in.
type proposed struct {
	from txn.NodeID
	m    *txn.Accept
}

// slowPath is what is proposed within one view: here as its leader, and by others where
// this replica cannot take it in yet.
type slowPath struct {
	*member
	mine    map[txn.Attempt]*proposal
	waiting *txn.ByAttempt[proposed] // for what they clash with
	begun   uint64                   // proposals, since the replica was opened
}

func newSlowPath(m *member) *slowPath {
	return &slowPath{member: m, mine: map[txn.Attempt]*proposal{}, waiting: txn.NewByAttempt[proposed]()}
}

// forget drops all of it: nothing of this counts in another view.
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

// repeat proposes once more what was proposed of an attempt, if anything was.
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

// await keeps a proposal until what is in its way has ended.
func (s *slowPath) await(from txn.NodeID, m *txn.Accept) {
	if s.waiting.Len() < maxWaiting { // else as if it had not come
		s.waiting.Set(m.Prepare.Attempt, proposed{from, m})
	}
}

// awaken hands back all that waits, in the order of attempts.
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

// onAccepted counts, and votes when a majority has taken in what this leader
// had proposed.
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
