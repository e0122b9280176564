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
)

func (a Asking) String() string {
	return [...]string{"unset", "all at once", "one after the other", "by itself, with its last statement", "nobody is: each commits by itself"}[a]
}

// turns is how many times over one round trip is waited for, for so many votes.
func (a Asking) turns(votes int) int {
	if a == InTurn {
		return max(votes, 1)
	}
	return 1
}

// next are those of the participants whose votes are missing that are asked now.
func (a Asking) next(missing []txn.ShardID) []txn.ShardID {
	if a == InTurn && len(missing) > 1 {
		return missing[:1]
	}
	return missing
}
