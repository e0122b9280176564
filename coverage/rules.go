package coverage

// Rule is one rule of the core.
type Rule uint8

// The rules, in the order of their packages; book has their texts.
const (
	BlankVote Rule = iota
	BlankLog
	SuffixCut
	PromiseOverRestart
	LeaderStickiness
	CommandsBeforeChange
	OneChange
	LogBeforeVote
	SnapshotOfOldMembers
	RemovedIsNotified
	LeaseVoid
	LeaseJoint
	TimestampOfTerm
	ServesOwnTerm
	ChunkInOrder
	RetiredKeepsTerm
	HandsOver
	UnansweredHandsOver
	PrepareOneTerm
	RefusedStays
	FenceLogged
	Barrier
	MaxReadTSLogged
	MaxReadTSOfSuccessor
	ClockAboveLog
	LocksLost
	UndecidedAtReadTS
	VotingAtReadTS
	ReadTSTooOld
	UndecidedNear
	VotesRestored
	RestoredInOrder
	RangesTracked
	OpenIsNoCommit
	DoomedStays
	OnePhaseNoDependency
	SwitchDrained
	RecordPasses
	RowsChecked
	RangesChecked
	WoundsYounger
	VotedNotWounded
	YoungerWaits
	PrepareConflict
	ReadWaitsForVote
	ReservingWaits
	ReservingProceeds
	HigherReserves
	ReservedRefuses
	ReservedWaits
	VoteWaits
	RangeLocked
	RangeOverWrites
	Cascade
	VotedNotDropped
	LocalDeadlock
	WideDeadlock
	DeadlockConfirmed
	HotFollower
	ChainVotesInOrder
	GatewayLost
	TimestampBelowRead
	TimestampOverUndecided
	UnorderableInBatch
	RevealedByAll
	PreemptsWaiters
	PreemptsWaitingHolder
	LateDoesNotQueue
	LowPreempted
	AssumesAbort
	AssumptionFails
	CommitAbortsAssumed
	ForwardedKeepsPlace
	HighWaits
	WaiterFirst
	LeaseReaches
	LeaseLocked
	LeaseOfTerm
	AboveLeases
	OlderThanEngine
	AllWriters
	Withdrawn
	AppliedStays
	JointAcks
	EntryOfTerm
	OpenYes
	LargestTimestamp
	NoAfterYes
	LogWithoutVote
	SilenceAsksLogs
	SoleYesDecided
	DoomedYes
	TwoViews
	OneProposal
	NoHonoured
	LeaderInFastPath
	AgreedByAll
	AcceptedFirst
	LoggedFirst
	DataFirst
	ConfirmedAfterPrepare
	PriorityAbortedElsewhere
	ConflictsWithOpen
	OldView
	LeftView
	MajorityBegins
	FastPathKept
	AcceptedKept
	OldRecords
	SlowMajority
	BelowCommitted
	Overtaken
	ReaderWaits
	TwoVersions
	LocksOfTerm
	AnotherVersion
	LocksFirst
	ExpectsAbsent
	WarmAtLeader
	ReservesLate
	DataWithVotes
	ForwardedReads
	ReadsRevalidated
	ReadsConfirmedOnce
	rules // the number of rules
)

// entry describes a rule.
type entry struct{ name, in, text string }

var book = [rules]entry{
	BlankVote:            {"blank-vote", "raftgroup", "an uninitialized replica does not vote"},
	BlankLog:             {"blank-log", "raftgroup", "an uninitialized replica accepts no log from its start"},
	SuffixCut:            {"suffix-cut", "raftgroup", "an overwritten end of the log is deleted from the disk"},
	PromiseOverRestart:   {"promise-over-restart", "raftgroup", "a promise not to vote survives a restart"},
	LeaderStickiness:     {"leader-stickiness", "raftgroup", "a member that receives messages of a leader votes for no other candidate"},
	CommandsBeforeChange: {"commands-before-change", "raftgroup", "a change of members waits for votes that name the present members"},
	OneChange:            {"one-change", "raftgroup", "during a change of members no other change begins"},
	LogBeforeVote:        {"log-before-vote", "raftgroup", "a joining member gets a vote when it has the log"},
	SnapshotOfOldMembers: {"snapshot-of-old-members", "raftgroup", "a snapshot that names former members is not sent"},
	RemovedIsNotified:    {"removed-is-notified", "raftgroup", "a removed member that campaigns is notified of its removal"},
	LeaseVoid:            {"lease-void", "raftgroup", "a leader that has asked another member to lead has no lease"},
	LeaseJoint:           {"lease-joint", "raftgroup", "during a change of members a lease needs both majorities"},
	TimestampOfTerm:      {"timestamp-of-term", "raftgroup", "a follower returns only times of the leader of the present term"},
	ServesOwnTerm:        {"serves-own-term", "raftgroup", "a leader serves when an entry of its own term is applied"},
	ChunkInOrder:         {"chunk-in-order", "raftgroup", "a chunk of a snapshot is accepted only if it is the next one"},
	RetiredKeepsTerm:     {"retired-keeps-term", "raftgroup", "a retired replica keeps its term and its vote"},
	HandsOver:            {"hands-over", "raftgroup", "a leader that transfers leadership proposes nothing more"},
	UnansweredHandsOver:  {"unanswered-hands-over", "raftgroup", "a leader that receives no answers asks another member to lead"},

	PrepareOneTerm:       {"prepare-one-term", "shard", "a Prepare is valid in one term only"},
	RefusedStays:         {"refused-stays", "shard", "an attempt that a leader has refused, or ended, stays refused in its term"},
	FenceLogged:          {"fence-logged", "shard", "the absence of a vote is logged as a fence"},
	Barrier:              {"barrier", "shard", "a leader without a lease answers from its log only after a barrier"},
	MaxReadTSLogged:      {"max-read-ts-logged", "shard", "no snapshot read above the logged maximum read timestamp is answered"},
	MaxReadTSOfSuccessor: {"max-read-ts-of-successor", "shard", "a new leader proposes above the read timestamps that earlier leaders have answered, whatever its clock"},
	ClockAboveLog:        {"clock-above-log", "shard", "a leader proposes above every timestamp in its log, whatever its clock"},
	LocksLost:            {"locks-lost", "shard", "a prepare whose locks were lost is refused"},
	UndecidedAtReadTS:    {"undecided-at-read-ts", "shard", "a snapshot read waits for undecided votes at or below its read timestamp"},
	VotingAtReadTS:       {"voting-at-read-ts", "shard", "a snapshot read waits for votes that are being logged"},
	ReadTSTooOld:         {"read-ts-too-old", "shard", "a read timestamp whose versions may have been collected is refused"},
	UndecidedNear:        {"undecided-near", "shard", "a near replica reports an undecided write of a row"},
	VotesRestored:        {"votes-restored", "shard", "a new leader restores the locks of undecided votes"},
	RestoredInOrder:      {"restored-in-order", "shard", "a restored vote that conflicts with an earlier one proves that the earlier one was pre-committed"},
	RangesTracked:        {"ranges-tracked", "shard", "a reader of a range depends on the undecided writers in it"},
	OpenIsNoCommit:       {"open-is-no-commit", "shard", "a vote that depends on others is not its own commit"},
	DoomedStays:          {"doomed-stays", "shard", "the writes of a doomed attempt are not revealed"},
	OnePhaseNoDependency: {"one-phase-no-dependency", "shard", "no vote depends on a vote that is its own commit"},
	SwitchDrained:        {"switch-drained", "shard", "a protocol is switched only when nothing is undecided"},
	RecordPasses:         {"record-passes", "shard", "the record of an attempt is accepted under any protocol"},

	RowsChecked:            {"rows-checked", "yield", "a prepare is refused if a row it read has another version"},
	RangesChecked:          {"ranges-checked", "yield", "a prepare is refused if a range it read has other rows"},
	WoundsYounger:          {"wounds-younger", "yield", "an older transaction wounds a younger one"},
	VotedNotWounded:        {"voted-not-wounded", "yield", "a transaction that has voted is not wounded"},
	YoungerWaits:           {"younger-waits", "yield", "a younger transaction waits for an older one"},
	PrepareConflict:        {"prepare-conflict", "yield", "a prepare is refused if an older or a prepared transaction holds a conflicting lock"},
	ReadWaitsForVote:       {"read-waits-for-vote", "yield", "a read of a transaction without locks waits for prepared writers"},
	ReservingWaits:         {"reserving-waits", "yield", "a reserving read waits for a multi-region transaction that has locked the row, or for an unrevealed write"},
	ReservingProceeds:      {"reserving-proceeds", "yield", "a reserving read of a single-region transaction's revealed write does not wait"},
	HigherReserves:         {"higher-reserves", "yield", "a reservation of higher priority precedes others"},
	ReservedRefuses:        {"reserved-refuses", "yield", "the prepare of a single-region transaction is refused because of a reservation"},
	ReservedWaits:          {"reserved-waits", "yield", "a prepare waits for a reservation of higher priority"},
	VoteWaits:              {"vote-waits", "yield", "in protocols with reservations a prepare waits for a prepared transaction and is not refused"},
	RangeLocked:            {"range-locked", "yield", "a write into a locked range waits for the holder"},
	RangeOverWrites:        {"range-over-writes", "yield", "a range is not locked over rows with a pending write"},
	Cascade:                {"cascade", "yield", "a transaction that has read an uncommitted value aborts with its writer"},
	VotedNotDropped:        {"voted-not-dropped", "yield", "the locks of a vote are released by its decision only"},
	LocalDeadlock:          {"local-deadlock", "yield", "a wait that would close a cycle at one shard is refused"},
	WideDeadlock:           {"wide-deadlock", "yield", "a cycle of waits over several shards is broken"},
	DeadlockConfirmed:      {"deadlock-confirmed", "yield", "a cycle whose waits did not exist at the same time is not a deadlock"},
	HotFollower:            {"hot-follower", "yield", "a transaction does not wait for a later one in its chain"},
	ChainVotesInOrder:      {"chain-votes-in-order", "yield", "transactions that read each other's uncommitted values vote in that order"},
	GatewayLost:            {"gateway-lost", "yield", "locks of transactions whose gateway is lost are released"},
	TimestampBelowRead:     {"timestamp-below-read", "yield", "no write is accepted at or below the timestamp of a read of its row"},
	TimestampOverUndecided: {"timestamp-over-undecided", "yield", "a read of a row with an undecided write is not validated OK"},
	UnorderableInBatch:     {"unorderable-in-batch", "yield", "a transaction that cannot be ordered within its batch is refused"},
	LateDoesNotQueue:       {"late-does-not-queue", "yield", "a prepare received after its arrival time does not wait behind others"},
	PreemptsWaiters:        {"preempts-waiters", "yield", "a low-priority waiter is preempted by a high-priority request for the same row"},
	PreemptsWaitingHolder:  {"preempts-waiting-holder", "yield", "a low-priority holder that waits for another row is preempted by high priority"},
	LowPreempted:           {"low-preempted", "yield", "a low-priority transaction is preempted by high priority before its vote"},
	AssumesAbort:           {"assumes-abort", "yield", "a high-priority vote assumes the abort of low-priority ones that should be preempted at another shard"},
	AssumptionFails:        {"assumption-fails", "shard", "a vote that assumes an abort is lost if that attempt has committed"},
	CommitAbortsAssumed:    {"commit-aborts-assumed", "shard", "a commit that assumes aborts aborts those attempts in its log"},
	ForwardedKeepsPlace:    {"forwarded-keeps-place", "yield", "no prepare precedes one whose read was forwarded"},
	HighWaits:              {"high-waits", "yield", "a high-priority prepare waits for all its rows, in the order of arrival times"},
	WaiterFirst:            {"waiter-first", "yield", "no prepare takes rows needed by a waiting one that precedes it"},

	LeaseReaches: {"lease-reaches", "yield", "a row that was modified since it was read is still valid if its lease covers the commit timestamp"},
	LeaseLocked:  {"lease-locked", "yield", "no lease is renewed over a row locked by another transaction"},
	LeaseOfTerm:  {"lease-of-term", "yield", "a row lease is valid in the term of the leader that granted it"},
	AboveLeases:  {"above-leases", "yield", "a write's timestamp is above the leases of its row, and no commit precedes its schema checks"},

	RevealedByAll:   {"revealed-by-all", "reveal", "writes of several shards of one region are revealed when all have validated, before the votes are logged"},
	OlderThanEngine: {"older-than-engine", "reveal", "a write older than the engine's version of the row is not revealed: the newest wins"},
	AllWriters:      {"all-writers", "reveal", "an answer waits for all undecided writers that it has read"},
	Withdrawn:       {"withdrawn", "reveal", "revealed writes of an attempt that aborts are withdrawn"},
	AppliedStays:    {"applied-stays", "reveal", "an applied row stays revealed while an older one is"},

	JointAcks:                {"joint-acks", "decide", "during a change of members a vote counts when both majorities have it"},
	EntryOfTerm:              {"entry-of-term", "decide", "a replica acknowledges only entries of its own term"},
	OpenYes:                  {"open-yes", "decide", "a Yes counts only when the writers it depends on have committed"},
	LargestTimestamp:         {"largest-timestamp", "decide", "a commit has the largest of the proposed timestamps"},
	NoAfterYes:               {"no-after-yes", "decide", "one No aborts an attempt, whatever the other votes"},
	LogWithoutVote:           {"log-without-vote", "decide", "a log without a vote, once fenced, aborts the attempt"},
	SilenceAsksLogs:          {"silence-asks-logs", "decide", "missing votes do not abort: the logs are asked"},
	SoleYesDecided:           {"sole-yes-decided", "decide", "a single participant's Yes that awaits its decision is sent the decision"},
	DoomedYes:                {"doomed-yes", "decide", "a Yes that has read a write of an aborted attempt aborts"},
	TwoViews:                 {"two-views", "decide", "replica votes of two views are not counted together"},
	OneProposal:              {"one-proposal", "decide", "in one view a coordinator makes one proposal"},
	NoHonoured:               {"no-honoured", "decide", "the slow path does not propose Yes against a No"},
	LeaderInFastPath:         {"leader-in-fast-path", "decide", "there is no fast path without the leader"},
	AgreedByAll:              {"agreed-by-all", "decide", "a commit is proposed only when every participant has a majority for it"},
	AcceptedFirst:            {"accepted-first", "decide", "an outcome that majorities have voted for counts when majorities have accepted it"},
	LoggedFirst:              {"logged-first", "decide", "in protocols that log decisions no node is notified before"},
	DataFirst:                {"data-first", "decide", "a 2FI transaction commits when its writes are logged, whatever was voted before"},
	ConfirmedAfterPrepare:    {"confirmed-after-prepare", "decide", "an open Yes of a versioned source counts when it is confirmed after all have prepared"},
	PriorityAbortedElsewhere: {"priority-aborted-elsewhere", "decide", "a vote that assumes aborts counts when shards report the priority aborts"},

	ConflictsWithOpen: {"conflicts-with-open", "replica", "no Yes is accepted beside a conflicting undecided one"},
	OldView:           {"old-view", "replica", "a proposal of an older view is not accepted"},
	LeftView:          {"left-view", "replica", "a replica that has left its view takes part in nothing until the next begins"},
	MajorityBegins:    {"majority-begins", "replica", "a view begins with the records of a majority"},
	FastPathKept:      {"fast-path-kept", "replica", "a possible fast path keeps its outcome in the next view"},
	AcceptedKept:      {"accepted-kept", "replica", "a vote accepted in the last view is kept"},
	OldRecords:        {"old-records", "replica", "only records of the last view count for open attempts"},
	SlowMajority:      {"slow-majority", "replica", "the slow path needs a majority"},
	Overtaken:         {"overtaken", "replica", "an attempt overtaken by a later commit has no fast path"},
	BelowCommitted:    {"below-committed", "replica", "no attempt is validated OK below a committed timestamp"},
	ReaderWaits:       {"reader-waits", "replica", "a read waits for the end of an undecided writer of its row"},

	TwoVersions:        {"two-versions", "coordinator", "a transaction that has read two versions of a row aborts"},
	LocksOfTerm:        {"locks-of-term", "coordinator", "a transaction whose locks were granted by two leaders of a shard aborts"},
	AnotherVersion:     {"another-version", "coordinator", "a row written differently than it was published gets another version"},
	ReservesLate:       {"reserves-late", "coordinator", "a transaction that turns out to touch a second region reserves its earlier reads"},
	LocksFirst:         {"locks-first", "coordinator", "a transaction that has lost repeatedly takes its locks before its prepares"},
	ExpectsAbsent:      {"expects-absent", "coordinator", "an update takes rows that are expected not to exist for absent until its vote"},
	WarmAtLeader:       {"warm-at-leader", "coordinator", "a frequently updated row is read at its leader"},
	ReadsRevalidated:   {"reads-revalidated", "source", "a read at a versioned source that has changed when all have prepared is refused"},
	ReadsConfirmedOnce: {"reads-confirmed-once", "source", "a source that has confirmed its reads repeats the answer without checking"},
	DataWithVotes:      {"data-with-votes", "coordinator", "the writes of a 2FI transaction are logged while its votes are pending"},
	ForwardedReads:     {"forwarded-reads", "coordinator", "a read that waits for a transaction is answered by that one's coordinator after its commit"},
}

// All returns the rules in order.
func All() []Rule {
	out := make([]Rule, rules)
	for i := range out {
		out[i] = Rule(i)
	}
	return out
}

// Name returns the short name: lower-case words with dashes.
func (r Rule) Name() string { return book[r].name }

// Package returns the package that enforces the rule.
func (r Rule) Package() string { return book[r].in }

// String returns the rule as a sentence.
func (r Rule) String() string { return book[r].text }
