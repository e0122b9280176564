package txn

import (
	"time"

	"isochron/coverage"
	"isochron/geo"
)

// Params are the bounds and intervals of a node. Zero fields get defaults.
type Params struct {
	TickInterval      time.Duration // 10 ms
	HeartbeatInterval time.Duration // 150 ms
	ElectionTimeout   time.Duration // 1.5 s; must exceed twice the largest round trip
	LockWait          time.Duration // 5 s: bound of a wait for a lock
	// DetectAfter: somebody for whom another waits for so long may be in a deadlock over
	// several shards, and that is looked into; the widest round trip and 50 ms. Waits that
	// end by themselves should be shorter.
	DetectAfter time.Duration
	// SourceWaits: who has waited for so long at a database that is not ours may be in a deadlock over
	// several sources, or sources and shards, and that is looked into (yield/foreign.go); 0: nobody
	// looks, and such a deadlock ends by LockWait. A cluster of real time has SourceWaitsLive.
	SourceWaits      time.Duration
	CommitWait       time.Duration // 20 s: then the client is told "unknown"
	ResendAfter      time.Duration // 0.7 s: an unanswered request is sent again; must exceed the largest round trip and a majority's
	RecoverAfter     time.Duration // 4 s: an attempt undecided for so long is finished by others
	StatusQueryAfter time.Duration // 3 s: locks held for so long are asked after
	// ProbeEvery is how often the ways to other nodes are measured; 1 s, at most 5 s, and 10 ms under
	// rows that stamp what they send with its arrival, as in Natto's paper (protocol.Row.WithProbing).
	// A node is told after every fifth time, under those rows each 100 ms (estimate.ProbingOf): what
	// goes by delays follows them no faster.
	ProbeEvery time.Duration
	// GatewayLease: a gateway that has not answered a leader for so long has ended, as far
	// as its transactions have not voted there; one and a half times ElectionTimeout.
	GatewayLease time.Duration
	KeepVersions time.Duration // 10 min: older versions that are not the newest are collected
	LogEntries   uint64        // 2048: log entries kept in memory for replicas that lag; others get a snapshot
	AppendBytes  uint64        // 1 MiB: of log entries in one message to a follower, and of what is proposed in one entry
	HotWaiters   int           // 32: more waiters than that make a row hot; fewer do, two at least, where turns take long (yield.Bounds)
	BatchSize    int           // 64: prepares that are judged together, where a row gathers them; sooner if nobody else is on the way, and at the next tick
	// LockAfterTries: so many tries that lost, and the reads of optimistic rows lock, and
	// what is written is locked before it is voted on; 3. Below 0: never.
	LockAfterTries int
	// PromoteAfterTries: what has lost so many tries has high priority from then on, so that
	// those of high priority starve nobody; 10. Below 0: never.
	PromoteAfterTries int
	// PreparesAgain: an attempt that was aborted for a conflict is prepared again, as it was read,
	// so many times at most, before its client hears of it; 0. Of experiments.
	PreparesAgain int
	// AbortsLikeCommits: a coordinator hears all participants before it aborts, not the first No alone;
	// where a commit keeps its keys until the log has it an abort does so too; and where every replica
	// validates and the coordinator proposes, a majority takes in what is refused, unless all refuse it
	// alike: much as in Natto's public prototype. Of experiments.
	AbortsLikeCommits bool
	// ReadsUnwaited: where every replica validates, a read takes what is committed there and waits for
	// nobody who is about to write, as in TAPIR's paper (SOSP'15, section 5). Of experiments.
	ReadsUnwaited bool
	// EndsNotedFirst: where every replica validates, a majority of a participant's replicas notes how an
	// attempt ended before any of them acts on it, as IR has it of an inconsistent operation (TAPIR's
	// paper, section 3.2). Of experiments.
	EndsNotedFirst bool
	// ArrivalMargin is added to the stamps of declared transactions; 2 ms, below 0: nothing.
	ArrivalMargin time.Duration
	NearAsIs      bool // a near read heeds no undecided writes, nor what the gateway has just written; of experiments too
	GroupSize     int  // 10: transactions on a hot row that go on from each other before the first has committed
	// Of admission, see yield.Admission: whether there is none, how long a try waits at
	// most (50 s; then it is refused).
	AdmissionOff  bool
	AdmissionWait time.Duration
	Forecast      Forecasts // of rows that go by statistics of hot records
	Warmth        Warmth    // of rows that read by temperature
	// AnswerDecided: a client of sources hears of its commit when it is logged, and not when
	// every participant knows it. Whoever reads at a source without a lock may miss it then.
	AnswerDecided bool
	// InjectedBugs are planted on purpose in tests of the tests; none in production.
	InjectedBugs InjectedBugs
	// Rules counts where rules bite, in hunts and in experiments that ask for it; nil counts nothing.
	Rules *coverage.Counts
}

// Forecasts are the settings of statistics of hot records (estimate.HotConfig) and of admission
// by them (yield.LateBounds), GeoTP section 4.3. Zero fields get the defaults given there.
type Forecasts struct {
	Records   int           // 65,536: known at a gateway
	Bytes     int           // 16 MiB: that they take
	OldWeight float64       // 0.75: alpha of Eq. 4
	Scale     float64       // 0.25: of a forecast
	CountMax  int           // 32: counts are halved beyond it
	Sleep     time.Duration // 10 ms: of a transaction that is not let in
	Again     int           // 10: how often it is judged again
	Alone     bool          // transactions at one place are judged too
}

// Warmth are the settings of reads by temperature, Bonspiel section 3.2, which names none: see
// estimate.TemperatureConfig and estimate.ThresholdConfig. Zero fields get the defaults given
// there.
type Warmth struct {
	Records  int           // 65,536: known at a node
	HalfLife time.Duration // 5 s: of the weight of an update
	// Threshold is how many updates of a record in a round trip to its leader, in millionths,
	// have it be read there, as long as no try has ended; 1,000.
	Threshold    int64
	Fixed        bool          // it stays so, as in the public prototype
	AbortPercent int           // 10: of tries; more lower the threshold
	Every        time.Duration // 1 s: how often it moves at most
	Tries        int           // 20: that must have ended meanwhile
}

// InjectedBugs are faults planted to prove that the hunts find them.
type InjectedBugs struct {
	SkipValidation     bool // a leader votes Yes without looking
	AckBeforeSync      bool // a replica answers before its disk did
	ForgetFence        bool // a leader answers "no vote" without logging a fence
	IgnoreRangeChecks  bool // validation leaves ranges out: phantoms
	ReleaseBeforeVotes bool // locks are released at the vote
	IgnoreUndecided    bool // a read at a moment does not wait for votes from before it
	ForgetClosedTS     bool // a read at a moment does not log that nothing comes before it any more
	VoteOnAppend       bool // a leader tells of its Yes when it is appended, before any disk has it
	ForgetVotes        bool // a new leader does not hold what undecided votes had locked
	EmptyReturns       bool // a node whose disk is lost comes back empty under its old name

	ReleaseUntracked bool // what is revealed before it is decided is read without a dependency
	DropDependency   bool // a vote's dependencies are tracked, and their abort changes nothing
	CountOldAcks     bool // acknowledgements count whatever the term of the replica, entry or not
	RevealAtOwnVote  bool // a leader reveals what it votes on without waiting for the votes of the others
	CommitOpen       bool // the vote of one shard is its commit though it rests on undecided writes

	SmallFastPath bool // one replica too few makes a fast path
	IgnoreAbort   bool // the slow path proposes Yes though there is a No

	SendUnaccepted bool // a commit that is to be accepted first is told once it is voted for

	KeepVersion               bool // a value that is changed keeps the version under which others have read it
	AnswerReadOnlyUncommitted bool // who has read what is not committed, and writes nothing, is answered by versions alone

	LeaseCountsLearners bool // a leader's lease rests on followers without a vote as well

	SendBeforeLogged bool // a decision that is to be logged first is told at once

	UntrackedRanges bool // of what a range held, nothing is a dependency
	KeepOverwritten bool // the end of a log that was overwritten stays on the disk
	ForgetPromise   bool // a member that restarts may elect somebody at once, whatever it has promised
	TakeOldPrepares bool // a Prepare that was sent to a leader of another term is taken

	ForgetTombstone   bool // what a source was told to roll back is begun when its start comes after all
	VoteBeforePrepare bool // an agent votes before its source has prepared
	AbortPrepared     bool // an agent rolls back what is prepared when its gateway is silent
	TakeForeign       bool // recovery takes what another cluster has prepared for its own
	UnfencedReads     bool // branches begin at a source that has started anew beside what has lost its read locks
	UncheckedReads    bool // an agent over versions says that what was read still stands without looking
	RollForward       bool // an agent over versions rolls forward what an aborted transaction has prepared
	TrustNotFound     bool // an agent says that a branch has ended when its source does not find it, though it lists it

	UninitializedVotes bool // a member that has nothing yet gives its vote
	HalfAcks           bool // in a change of members the new majority alone makes a vote count
	ForgetMaxReadTS    bool // a new leader proposes below moments that others have answered

	DecideUnlogged bool // a participant that decides for itself counts votes whatever a majority has on its disks

	KeepReservation          bool // what a transaction has reserved outlives it
	HandleEarly              bool // declared transactions are voted on before their stamps have passed
	ForgetLate               bool // who comes after its stamp waits behind those that went before it
	QueueByReceipt           bool // of votes whose stamps are about equal whoever has come first is asked for first
	ForwardAborted           bool // a read that was forwarded is answered with writes that have aborted
	CommitDespiteAssumptions bool // a vote that rests on the abort of others counts whatever becomes of them
	ForgetData               bool // who finishes the work of another does not look for what it writes

	RenewLockedLease bool // a lease is renewed over a row that another has locked
	WriteInsideLease bool // a write heeds no leases of its row

	SkipConfirmation bool // a cycle of waits that were seen one after the other is taken for a deadlock
	SwitchUndrained  bool // another protocol is entered without a look at what the old one has not ended
}

// Observer is told what a person wants to see; every method is called from the
// node's loop and must return at once. region is that of the transaction's coordinator.
type Observer interface {
	// Span reports a contention span that ended at a shard: from the first
	// instant at which the transaction could make another wait or abort there, to the last.
	Span(shard ShardID, region geo.Region, held time.Duration)
	// Event is one line of a trace: who, what. It is called only if Tracing.
	Event(node NodeID, what string)
	Tracing() bool
}

// SourceWaitsLive is SourceWaits of a cluster of real time that was told nothing else.
const SourceWaitsLive = 100 * time.Millisecond

// Live fills in what a cluster of real time has and the laboratory has not, unless it was asked for:
// SourceWaits; below 0, it is off.
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

// WithDefaultsFor fills in zero fields so that they fit the widest round trip: a
// vote takes two of them, and silence must not be found out sooner than it is.
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
