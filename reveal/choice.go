package reveal

import "isochron/txn"

// Policy is a row's choice of when writes are revealed.
type Policy uint8

// The choices.
const (
	// Unset is no choice; a row of the table that has it takes another's.
	Unset Policy = iota
	// OnDecision reveals a write when its leader hears the decision, before the
	// decision is logged (it is derived from logged votes and cannot change).
	OnDecision
	// OnLog reveals it, and lets go of the locks, when the log of its shard has the decision: a
	// round trip to the nearest followers later (Spanner, as R4's fourth reduction tells of it).
	OnLog
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
	// OnValidation reveals what shards of one region vote on as soon as all of them have
	// validated it, before any of the votes is logged, and keeps the locks; of a transaction of
	// several regions it is OnDecision (Bonspiel section 3.1.4). Nobody tracks who has read such
	// a write: the vote of its reader waits for the locks, and then finds out whether the
	// version stands. So what was read is never decided before its writer, and when that is
	// lost with its leader only those are who have read it themselves.
	OnValidation
)

func (c Policy) String() string {
	return [...]string{"unset", "on decision", "when the decision is logged", "on pre-commit, tracked", "on append, if one entry commits", "on append, if one entry commits and has written a hot row",
		"on append, if one shard votes, else on pre-commit, tracked", "on validation, if it touches one region, its locks kept, else on decision"}[c]
}

// Invariant: a record is shown by nobody before its log has it. Who reads one tells others at once
// how an attempt has ended, and no vote of his would be lost with what he has read.

// Early reports whether writes are revealed before they are decided.
func (c Policy) Early() bool { return c != OnDecision && c != OnLog && c != Unset }

// Tracked reports whether who reads such a write depends on its writer.
func (c Policy) Tracked() bool { return c.Early() && c != OnValidation }

// KeepsLocks reports whether what is revealed before it is decided stays locked.
func (c Policy) KeepsLocks() bool { return c == OnValidation }

// WhenVoted reports whether leaders want to know that every leader has voted Yes on a
// transaction of several shards.
func (c Policy) WhenVoted() bool { return c.PreCommits() || c == OnValidation }

// OnItsValidation reports whether the only leader of such a transaction reveals what it votes on
// before that is in its log.
func (c Policy) OnItsValidation(of txn.Class) bool {
	return of.Participants == 1 && c.RevealsAtValidation(of)
}

// RevealsAtValidation reports whether such a transaction is revealed once all of its leaders have
// validated it, who tell each other then and not when their votes are logged.
func (c Policy) RevealsAtValidation(of txn.Class) bool {
	return c == OnValidation && !of.MultiRegion() && !of.Record
}

// Logged reports whether a decision is logged before it is heeded.
func (c Policy) Logged() bool { return c == OnLog }

// PreCommits reports whether writes are revealed, and let go, when every leader has voted Yes.
func (c Policy) PreCommits() bool { return c == OnPreCommit || c == OnAppendOrPreCommit }

// OnItsAppend reports whether it happens when the vote of such a transaction is
// appended: only one that has no other participant commits by that one entry.
func (c Policy) OnItsAppend(of txn.Class) bool {
	return of.Participants == 1 && !of.Record && (c == OnAppend || c == OnAppendOrPreCommit || c == OnHotAppend && of.Hot)
}
