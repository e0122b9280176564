package yield

import "isochron/txn"

// VoteRule is the reaction of a vote, under reservations, to a row locked by another transaction,
// or reserved with a higher priority.
//
// A waiting vote keeps what its transaction has locked at other shards. Two multi-region
// transactions that need the same rows wait for each other there, each behind the other's vote, or
// one behind the other's reservation while that one waits to read: a deadlock over shards, ended by
// a probe (deadlock_detector.go) or by termination of a silent transaction. Where most transactions
// are multi-region and some rows are hot, these waits dominate all measurements.
type VoteRule uint8

// The rules.
const (
	// VotesWait: it always waits (Bonspiel section 3.1.3 and table 4).
	VotesWait VoteRule = iota
	// VotesByAge: of two multi-region votes the older waits for the younger's lock and the younger
	// aborts, and none waits for a reservation. So no cycle consists of multi-region votes. Against
	// a single-region transaction it waits, as in the paper.
	VotesByAge
	// VotesAbort: it aborts on a lock and ignores a higher reservation. Lock against lock is as
	// in the paper's public prototype, where votes wait for reservations without a bound.
	VotesAbort
)

// yieldsTo reports whether a vote aborts because of another vote's lock.
func (v VoteRule) yieldsTo(age, holder txn.Age) bool {
	switch v {
	case VotesByAge:
		return age.Region.MultiRegion() && holder.Region.MultiRegion() && !age.Older(holder)
	case VotesAbort:
		return true
	}
	return false
}
