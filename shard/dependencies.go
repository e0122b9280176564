package shard

import (
	"fmt"
	"slices"

	"isochron/reveal"
	"isochron/store"
	"isochron/txn"
)

// Dependencies in the log; reveal/dependents.go has the rule.

// end returns the outcome in the log of an attempt that a vote depends on.
func (s *state) end(vote, on txn.Attempt) reveal.End {
	if s.prepared[on] != nil {
		return reveal.Open
	}
	o, known := s.outcomes.Get(on)
	if !known && !s.isRetired(on) {
		panic(fmt.Sprintf("shard %d: the vote of %v depends on %v, which the log does not have", s.id, vote, on))
	}
	if known && o.Result != txn.OutcomeCommitted {
		return reveal.Aborted
	}
	return reveal.Committed
}

// resolveKnown removes the dependencies of a vote that the log has decided already.
func (s *state) resolveKnown(p *prepared) {
	open, doomed := reveal.Resolve(p.Deps, func(a txn.Attempt) reveal.End { return s.end(p.Attempt, a) })
	p.Deps, p.Doomed = open, p.Doomed || doomed
	if len(p.AssumesAborted) > 0 {
		s.resolveAborts(p)
	}
}

// resolve notifies the dependents of an attempt of its outcome.
func (s *state) resolve(b *store.Batch, a txn.Attempt, commit bool) {
	for _, id := range s.dependents.Decided(a) {
		p := s.prepared[id]
		if p == nil {
			continue // it was aborted for another reason
		}
		rests := slices.Contains(p.AssumesAborted, a)
		p.Deps, p.AssumesAborted = reveal.Without(p.Deps, a), reveal.Without(p.AssumesAborted, a)
		p.Doomed = p.Doomed || commit == rests
		s.putVote(b, p)
	}
}
