package shard

import (
	"fmt"
	"slices"

	"isochron/store"
	"isochron/txn"
)

// What the log says of dependencies. A vote may name attempts whose writes it
// has read and that were undecided here when the leader gave it (D2PC section
// 4.3). They voted before it in this log, and each is decided in this log: so
// every replica knows at the same entry what has become of a conditional Yes.

// resolveKnown looks at what the log says already of what a vote depends on.
func (s *state) resolveKnown(p *prepared) {
	p.Deps = slices.DeleteFunc(slices.Clone(p.Deps), func(d txn.Attempt) bool {
		if s.prepared[d] != nil {
			return false
		}
		o, known := s.outcomes.Get(d)
		if !known && !s.isRetired(d) {
			panic(fmt.Sprintf("shard %d: the vote of %v depends on %v, of which the log knows nothing", s.id, p.Attempt, d))
		}
		if known && o.Result != txn.OutcomeCommitted {
			p.Doomed = true
		}
		return true
	})
}

// track enters what an undecided vote depends on.
func (s *state) track(p *prepared) {
	for _, d := range p.Deps {
		s.dependents[d] = append(s.dependents[d], p.Attempt)
	}
}

// resolve tells the dependents of an attempt how it ended.
func (s *state) resolve(b *store.Batch, a txn.Attempt, commit bool) {
	for _, id := range s.dependents[a] {
		p := s.prepared[id]
		if p == nil {
			continue // it was aborted for another reason
		}
		p.Deps = slices.DeleteFunc(slices.Clone(p.Deps), func(d txn.Attempt) bool { return d == a })
		p.Doomed = p.Doomed || !commit
		s.putVote(b, p)
	}
	delete(s.dependents, a)
}
