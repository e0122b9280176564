package coverage

// Rule is one rule of the core.
type Rule uint8

// The rules, in the order of the packages in which they stand; book has what they say.
const (
	BlankVote Rule = iota
	BlankLog
	SuffixCut
	PromiseOverRestart
	LeaderStickiness
	CommandsBeforeChange
	OneChange
	LogBeforeVote
	OfferOfOldMembers
	GoneIsTold
	LeaseVoid
	LeaseJoint
	TimestampOfTerm
	ServesOwnTerm
	PieceInTurn
	RetiredKeepsTerm
	HandsOver
	DeafHandsOver
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
	UnsettledNear
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
	VoteGivesWay
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
	ChainInTurn
	GatewayLost
	TimestampBelowRead
	TimestampBesideWrite
	BatchGivesWay
	RevealedByAll
	PreemptsWaiters
	PreemptsWhoWaits
	LateGivesWay
	LowGivesWay
	VotesBeside
	ConditionFails
	EndsBeside
	ForwardedKeepsPlace
	HighWaits
	WaiterFirst
	LeaseReaches
	LeaseLocked
	LeaseOfTerm
	AboveLeases
	OlderThanEngine
	AllWriters
	TakenBack
	AppliedStays
	JointAcks
	EntryOfTerm
	OpenYes
	LargestArrivalTime
	NoAfterYes
	LogWithoutVote
	SilenceAsksLogs
	ForetoldCommit
	DoomedYes
	TwoViews
	OneProposal
	NoHeeded
	LeaderInFastPath
	AgreedByAll
	AcceptedFirst
	LoggedFirst
	DataFirst
	AskedTwice
	PriorityAbortedElsewhere
	BesideOpen
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
	WarmAtLeader
	ReservesLate
	DataBesideVotes
	ForwardedReads
	ReadsStand
	SaidOnce
	rules // how many there are
)

// entry is what is known of a rule.
type entry struct{ name, in, text string }

var book = [rules]entry{
	BlankVote:            {"blank-vote", "raftgroup", "a replica that has nothing yet gives no vote"},
	BlankLog:             {"blank-log", "raftgroup", "a replica that has nothing yet takes no log from its beginning"},
	SuffixCut:            {"suffix-cut", "raftgroup", "an overwritten end of the log is cut from the disk"},
	PromiseOverRestart:   {"promise-over-restart", "raftgroup", "a promise not to vote survives a restart"},
	LeaderStickiness:     {"patience", "raftgroup", "who hears a leader gives no vote to another"},
	CommandsBeforeChange: {"commands-before-change", "raftgroup", "a change of members waits for the votes that name the members of now"},
	OneChange:            {"one-change", "raftgroup", "while members change no other change begins"},
	LogBeforeVote:        {"log-before-vote", "raftgroup", "who joins gets a vote when it has the log"},
	OfferOfOldMembers:    {"offer-of-old-members", "raftgroup", "a snapshot that names former members is not sent on"},
	GoneIsTold:           {"gone-is-told", "raftgroup", "who is a member no more is told so when it campaigns"},
	LeaseVoid:            {"lease-void", "raftgroup", "a leader that has asked another to lead has no lease"},
	LeaseJoint:           {"lease-joint", "raftgroup", "in a change of members a lease rests on both majorities"},
	TimestampOfTerm:      {"stamp-of-term", "raftgroup", "an echoed stamp is of the leader of this term"},
	ServesOwnTerm:        {"serves-own-term", "raftgroup", "a leader serves when an entry of its own term is applied"},
	PieceInTurn:          {"piece-in-turn", "raftgroup", "a piece of a snapshot counts if it is the next one"},
	RetiredKeepsTerm:     {"retired-keeps-term", "raftgroup", "a replica that is retired keeps its term and its vote"},
	HandsOver:            {"hands-over", "raftgroup", "a leader that hands over proposes nothing more"},
	DeafHandsOver:        {"deaf-hands-over", "raftgroup", "a leader that nobody answers asks another to lead"},

	PrepareOneTerm:       {"prepare-one-term", "shard", "a Prepare is good in one term only"},
	RefusedStays:         {"refused-stays", "shard", "what a leader has refused, or ended, it refuses in its term"},
	FenceLogged:          {"fence-logged", "shard", "that a log has no vote of an attempt is logged"},
	Barrier:              {"barrier", "shard", "a leader without a lease speaks for its log only after a barrier"},
	MaxReadTSLogged:      {"ceiling-logged", "shard", "no read of a moment above the ceiling that the log has is answered"},
	MaxReadTSOfSuccessor: {"ceiling-of-successor", "shard", "a new leader proposes above the moments that others have answered, whatever its clock says"},
	ClockAboveLog:        {"clock-above-log", "shard", "a leader proposes above all that its log has, whatever its clock says"},
	LocksLost:            {"locks-lost", "shard", "a vote whose locks were lost is refused"},
	UndecidedAtReadTS:    {"undecided-at-moment", "shard", "a read of a moment waits for undecided votes from before it"},
	VotingAtReadTS:       {"voting-at-moment", "shard", "a read of a moment waits for votes on their way into the log"},
	ReadTSTooOld:         {"moment-too-old", "shard", "a moment whose versions may have been collected is not read"},
	UnsettledNear:        {"unsettled-near", "shard", "a near replica says that it has an undecided write of a row"},
	VotesRestored:        {"votes-restored", "shard", "a new leader holds what undecided votes have locked"},
	RestoredInOrder:      {"restored-in-order", "shard", "a restored vote that conflicts with an earlier one shows that the earlier was pre-committed"},
	RangesTracked:        {"ranges-tracked", "shard", "who has read a range depends on the undecided writers in it"},
	OpenIsNoCommit:       {"open-is-no-commit", "shard", "a vote that depends on others is not its own commit"},
	DoomedStays:          {"doomed-stays", "shard", "what is doomed is not revealed"},
	OnePhaseNoDependency: {"one-phase-no-dependency", "shard", "nobody depends on a vote that is its own commit"},
	SwitchDrained:        {"switch-drained", "shard", "a protocol changes when nothing is undecided"},
	RecordPasses:         {"record-passes", "shard", "the record of an attempt is taken whatever protocol it is of"},

	RowsChecked:          {"rows-checked", "yield", "a vote is refused whose reads have other versions now"},
	RangesChecked:        {"ranges-checked", "yield", "a vote is refused whose ranges hold other rows now"},
	WoundsYounger:        {"wounds-younger", "yield", "the older wounds the younger"},
	VotedNotWounded:      {"voted-not-wounded", "yield", "who has voted is not wounded by an older one"},
	YoungerWaits:         {"younger-waits", "yield", "the younger waits for the older"},
	VoteGivesWay:         {"vote-gives-way", "yield", "a vote gives way to an older one, or to one that has voted"},
	ReadWaitsForVote:     {"read-waits-for-vote", "yield", "a read that holds nothing waits for those who have voted"},
	ReservingWaits:       {"reserving-waits", "yield", "who reserves waits for one of several regions that has locked the row, or for a write that is not revealed"},
	ReservingProceeds:    {"reserving-proceeds", "yield", "who reserves reads the revealed write of one of a single region, and does not wait"},
	HigherReserves:       {"higher-reserves", "yield", "a reservation of a higher priority goes before others"},
	ReservedRefuses:      {"reserved-refuses", "yield", "the vote of one of a single region gives way to a reservation"},
	ReservedWaits:        {"reserved-waits", "yield", "a vote waits for a reservation of a higher priority"},
	VoteWaits:            {"vote-waits", "yield", "where rows are reserved a vote waits for who has voted, and does not give way"},
	RangeLocked:          {"range-locked", "yield", "a write into a locked range waits for its holder"},
	RangeOverWrites:      {"range-over-writes", "yield", "a range is not locked over rows that another is about to write"},
	Cascade:              {"cascade", "yield", "who has gone on from a value that is undone ends with its writer"},
	VotedNotDropped:      {"voted-not-dropped", "yield", "the locks of a vote go by its decision alone"},
	LocalDeadlock:        {"local-deadlock", "yield", "a wait that would close a cycle at one shard is refused"},
	WideDeadlock:         {"wide-deadlock", "yield", "a cycle of waits over several shards is ended"},
	DeadlockConfirmed:    {"second-lap", "yield", "a cycle of waits that did not stand together is no deadlock"},
	HotFollower:          {"hot-follower", "yield", "who stands before another in a chain does not wait for that one"},
	ChainInTurn:          {"chain-in-turn", "yield", "those who went on from each other's values vote in that order"},
	GatewayLost:          {"gateway-lost", "yield", "locks of transactions whose gateway has ended are freed"},
	TimestampBelowRead:   {"stamp-below-read", "yield", "no write is taken at or below the timestamp of a read of its row"},
	TimestampBesideWrite: {"stamp-beside-write", "yield", "a read of a row with an undecided write is not called OK"},
	BatchGivesWay:        {"batch-gives-way", "yield", "of a batch one gives way that cannot be put in order"},
	LateGivesWay:         {"late-gives-way", "yield", "who comes after its stamp does not wait behind others"},
	PreemptsWaiters:      {"preempts-waiters", "yield", "who waits with low priority makes way for high that wants the same row"},
	PreemptsWhoWaits:     {"preempts-who-waits", "yield", "who has a row with low priority, and waits for another, makes way for high"},
	LowGivesWay:          {"low-gives-way", "yield", "low priority makes way for high before its vote"},
	VotesBeside:          {"votes-beside", "yield", "a vote of high priority rests on the abort of low that should have made way elsewhere"},
	ConditionFails:       {"condition-fails", "shard", "a vote is lost that rests on the abort of one that has committed"},
	EndsBeside:           {"ends-beside", "shard", "a commit that rests on the abort of others is their abort in its log"},
	ForwardedKeepsPlace:  {"forwarded-keeps-place", "yield", "nobody goes before one whose read was forwarded"},
	HighWaits:            {"high-waits", "yield", "a vote of high priority waits for its rows, whole, in the order of stamps"},
	WaiterFirst:          {"waiter-first", "yield", "nobody takes rows for which one waits that goes before it"},

	LeaseReaches: {"lease-reaches", "yield", "what has changed since it was read stands if its lease reaches the commit's timestamp"},
	LeaseLocked:  {"lease-locked", "yield", "no lease is renewed over what another has locked"},
	LeaseOfTerm:  {"lease-of-term", "yield", "a lease is good in the term of the leader that gave it"},
	AboveLeases:  {"above-leases", "yield", "a write's timestamp is above the leases of its row, and no commit is before what guards it"},

	RevealedByAll:   {"revealed-by-all", "reveal", "what several shards of one region vote on is revealed when all have validated it, before it is logged"},
	OlderThanEngine: {"older-than-engine", "reveal", "a write older than what the engine has of the row is not revealed: the newest of several readings wins"},
	AllWriters:      {"all-writers", "reveal", "an answer waits for all of the undecided writers that it has read"},
	TakenBack:       {"taken-back", "reveal", "what was revealed of an attempt that aborts is taken back"},
	AppliedStays:    {"applied-stays", "reveal", "an applied row stays revealed while an older one is"},

	JointAcks:                {"joint-acks", "decide", "in a change of members a vote counts when both majorities have it"},
	EntryOfTerm:              {"entry-of-term", "decide", "a replica acknowledges entries of its own term alone"},
	OpenYes:                  {"open-yes", "decide", "a Yes counts only when the writers that it depends on have committed"},
	LargestArrivalTime:       {"largest-stamp", "decide", "a commit has the largest of the timestamps that were proposed"},
	NoAfterYes:               {"no-after-yes", "decide", "one No aborts an attempt, whoever else has voted Yes"},
	LogWithoutVote:           {"log-without-vote", "decide", "a log without a vote, fenced off, aborts"},
	SilenceAsksLogs:          {"silence-asks-logs", "decide", "silence does not abort: the logs are asked"},
	ForetoldCommit:           {"foretold-commit", "decide", "a single participant's Yes that awaits its decision is told it"},
	DoomedYes:                {"doomed-yes", "decide", "a Yes that has read what was undone aborts"},
	TwoViews:                 {"two-views", "decide", "opinions of two views do not add up"},
	OneProposal:              {"one-proposal", "decide", "in one view a coordinator proposes one thing"},
	NoHeeded:                 {"no-heeded", "decide", "the slow path does not propose Yes against a No"},
	LeaderInFastPath:         {"leader-in-fast-path", "decide", "there is no fast path without the leader"},
	AgreedByAll:              {"agreed-by-all", "decide", "a commit is proposed to nobody before every participant has a majority for it"},
	AcceptedFirst:            {"accepted-first", "decide", "what majorities have voted for counts when majorities have taken it in"},
	LoggedFirst:              {"logged-first", "decide", "where decisions are logged nobody is told before"},
	DataFirst:                {"data-first", "decide", "a declared transaction commits when its writes are logged, whoever has voted before"},
	AskedTwice:               {"asked-twice", "decide", "an open Yes over versions counts when it is given again, after all have prepared"},
	PriorityAbortedElsewhere: {"made-way-elsewhere", "decide", "a vote that rests on the abort of others counts when shards tell that they made way"},

	BesideOpen:     {"beside-open", "replica", "no Yes is taken in beside an undecided one with which it clashes"},
	OldView:        {"old-view", "replica", "what is proposed in an older view is not taken in"},
	LeftView:       {"left-view", "replica", "who has left its view takes part in nothing until the next begins"},
	MajorityBegins: {"majority-begins", "replica", "a view begins with the records of a majority"},
	FastPathKept:   {"fast-path-kept", "replica", "what may have been a fast path stays so in the next view"},
	AcceptedKept:   {"accepted-kept", "replica", "what was accepted in the last view stays so"},
	OldRecords:     {"old-records", "replica", "records of the last view alone tell of open attempts"},
	SlowMajority:   {"slow-majority", "replica", "the slow path takes a majority"},
	Overtaken:      {"overtaken", "replica", "what a later commit has overtaken is no fast path"},
	BelowCommitted: {"below-committed", "replica", "nothing is called OK below what is committed"},
	ReaderWaits:    {"reader-waits", "replica", "a read waits for the end of who is about to write its row"},

	TwoVersions:     {"two-versions", "coordinator", "a transaction that has read two versions of a row has lost"},
	LocksOfTerm:     {"locks-of-term", "coordinator", "a transaction has lost whose locks were granted by two leaders of a shard"},
	AnotherVersion:  {"another-version", "coordinator", "what is written otherwise than it was passed on gets another version"},
	ReservesLate:    {"reserves-late", "coordinator", "who comes to touch a second region reserves what it has read before"},
	LocksFirst:      {"locks-first", "coordinator", "who has lost again and again takes its locks before it asks for votes"},
	WarmAtLeader:    {"warm-at-leader", "coordinator", "what is updated often is read at its leader"},
	ReadsStand:      {"reads-stand", "source", "what was read over versions and has changed when all have prepared is refused"},
	SaidOnce:        {"said-once", "source", "who has said that what it has read stands says so again, and does not look"},
	DataBesideVotes: {"data-beside-votes", "coordinator", "what a declared transaction writes is logged while votes are on their way"},
	ForwardedReads:  {"forwarded-reads", "coordinator", "a read that waits for another is answered where that one has committed"},
}

// All lists the rules in their order.
func All() []Rule {
	out := make([]Rule, rules)
	for i := range out {
		out[i] = Rule(i)
	}
	return out
}

// Name is short, of lower-case words with dashes between them.
func (r Rule) Name() string { return book[r].name }

// Package is where the rule stands.
func (r Rule) Package() string { return book[r].in }

// String is what the rule says, in a sentence.
func (r Rule) String() string { return book[r].text }
