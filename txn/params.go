package txn

import (
	"time"

	"isochron/coverage"
	"isochron/geo"
)

// Params are the bounds and intervals of a node. Zero fields get the defaults named here.
type Params struct {
	TickInterval      time.Duration // 10 ms
	HeartbeatInterval time.Duration // 150 ms
	ElectionTimeout   time.Duration // 1.5 s; must exceed twice the largest round trip
	LockWait          time.Duration // 5 s: bound of a lock wait
	// DetectAfter: a transaction that another has waited for so long may be part of a deadlock over
	// several shards, and detection starts; default: the widest round trip and 50 ms. Waits that
	// end by themselves should be shorter.
	DetectAfter time.Duration
	// SourceWaits: a request that has waited for so long at an external database may be part of a
	// deadlock over several sources, or sources and shards, and detection starts (package source); 0:
	// off, and LockWait ends such a deadlock. Clusters in real time default to SourceWaitsLive.
	SourceWaits      time.Duration
	CommitWait       time.Duration // 20 s: then the client gets "unknown"
	ResendAfter      time.Duration // 0.7 s: an unanswered request is sent again; must exceed the largest round trip and a majority's
	RecoverAfter     time.Duration // 4 s: an attempt undecided for so long is finished by another node
	StatusQueryAfter time.Duration // 3 s: the coordinator of locks held for so long is queried
	// ProbeEvery is the interval of delay measurements to other nodes; 1 s, at most 5 s, and 10 ms under
	// protocols that send arrival times, as in Natto's paper (protocol.Spec.WithProbing). Nodes report
	// to each other after every fifth measurement, under those protocols every 100 ms
	// (estimate.ProbingOf): whatever uses delays follows them no faster.
	ProbeEvery time.Duration
	// GatewayLease: a gateway that has not answered a leader for so long is considered dead, as far
	// as its transactions have not voted there; one and a half times ElectionTimeout.
	GatewayLease time.Duration
	KeepVersions time.Duration // 10 min: older versions, except the newest of a row, are collected
	LogEntries   uint64        // 2048: log entries kept in memory for lagging replicas; replicas further behind get a snapshot
	AppendBytes  uint64        // 1 MiB: of log entries in one message to a follower, and of the commands in one entry
	HotWaiters   int           // 32: more waiters make a row hot; fewer, at least two, if each holds it long (yield.HotRowConfig)
	BatchSize    int           // 64: prepares validated together, where the protocol gathers them; sooner if no other is pending, and at the next tick
	// LockAfterTries: after so many lost tries the reads of optimistic protocols lock, and writes
	// are locked before the prepare; 3. Below 0: never.
	LockAfterTries int
	// PromoteAfterTries: after so many lost tries a transaction has high priority, so that
	// high-priority transactions starve no other; 10. Below 0: never.
	PromoteAfterTries int
	// PreparesAgain: an attempt that aborted for a conflict is prepared again with the same reads,
	// at most so often, before its client is notified; 0. For experiments.
	PreparesAgain int
	// AbortsLikeCommits: a coordinator waits for all votes before it aborts, not only for the first
	// No; where a commit keeps its keys until the decision is logged, an abort does too; and where every
	// replica validates and the coordinator proposes, a majority accepts a No, unless all replicas
	// refuse alike: similar to Natto's public prototype. For experiments.
	AbortsLikeCommits bool
	// ReadsUnwaited: where every replica validates, a read returns the committed value and does not
	// wait for prepared writes, as in TAPIR's paper (SOSP'15, section 5). For experiments.
	ReadsUnwaited bool
	// EndsNotedFirst: where every replica validates, a majority of a participant's replicas records the
	// outcome of an attempt before any of them acts on it, as IR does for an inconsistent operation
	// (TAPIR's paper, section 3.2). For experiments.
	EndsNotedFirst bool
	// ArrivalMargin is added to the arrival times of 2FI transactions; 2 ms, below 0: nothing.
	ArrivalMargin time.Duration
	NearAsIs      bool // near reads ignore undecided writes and the gateway's own recent writes; for experiments
	GroupSize     int  // 10: transactions on a hot row that read uncommitted values of each other before the first has committed
	// Admission, see yield.Admission: whether it is off, and how long a try waits at
	// most (50 s; then it is refused).
	AdmissionOff  bool
	AdmissionWait time.Duration
	Forecast      Forecasts // for protocols that use statistics of hot records
	Warmth        Warmth    // for protocols that read by temperature
	// AnswerDecided: a client of sources is notified of its commit when the decision is logged, before
	// every participant knows it. A read at a source without a lock may miss the commit then.
	AnswerDecided bool
	// InjectedBugs are bugs injected by tests of the test suite; none in production.
	InjectedBugs InjectedBugs
	// Rules counts how often rules are hit, in fault runs and in experiments that request it; nil: no counts.
	Rules *coverage.Counts
}

// Forecasts are the settings of statistics of hot records (estimate.HotConfig) and of admission
// by them (yield.LateBounds), GeoTP section 4.3. Zero fields get the defaults given there.
type Forecasts struct {
	Records   int           // 65,536: kept at a gateway
	Bytes     int           // 16 MiB: memory of the records
	OldWeight float64       // 0.75: alpha of Eq. 4
	Scale     float64       // 0.25: of a forecast
	CountMax  int           // 32: counts are halved beyond it
	Sleep     time.Duration // 10 ms: of a transaction that is not admitted
	Again     int           // 10: admission checks after the first
	Alone     bool          // transactions at one place are checked too
}

// Warmth are the settings of reads by temperature, Bonspiel section 3.2 (the paper gives no values): see
// estimate.TemperatureConfig and estimate.ThresholdConfig. Zero fields get the defaults given
// there.
type Warmth struct {
	Records  int           // 65,536: kept at a node
	HalfLife time.Duration // 5 s: of the weight of an update
	// Threshold is the number of updates of a record per round trip to its leader, in millionths,
	// above which it is read at the leader, until the first try has ended; 1,000.
	Threshold    int64
	Fixed        bool          // the threshold is constant, as in the public prototype
	AbortPercent int           // 10: of tries; more lower the threshold
	Every        time.Duration // 1 s: least interval between changes
	Tries        int           // 20: ended tries between changes, at least
}

// InjectedBugs are bugs injected to prove that fault runs find them.
type InjectedBugs struct {
	SkipValidation     bool // a leader votes Yes without validation
	AckBeforeSync      bool // a replica acknowledges before its disk has synced
	ForgetFence        bool // a leader answers "no vote" without logging a fence
	IgnoreRangeChecks  bool // validation ignores ranges: phantoms
	ReleaseBeforeVotes bool // locks are released at the vote
	IgnoreUndecided    bool // a snapshot read does not wait for votes from before its read timestamp
	ForgetClosedTS     bool // a snapshot read does not log its timestamp as closed
	VoteOnAppend       bool // a leader sends its Yes when the entry is appended, before any disk has it
	ForgetVotes        bool // a new leader does not restore the locks of undecided votes
	EmptyReturns       bool // a node whose disk is lost returns empty under its old id

	ReleaseUntracked bool // values revealed before the decision are read without a dependency
	DropDependency   bool // a vote's dependencies are tracked, and their abort has no effect
	CountOldAcks     bool // acknowledgements count in any term of the replica, with or without the entry
	RevealAtOwnVote  bool // a leader reveals its writes without waiting for the votes of the others
	CommitOpen       bool // the vote of one shard is its commit although it depends on undecided writes

	SmallFastPath bool // the fast path needs one replica too few
	IgnoreAbort   bool // the slow path proposes Yes although there is a No

	SendUnaccepted bool // a commit that must be accepted first is sent after the votes

	KeepVersion               bool // a changed value keeps the version under which others have read it
	AnswerReadOnlyUncommitted bool // a read-only transaction that has read uncommitted values is validated by versions alone

	LeaseCountsLearners bool // a leader's lease counts followers without a vote

	SendBeforeLogged bool // a decision that must be logged first is sent immediately

	UntrackedRanges bool // reads of a range create no dependencies
	KeepOverwritten bool // the overwritten end of a log stays on the disk
	ForgetPromise   bool // a member that restarts may vote for another leader immediately, despite its promise
	TakeOldPrepares bool // a Prepare sent to a leader of another term is accepted

	ForgetTombstone   bool // a rolled-back branch of a source is begun when its start arrives later
	VoteBeforePrepare bool // an agent votes before its source has prepared
	AbortPrepared     bool // an agent rolls back a prepared branch when its gateway is silent
	TakeForeign       bool // recovery takes another cluster's prepared branch for its own
	UnfencedReads     bool // branches begin at a restarted source that has lost the read locks of others
	UncheckedReads    bool // an agent of a versioned source confirms reads without checking
	RollForward       bool // an agent of a versioned source rolls forward the prepared writes of an aborted transaction
	TrustNotFound     bool // an agent reports that a branch has ended when its source does not find it, although the source lists it

	UninitializedVotes bool // a member without data votes
	HalfAcks           bool // during a change of members the new majority alone makes a vote count
	ForgetMaxReadTS    bool // a new leader proposes timestamps below read timestamps that were already answered

	DecideUnlogged bool // a participant that decides by itself counts votes that are not on a majority's disks

	KeepReservation          bool // a transaction's reservation outlives it
	HandleEarly              bool // 2FI transactions are prepared before their arrival times
	ForgetLate               bool // a transaction received after its arrival time waits behind earlier ones
	QueueByReceipt           bool // prepares with about equal arrival times are processed in the order of receipt
	ForwardAborted           bool // a forwarded read is answered with writes that aborted
	CommitDespiteAssumptions bool // a conditional vote counts although an attempt whose abort it assumes has committed
	ForgetData               bool // a node that finishes another's transaction does not look for its writes

	RenewLockedLease bool // a lease is renewed over a row locked by another transaction
	WriteInsideLease bool // a write ignores the leases of its row

	SkipConfirmation bool // a cycle of waits that were seen one after the other is taken for a deadlock
	SwitchUndrained  bool // another protocol is entered without checking that the old one is drained
}

// Observer receives what people watch; every method is called from the node's loop and must
// return immediately. region is the region of the transaction's coordinator.
type Observer interface {
	// Span reports a contention span that ended at a shard: the time during which
	// the transaction could make another wait or abort there.
	Span(shard ShardID, region geo.Region, held time.Duration)
	// Event is one line of a trace: node and text. It is called only if Tracing.
	Event(node NodeID, what string)
	Tracing() bool
}

// SourceWaitsLive is the default of SourceWaits for clusters in real time.
const SourceWaitsLive = 100 * time.Millisecond

// Live fills in the defaults of clusters in real time that simulations do not have:
// SourceWaits. A value below 0 becomes 0: off.
func (p Params) Live() Params {
	if p.SourceWaits == 0 {
		p.SourceWaits = SourceWaitsLive
	}
	p.SourceWaits = max(p.SourceWaits, 0)
	return p
}

// WithDefaults fills in zero fields for a network whose round trips stay below
// a quarter of a second.
func (p Params) WithDefaults() Params { return p.WithDefaultsFor(0) }

// WithDefaultsFor fills in zero fields for the given widest round trip: a vote takes two
// of them, and a silent node must not be suspected earlier.
func (p Params) WithDefaultsFor(rttMax time.Duration) Params {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&p.TickInterval, 10*time.Millisecond)
	set(&p.ElectionTimeout, max(1500*time.Millisecond, 5*rttMax))
	set(&p.HeartbeatInterval, p.ElectionTimeout/10)
	set(&p.LockWait, 5*time.Second)
	set(&p.DetectAfter, rttMax+50*time.Millisecond)
	set(&p.ResendAfter, max(700*time.Millisecond, 3*rttMax))
	set(&p.CommitWait, max(20*time.Second, 20*p.ResendAfter))
	set(&p.RecoverAfter, max(4*time.Second, 5*p.ResendAfter))
	set(&p.StatusQueryAfter, max(3*time.Second, 4*p.ResendAfter))
	set(&p.ProbeEvery, time.Second)
	set(&p.ArrivalMargin, 2*time.Millisecond)
	set(&p.GatewayLease, p.ElectionTimeout+p.ElectionTimeout/2)
	set(&p.KeepVersions, 10*time.Minute)
	set(&p.AdmissionWait, 50*time.Second)
	if p.HotWaiters == 0 {
		p.HotWaiters = 32
	}
	if p.BatchSize == 0 {
		p.BatchSize = 64
	}
	if p.LockAfterTries == 0 {
		p.LockAfterTries = 3
	}
	if p.PromoteAfterTries == 0 {
		p.PromoteAfterTries = 10
	}
	if p.GroupSize == 0 {
		p.GroupSize = 10
	}
	if p.LogEntries == 0 {
		p.LogEntries = 2048
	}
	if p.AppendBytes == 0 {
		p.AppendBytes = 1 << 20
	}
	return p
}
