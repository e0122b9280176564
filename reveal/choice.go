package reveal

import "isochron/txn"

// Choice is a row's choice of when writes are revealed.
type Choice uint8

// The choices.
const (
	// Unset is no choice; a row of the table that has it takes another's.
	Unset Choice = iota
	// OnDecision reveals a write when its leader hears the decision, before the
	// decision is logged (it is derived from logged votes and cannot change).
	OnDecision
	// OnPreCommit reveals it, and lets go of the locks, as soon as every leader
	// has voted Yes, before any of the votes is known to last; who reads it then
	// depends on its writer (D2PC section 4.3).
	OnPreCommit
	// OnAppend reveals, and lets go of the locks, of what one entry of one shard
	// commits as soon as that entry is in the leader's log: whatever reads it stands
	// behind it there, and is lost with it (the ordered group commit of TXSQL,
	// section 4). Of a transaction on several shards it is OnDecision.
	OnAppend
	// OnHotAppend is OnAppend for whoever has written a hot row, and OnDecision for
	// all others: where no row is hot it is plain two-phase locking (TXSQL section 1).
	OnHotAppend
	// OnAppendOrPreCommit reveals each transaction as early as its votes allow: on
	// the append of its vote if it has one participant, for then every leader has
	// voted, else on pre-commit. A vote that rests on what is undecided is no commit
	// yet, so whoever reads it depends on it as on any pre-committed write.
	OnAppendOrPreCommit
)

func (c Choice) String() string {
	return [...]string{"unset", "on decision", "on pre-commit, tracked", "on append, if one entry commits", "on append, if one entry commits and has written a hot row",
		"on append, if one shard votes, else on pre-commit, tracked"}[c]
}

// Early reports whether writes are revealed before they are decided.
func (c Choice) Early() bool { return c != OnDecision && c != Unset }

// PreCommits reports whether that happens when every leader has voted Yes.
func (c Choice) PreCommits() bool { return c == OnPreCommit || c == OnAppendOrPreCommit }

// OnItsAppend reports whether it happens when the vote of such a transaction is
// appended: only one that has no other participant commits by that one entry.
func (c Choice) OnItsAppend(of txn.Class) bool {
	return of.Participants == 1 && (c == OnAppend || c == OnAppendOrPreCommit || c == OnHotAppend && of.Hot)
}
