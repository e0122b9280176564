package reveal

import "isochron/txn"

// Policy is a protocol's choice of when writes are revealed.
type Policy uint8

// The choices.
const (
	// Unset is no choice; a protocol of the table that has it inherits one.
	Unset Policy = iota
	// OnDecision reveals a write when its leader receives the decision, before the decision is
	// logged (it is derived from logged votes and cannot change).
	OnDecision
	// OnLog reveals it, and releases the locks, when the log of its shard has the decision: a round
	// trip to the nearest followers later (Spanner; R4's fourth reduction removes this).
	OnLog
	// OnPreCommit reveals it, and releases the locks, as soon as every leader has voted Yes, before
	// any of the votes is known to be durable; a reader then depends on the writer (D2PC section
	// 4.3).
	OnPreCommit
	// OnAppend, for a transaction that one entry of one shard commits, reveals and releases the
	// locks as soon as that entry is in the leader's log: every reader's entry follows it there,
	// and is lost with it (the ordered group commit of TXSQL, section 4). For a transaction over
	// several shards it is OnDecision.
	OnAppend
	// OnHotAppend is OnAppend for a transaction that has written a hot row, and OnDecision for all
	// others: without hot rows it is plain two-phase locking (TXSQL section 1).
	OnHotAppend
	// OnAppendOrPreCommit reveals each transaction as early as its votes allow: on the append of
	// its vote if it has one participant, since then every leader has voted, otherwise on
	// pre-commit. A vote that depends on undecided writers is no commit yet, so its readers depend
	// on it as on any pre-committed write.
	OnAppendOrPreCommit
	// OnValidation reveals the writes of a single-region transaction as soon as all its leaders
	// have validated it, before any of the votes is logged, and keeps the locks; for a multi-region
	// transaction it is OnDecision (Bonspiel section 3.1.4). Readers are not tracked: a reader's
	// vote waits for the locks, and then checks that the version is still there. So no reader is
	// decided before its writer, and if the writer is lost with its leader, only its direct readers
	// abort.
	OnValidation
)

// text presents a choice: its name in lists, and its meaning, cost and source, a sentence each.
type text struct{ name, meaning, cost, source string }

// texts has the text of each choice, in the order of the constants.
var texts = [...]text{
	{name: "unset"},
	{
		"on decision",
		"Others can read a write when its leader receives the decision, before that is logged.",
		"Rows are locked until the decision arrives.",
		"D2PC section 5.1",
	},
	{
		"when the decision is logged",
		"Others can read a write, and its locks are released, when the shard has logged the decision.",
		"Rows are locked for one more round trip to a majority.",
		"Spanner (OSDI'12)",
	},
	{
		"on pre-commit, tracked",
		"Others can read a write, and its locks are released, when every leader has voted Yes; a reader depends on the writer.",
		"If the writer aborts, its readers abort.",
		"D2PC section 4.3",
	},
	{
		"on append, if one entry commits",
		"A write that one log entry commits is readable when the leader has appended the entry; others, on decision.",
		"If the leader is lost before the entry is replicated, its readers are lost as well.",
		"TXSQL section 4",
	},
	{
		"on append, if one entry commits and has written a hot row",
		"A write that one log entry commits, of a transaction that has written a hot row, is readable when the entry is appended; others, on decision.",
		"Transactions on other rows hold their locks until the decision.",
		"TXSQL sections 1 and 4",
	},
	{
		"on append, if one shard votes, else on pre-commit, tracked",
		"With one participant a write is readable when its vote is appended, with several when every leader has voted Yes.",
		"If the writer aborts, its readers abort.",
		"D2PC section 4.3; TXSQL section 4",
	},
	{
		"on validation, if it touches one region, its locks kept, else on decision",
		"Writes of a single-region transaction are readable when all its leaders have validated it, and stay locked; others, on decision.",
		"If the writer is lost with its leader, its direct readers abort.",
		"Bonspiel section 3.1.4",
	},
}

func (c Policy) String() string { return texts[c].name }

// Explain returns the choice's meaning, cost and source.
func (c Policy) Explain() (meaning, cost, source string) {
	t := texts[c]
	return t.meaning, t.cost, t.source
}

// Invariant: a transaction record is never revealed before its log has it. A node that reads one
// notifies others immediately how an attempt has ended, and no vote of its own would be lost with
// the record.

// Early reports whether writes are revealed before they are decided.
func (c Policy) Early() bool { return c != OnDecision && c != OnLog && c != Unset }

// Tracked reports whether a reader of such a write depends on its writer.
func (c Policy) Tracked() bool { return c.Early() && c != OnValidation }

// KeepsLocks reports whether rows revealed before the decision stay locked.
func (c Policy) KeepsLocks() bool { return c == OnValidation }

// WhenVoted reports whether leaders must be notified that every leader has voted Yes on a
// transaction over several shards.
func (c Policy) WhenVoted() bool { return c.PreCommits() || c == OnValidation }

// OnItsValidation reports whether the only leader of such a transaction reveals its writes before
// its vote is in the log.
func (c Policy) OnItsValidation(of txn.Class) bool {
	return of.Participants == 1 && c.RevealsAtValidation(of)
}

// RevealsAtValidation reports whether such a transaction is revealed once all of its leaders have
// validated it, which they report to each other before their votes are logged.
func (c Policy) RevealsAtValidation(of txn.Class) bool {
	return c == OnValidation && !of.MultiRegion() && !of.Record
}

// Logged reports whether a decision is logged before it is applied.
func (c Policy) Logged() bool { return c == OnLog }

// PreCommits reports whether writes are revealed, and locks released, when every leader has voted
// Yes.
func (c Policy) PreCommits() bool { return c == OnPreCommit || c == OnAppendOrPreCommit }

// OnItsAppend reports whether that happens when the vote of such a transaction is appended: only a
// transaction with a single participant commits by that one entry.
func (c Policy) OnItsAppend(of txn.Class) bool {
	return of.Participants == 1 && !of.Record && (c == OnAppend || c == OnAppendOrPreCommit || c == OnHotAppend && of.Hot)
}
