package shard

import (
	"fmt"
	"slices"

	"isochron/reveal"
	"isochron/store"
	"isochron/txn"
)

// What the log says of dependencies: the rule stands in reveal/dependents.go.

// end is what the log says of an attempt on which a vote depends.
func (s *state) end(vote, on txn.Attempt) reveal.End {
	if s.prepared[on] != nil {
		return reveal.Open
	}
	o, known := s.outcomes.Get(on)
	if !known && !s.isRetired(on) {
		panic(fmt.Sprintf("shard %d: the vote of %v depends on %v, of which the log knows nothing", s.id, vote, on))
	}
	if known && o.Result != txn.OutcomeCommitted {
		return reveal.Aborted
	}
	return reveal.Committed
}

// resolveKnown looks at what the log says already of what a vote depends on.
func (s *state) resolveKnown(p *prepared) {
	open, doomed := reveal.Resolve(p.Deps, func(a txn.Attempt) reveal.End { return s.end(p.Attempt, a) })
	p.Deps, p.Doomed = open, p.Doomed || doomed
	if len(p.AssumesAborted) > 0 {
		s.resolveAborts(p)
	}
}

// resolve tells the dependents of an attempt how it ended.
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
