package decide

import "isochron/txn"

// Asking is a row's choice of who asks the participants to prepare.
type Asking uint8

// The choices.
const (
	// AskUnset is no choice; a row of the table that has it takes another's.
	AskUnset Asking = iota
	// AtOnce: whoever decides asks all of them at once, at the commit.
	AtOnce
	// InTurn: it asks one after the other, and tells the decision so too.
	InTurn
	// WithLastStatement: a source prepares by itself when it has executed the
	// transaction's last statement; the others are asked at that moment (GeoTP section 4.1).
	WithLastStatement
	// ToCommit: nobody prepares. Each commits by itself, and nothing holds them together.
	ToCommit
	// Twice: as AtOnce; and when all have prepared those are asked again whose Yes is open, whether
	// what they have read and not written still stands (ScalarDB's validation, PVLDB 16(12),
	// 2023). A transaction at one source alone is prepared, and its decision logged, too.
	Twice
)

func (a Asking) String() string {
	return [...]string{"unset", "all at once", "one after the other", "by itself, with its last statement", "nobody is: each commits by itself",
		"all at once, and once all have, again, whether what they have read still stands"}[a]
}

// turns is how many times over one round trip is waited for, for so many votes.
func (a Asking) turns(votes int) int {
	switch a {
	case InTurn:
		return max(votes, 1)
	case Twice:
		return 2
	}
	return 1
}

// Validates reports whether sources are asked again when all have prepared. What it takes to commit
// is then known to the coordinator alone until it has that logged, of a single participant too.
func (a Asking) Validates() bool { return a == Twice }

// next are those of the participants whose votes are missing that are asked now.
func (a Asking) next(missing []txn.ShardID) []txn.ShardID {
	if a == InTurn && len(missing) > 1 {
		return missing[:1]
	}
	return missing
}
