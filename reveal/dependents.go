package reveal

import (
	"slices"

	"isochron/txn"
)

// Dependents is what a log says of dependencies: of each undecided attempt, the votes that depend
// on it, in their order. A vote may name attempts whose writes it has read and that were undecided
// when the leader gave it (D2PC section 4.3). They voted before it in this log, and each is
// decided in this log: so every replica knows at the same entry what has become of a
// conditional Yes.
type Dependents map[txn.Attempt][]txn.Attempt

// End is what a log says of an attempt when another is voted on that depends on it.
type End uint8

// The ends.
const (
	Open      End = iota // it has a vote here, and no decision
	Committed            // it has committed
	Aborted              // it has not
)

// Resolve looks at what the log says already of what a vote depends on: open are those that
// are undecided, doomed is whether one has aborted.
func Resolve(on []txn.Attempt, end func(txn.Attempt) End) (open []txn.Attempt, doomed bool) {
	open = slices.DeleteFunc(slices.Clone(on), func(a txn.Attempt) bool {
		how := end(a)
		doomed = doomed || how == Aborted
		return how != Open
	})
	return open, doomed
}

// Add enters on what an undecided vote depends.
func (d Dependents) Add(vote txn.Attempt, on []txn.Attempt) {
	for _, a := range on {
		d[a] = append(d[a], vote)
	}
}

// Decided takes out who depends on an attempt that is decided, in the order of their votes. Some of
// them may have been aborted for another reason.
func (d Dependents) Decided(a txn.Attempt) []txn.Attempt {
	votes := d[a]
	delete(d, a)
	return votes
}

// Without is what a vote depends on when one of them is decided.
func Without(on []txn.Attempt, a txn.Attempt) []txn.Attempt {
	return slices.DeleteFunc(slices.Clone(on), func(o txn.Attempt) bool { return o == a })
}
