package reveal

import (
	"slices"

	"isochron/txn"
)

// Dependents is the dependencies in a log: for each undecided attempt, the votes that depend on it,
// in their order. A vote may name attempts whose writes it has read and that were undecided when
// the leader gave it (D2PC section 4.3). Their votes precede it in this log, and their decisions
// are in this log: so every replica knows at the same entry the outcome of a conditional Yes.
type Dependents map[txn.Attempt][]txn.Attempt

// End is the state of an attempt in a log, for a vote that depends on it.
type End uint8

// The states.
const (
	Open      End = iota // it has a vote here, and no decision
	Committed            // it has committed
	Aborted              // it has aborted
)

// Resolve checks a vote's dependencies against the log: open are the undecided ones, doomed reports
// whether one has aborted.
func Resolve(on []txn.Attempt, end func(txn.Attempt) End) (open []txn.Attempt, doomed bool) {
	open = slices.DeleteFunc(slices.Clone(on), func(a txn.Attempt) bool {
		how := end(a)
		doomed = doomed || how == Aborted
		return how != Open
	})
	return open, doomed
}

// Add enters the dependencies of an undecided vote.
func (d Dependents) Add(vote txn.Attempt, on []txn.Attempt) {
	for _, a := range on {
		d[a] = append(d[a], vote)
	}
}

// Decided removes and returns the votes that depend on a decided attempt, in order. Some of them
// may have been aborted for another reason.
func (d Dependents) Decided(a txn.Attempt) []txn.Attempt {
	votes := d[a]
	delete(d, a)
	return votes
}

// Without is a vote's remaining dependencies when one of them is decided.
func Without(on []txn.Attempt, a txn.Attempt) []txn.Attempt {
	return slices.DeleteFunc(slices.Clone(on), func(o txn.Attempt) bool { return o == a })
}
