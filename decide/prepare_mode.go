package decide

import "isochron/txn"

// PrepareMode is a row's choice of who asks the participants to prepare.
type PrepareMode uint8

// The choices.
const (
	// AskUnset is no choice; a row of the table that has it takes another's.
	AskUnset PrepareMode = iota
	// AtOnce: whoever decides asks all of them at once, at the commit.
	AtOnce
	// Sequential: it asks one after the other, and tells the decision so too.
	Sequential
	// Decentralized: a source prepares by itself when it has executed the
	// transaction's last statement; the others are asked at that moment (GeoTP section 4.1).
	Decentralized
	// NoPrepare: nobody prepares. Each commits by itself, and nothing holds them together.
	NoPrepare
	// PrepareThenValidate: as AtOnce; and when all have prepared those are asked again whose Yes is open, whether
	// what they have read and not written still stands (ScalarDB's validation, PVLDB 16(12),
	// 2023). A transaction at one source alone is prepared, and its decision logged, too.
	PrepareThenValidate
)

func (a PrepareMode) String() string {
	return [...]string{"unset", "all at once", "one after the other", "by itself, with its last statement", "nobody is: each commits by itself",
		"all at once, and once all have, again, whether what they have read still stands"}[a]
}

// turns is how many times over one round trip is waited for, for so many votes.
func (a PrepareMode) turns(votes int) int {
	switch a {
	case Sequential:
		return max(votes, 1)
	case PrepareThenValidate:
		return 2
	}
	return 1
}

// Validates reports whether sources are asked again when all have prepared. What it takes to commit
// is then known to the coordinator alone until it has that logged, of a single participant too.
func (a PrepareMode) Validates() bool { return a == PrepareThenValidate }

// next are those of the participants whose votes are missing that are asked now.
func (a PrepareMode) next(missing []txn.ShardID) []txn.ShardID {
	if a == Sequential && len(missing) > 1 {
		return missing[:1]
	}
	return missing
}
