package lab

import (
	"fmt"
	"math"
	"time"

	"isochron/coverage"
	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/reveal"
	"isochron/routing"
	"isochron/sim"
	"isochron/txn"
	"isochron/workload"
)

// Experiment is one experiment. Defaults returns one to begin with.
type Experiment struct {
	Protocol string // a protocol of protocol.Table
	// ReadOnly, if set, replaces that choice of the protocol, see protocol.ReadOnly.
	ReadOnly string
	// Reveal, if set, replaces the protocol's choice when writes are revealed: an ablation.
	Reveal   reveal.Policy
	Workload string // a name of workload.MixNames
	WAN      string // in the form that geo.Parse reads
	Shards   int    // shard i is led from region i modulo their number
	Replicas int    // of each shard: its leader's region and those nearest to it; 0: all regions
	// Holders, if set, are the regions that hold shards, in place of the nearest: see parseHolders.
	Holders string
	Clients int // closed loop: their number, spread evenly over the regions
	Rate    float64
	// Rate, if not 0, makes it an open loop: transactions begin at this rate a second, at random,
	// spread evenly over the regions. Clients is ignored.
	Keys   int           // rows of the workload; 0: its default
	Zipf   float64       // skew of their choice; 0 is uniform
	Length int           // operations of a transaction of micro, statements of sysbench; 0: its default
	Spread int           // shards that a transaction of micro touches; 0: its default
	Draw   workload.Draw // how rows are drawn from Zipf's distribution; none: exactly
	// Warehouses of tpcc on each shard; 0: its default.
	Warehouses int
	Homes      workload.Homes // the warehouse in which a transaction begins; none: the client's own
	// OneByOne makes a transaction read its rows one after the other where it could read them in
	// one round: the client of D2PC's public prototype.
	OneByOne bool
	// NearAsIs makes near reads return what a replica has committed, even if it knows of an
	// undecided write on the row, or the gateway has just committed one: implied by D2PC's paper,
	// which does not discuss it (section 4.6). Ours read at the leader then, because such a read is
	// seldom valid at the commit.
	NearAsIs bool
	// AbortsLikeCommits makes aborted transactions cost more, see txn.Params.
	AbortsLikeCommits bool
	// CountBegun measures the transactions that begin in the measured time, to their end, and not
	// the ones that end in it: as Natto's public prototype. The load continues for Warmup after it.
	CountBegun bool
	// FreshAge gives each try its own age instead of the first try's: the client of Natto's public
	// prototype for its protocols of 2PL (spanner/client.go, Begin).
	FreshAge bool
	// ReadsUnwaited and EndsNotedFirst are TAPIR's to the letter, see txn.Params.
	ReadsUnwaited, EndsNotedFirst bool
	// High is the fraction of transactions with high priority, HighClass a class that always has
	// it, and Declares runs as 2FI transactions those whose workload can (workload.Job.Declares).
	High      float64
	HighClass string
	FixedSet  bool
	// Sources are external databases, a letter for each region of the map: m is a MySQL, p a
	// PostgreSQL, - none. The rows of the workload are in them. Empty: there are none.
	Sources     string
	Distributed float64          // the fraction of transactions over Spread of the Sources (2), and not at one
	Central     workload.Central // the source of the others; none: any, with equal odds
	Rounds      int              // packets in which one of these sends its statements; 0: one
	// StartTrips and EndTrips send XA START and XA END separately, see xatrips.go.
	StartTrips, EndTrips bool
	// A database's own costs: of a statement (0: as sim.Databases has it), and of making a prepare
	// or a commit durable (0: Fsync). AgentRTT is between it and its agent (0: as there).
	SourceWork, SourceSync, AgentRTT time.Duration
	// Forecast changes the forecasts of gateways and their use; zero fields: a node's default.
	Forecast txn.Forecasts

	ReadShare float64 // statements of sysbench, hotspot and ycsb-sources that only read
	Rollback  float64 // transactions of these and of fit that their client rolls back at the end
	Hot       int     // hot rows, see workload.MixConfig; 0: the workload's default
	// Spikes are added to an open loop's rate: see parseSpikes.
	Spikes string

	HotOff     bool // hot rows are handled like others: see routing.HotRows
	HotWaiters int  // more waiters than this make a row hot; 0: a node's default
	GroupSize  int  // of hot rows; 0: a node's default
	// Sequence, if not 0, is the batch size of a sequencer before the database, see sequencer.go;
	// each transaction is sent as a whole.
	Sequence int
	// HotFrom, if not 0, is when in the measured time an operator enables the handling of hot rows.
	HotFrom time.Duration
	// GrowFrom, if not 0, is when in the measured time an operator sets the group size to GrowTo.
	GrowFrom time.Duration
	GrowTo   int

	// ClientRegions is the number of regions, the first of the map, with clients; 0: all.
	ClientRegions int
	// ClientsAt names the regions that have clients, separated by commas; empty: see ClientRegions.
	ClientsAt string
	ClientRTT time.Duration // between a client and its gateway

	// Coordinators is the number of nodes of each region beside the one that holds the shards:
	// clients are at these, and only these co-coordinate. 0: the one does all.
	Coordinators     int
	CoordinatorCPU   time.Duration // CPU for the coordinators
	CoordinatorCores int           // of each
	// DeadCoCoordinators is the number of regions, the last of the map, without a co-coordinator:
	// see coordinator.Config.
	DeadCoCoordinators int

	// Delays are the changes of delays between regions in the measured time: see parseChanges.
	Delays string
	// Skews are the changes of Zipf in the measured time, for workloads whose rows are not loaded:
	// see parseSkews.
	Skews string
	// Warmth changes how gateways read by temperature; zero fields: a node's default.
	Warmth txn.Warmth
	Jitter float64       // Pareto: a delay's deviation over its mean; 0 is none
	Netem  bool          // Jitter is the distribution that Linux's netem calls pareto (sim.NewNetemPareto)
	Loss   float64       // the fraction of lost messages
	TCP    bool          // Loss is of segments, which TCP sends again: messages are late, and not lost
	Skew   time.Duration // largest error of wall clocks
	CPU    time.Duration // of a message at its receiver, and of a request at its gateway
	// RequestCPU is the cost of a client's request (a read, a commit) at its gateway; 0: CPU.
	RequestCPU   time.Duration
	CommitCPU    time.Duration // the same of a commit that writes; 0: RequestCPU
	StatementCPU time.Duration // of a statement in addition to its request, before it
	StoreCPU     time.Duration // of a commit with writes in addition to its request, during it
	Loop         bool          // a node processes messages and requests one at a time, whatever its cores, see sim.Hardware
	LockCPU      time.Duration // with Loop: of a lock that is granted or released
	StepCPU      time.Duration // with Loop: of a step of a walk over the wait graph
	PageCPU      time.Duration // with Loop: of a lock granted or released, for each waiter of its row, see lockmanager.go
	ListCPU      time.Duration // of a statement that only reads, for each transaction that has written
	Cores        int           // of each node
	Fsync        time.Duration // of one sync
	SyncEach     bool          // each commit has its own sync: no group commit
	LockWait     time.Duration // bound of a lock wait; 0: a node's default
	ProbeEvery   time.Duration // interval of delay measurements between nodes; 0: a node's default
	ResendAfter  time.Duration // unanswered messages are sent again after it; 0: a node's default
	// ElectionTimeout is the time after which a replica that receives nothing from its leader
	// starts an election; 0: a node's default. Heartbeats are as frequent as ever.
	ElectionTimeout time.Duration
	Faults          string // in the form that sim.ParseFaults reads
	// AdmissionOff: conflicting tries are not bounded by the rate of aborts, see yield.Admission. A
	// protocol's own forecast of a transaction still delays it.
	AdmissionOff bool
	// NeverSure: a transaction that was aborted several times reads as in its first try, where ours
	// locks from then on in protocols that validate (txn.Params.LockAfterTries): as in the papers
	// of such protocols.
	NeverSure bool

	Client   Manner        // what a client does when its transaction is aborted; none: Forever
	Tries    int           // bound for one transaction, of a client that is Forever
	Backoff  time.Duration // before the second try, on average; doubles five times at most
	Warmup   time.Duration // not measured
	Duration time.Duration // measured
	Seed     uint64
	// Series, if not 0, is the length of the pieces in which the measured time is reported as well.
	Series time.Duration
	Check  int // tries whose reads and writes are recorded and checked, from the first on
	// PendingMax bounds the queued messages and timers: an overloaded protocol, whose clients retry
	// immediately, has ever more of them, and they have taken 20 GB. 0: the constant PendingMax.
	PendingMax int
	// CountRules counts how often each rule of the core is hit (Result.Rules).
	CountRules bool

	mix  workload.Mix      // of tests; nil: Workload's
	bugs node.InjectedBugs // of tests
}

// The bounds of an experiment.
const (
	clientsMax  = 100_000
	rateMax     = 1_000_000
	shardsMax   = 255
	coresMax    = 1024
	costMax     = 10 * time.Second // of a message or a sync
	durationMax = 24 * time.Hour
	checkMax    = 1_000_000
	triesMax    = 1_000_000
	pendingMost = 100_000_000
	zipfMost    = 10

	coordinatorsMax = 16
	warehousesMax   = 1000
	piecesMax       = 10_000
)

// PendingMax is the default bound of queued messages and timers: experiments that are not
// overloaded have some ten thousand.
const PendingMax = 2_000_000

// Defaults returns the standard experiment of the D2PC paper's section 5, under a protocol that the
// table always has.
func Defaults() Experiment {
	return Experiment{
		Protocol: "2pc+occ", Workload: "retwis", WAN: "alibaba3", Shards: 3, Replicas: 0,
		Clients: 150, Zipf: 0.7, ReadShare: 0.5,
		CPU: MessageCPU, Cores: Cores, Fsync: Fsync, Faults: "none", CoordinatorCPU: MessageCPU, CoordinatorCores: Cores,
		Tries: 100, Warmup: 10 * time.Second, Duration: 60 * time.Second, Seed: 1, Check: 20_000,
	}
}

// SpecError is an error in an Experiment, in one line.
type SpecError struct{ error }

// Validate returns nil or a SpecError. Run validates too.
func (s Experiment) Validate() error {
	_, err := s.resolve()
	return err
}

// resolved is an Experiment with its names resolved.
type resolved struct {
	Experiment
	spec   protocol.Spec
	wan    geo.WAN
	faults sim.Faults
	pareto sim.Pareto
	spikes []spike
	// changes are those of Delays.
	changes []change
	// skews are those of Skews.
	skews []skewing
	// clientsAt are the map indices of the regions in ClientsAt.
	clientsAt []int
	// held maps a leader's region to the regions that hold its shards: Holders.
	held map[int][]int
	// rules are the counts of CountRules, or nil.
	rules *coverage.Counts
}

func (s Experiment) resolve() (r resolved, err error) {
	defer func() {
		if err != nil {
			err = SpecError{err}
		}
	}()
	r = resolved{Experiment: s}
	if s.CountRules {
		r.rules = new(coverage.Counts)
	}
	if r.spec, err = protocol.ByName(s.Protocol); err != nil {
		return r, err
	}
	if s.ReadOnly != "" {
		if r.spec.ReadOnly, err = protocol.ParseReadOnly(s.ReadOnly); err != nil {
			return r, err
		}
		if err = r.spec.Check(); err != nil {
			return r, err
		}
	}
	if s.Reveal != reveal.Unset {
		r.spec.Reveal = s.Reveal
		if err = r.spec.Check(); err != nil {
			return r, err
		}
	}
	if r.wan, err = geo.Parse(s.WAN); err != nil {
		return r, err
	}
	if r.faults, err = sim.ParseFaults(s.Faults); err != nil {
		return r, err
	}
	if r.spikes, err = parseSpikes(s.Spikes); err != nil {
		return r, err
	}
	if r.changes, err = parseChanges(s.Delays, len(r.wan.Regions)); err != nil {
		return r, err
	}
	if r.held, err = parseHolders(s.Holders, r.wan.Regions, s.Replicas); err != nil {
		return r, err
	}
	if err = s.checkNumbers(len(r.wan.Regions)); err != nil {
		return r, err
	}
	if err = s.Client.check(); err != nil {
		return r, err
	}
	if err = r.checkPlaces(); err != nil {
		return r, err
	}
	r.Tries = s.Client.tries(s.Tries)
	if r.Replicas == 0 {
		r.Replicas = len(r.wan.Regions)
	}
	law := sim.NewPareto
	if s.Netem {
		law = sim.NewNetemPareto
	}
	if r.pareto, err = law(int64(math.Round(s.Jitter * 1e6))); err != nil {
		return r, err
	}
	if r.skews, err = s.parseSkews(); err != nil {
		return r, err
	}
	if r.mix == nil {
		r.mix, err = workload.NewMix(s.Workload, r.mixConfig())
	}
	return r, err
}

// mixConfig returns the workload's part of the experiment.
func (s Experiment) mixConfig() workload.MixConfig {
	milli := func(v float64) int { return int(math.Round(v * 1000)) }
	return workload.MixConfig{Parts: s.Shards, Keys: s.Keys, ZipfMilli: milli(s.Zipf), Length: s.Length, Spread: s.Spread, Warehouses: s.Warehouses, Draw: s.Draw, Homes: s.Homes,
		ReadsMilli: milli(s.ReadShare), RollbackMilli: milli(s.Rollback), Hot: s.Hot,
		Sources: s.sourceIDs(), SourcesAt: s.sourceRegions(), DistributedMilli: milli(s.Distributed), Central: s.Central, Rounds: s.Rounds}
}

// checkNumbers checks every number against its bounds.
func (s Experiment) checkNumbers(regions int) error {
	for _, b := range []struct {
		what           string
		got, low, high float64
	}{
		{"the number of shards", float64(s.Shards), 1, shardsMax},
		{"the number of replicas of a shard", float64(s.Replicas), 0, float64(regions)},
		{"the number of clients", float64(s.Clients), 1, clientsMax},
		{"the rate of transactions a second", s.Rate, 0, rateMax},
		{"the number of keys", float64(s.Keys), 0, math.MaxInt32},
		{"zipf", s.Zipf, 0, zipfMost},
		{"the length of a transaction", float64(s.Length), 0, math.MaxInt32},
		{"the number of shards that a transaction touches", float64(s.Spread), 0, shardsMax},
		{"the number of warehouses on a shard", float64(s.Warehouses), 0, warehousesMax},
		{"the share of statements that read", s.ReadShare, 0, 1},
		{"the share of transactions of high priority", s.High, 0, 1},
		{"the share of transactions that are rolled back", s.Rollback, 0, 1},
		{"the share of transactions at several sources", s.Distributed, 0, 1},
		{"the number of rounds of a transaction", float64(s.Rounds), 0, math.MaxInt32},
		{"the number of hot rows", float64(s.Hot), 0, math.MaxInt32},
		{"the number of waiters of a hot row", float64(s.HotWaiters), 0, routing.HotRowsMost},
		{"the size to which groups grow", float64(s.GrowTo), 0, routing.HotRowsMost},
		{"the size of a sequencer's batch", float64(s.Sequence), 0, clientsMax},
		{"the size of a group", float64(s.GroupSize), 0, routing.HotRowsMost},
		{"the number of regions with clients", float64(s.ClientRegions), 0, float64(regions)},
		{"the number of coordinators in a region", float64(s.Coordinators), 0, coordinatorsMax},
		{"the number of cores of a coordinator", float64(s.CoordinatorCores), 0, coresMax},
		{"the number of regions whose co-coordinator is dead", float64(s.DeadCoCoordinators), 0, float64(regions)},
		{"the jitter, as a ratio of deviation to mean,", s.Jitter, 0, sim.ParetoRatioMax},
		{"the part of messages that is lost", s.Loss, 0, 0.5},
		{"the number of cores", float64(s.Cores), 1, coresMax},
		{"the number of tries", float64(s.Tries), 1, triesMax},
		{"the number of tries to check", float64(s.Check), 0, checkMax},
		{"the number of messages and timers that may wait", float64(s.PendingMax), 0, pendingMost},
	} {
		if !(b.got >= b.low && b.got <= b.high) { // NaN is refused, too
			return fmt.Errorf("%s is %v; it must lie between %v and %v", b.what, b.got, b.low, b.high)
		}
	}
	return s.checkTimes()
}

func (s Experiment) checkTimes() error {
	for _, b := range []struct {
		what           string
		got, low, high time.Duration
	}{
		{"the clock skew", s.Skew, 0, time.Hour},
		{"the CPU time of a message", s.CPU, 0, costMax},
		{"the CPU time of a message at a coordinator", s.CoordinatorCPU, 0, costMax},
		{"the time of a sync", s.Fsync, 0, costMax},
		{"the CPU time of a request", s.RequestCPU, 0, costMax},
		{"the time of a source's statement", s.SourceWork, 0, costMax},
		{"the time of a source's sync", s.SourceSync, 0, costMax},
		{"the round trip between an agent and its source", s.AgentRTT, 0, costMax},
		{"the CPU time of a statement", s.StatementCPU, 0, costMax},
		{"the CPU time of a commit", s.CommitCPU, 0, costMax},
		{"the CPU time of a commit beside its request", s.StoreCPU, 0, costMax},
		{"the CPU time of a lock", s.LockCPU, 0, costMax},
		{"the CPU time of a step of the wait graph", s.StepCPU, 0, costMax},
		{"the CPU time of a page of locks", s.PageCPU, 0, costMax},
		{"the CPU time of the list of writers", s.ListCPU, 0, costMax},
		{"the round trip of a client", s.ClientRTT, 0, costMax},
		{"the wait for a lock", s.LockWait, 0, time.Hour},
		{"the time between two probes", s.ProbeEvery, 0, 5 * time.Second},
		{"the time after which unanswered messages are sent again", s.ResendAfter, 0, time.Hour},
		{"the election timeout", s.ElectionTimeout, 0, time.Hour},
		{"the time from which rows are hot", s.HotFrom, 0, durationMax},
		{"the time from which groups are larger", s.GrowFrom, 0, durationMax},
		{"the backoff", s.Backoff, 0, time.Minute},
		{"the warm-up", s.Warmup, 0, durationMax},
		{"the duration", s.Duration, time.Millisecond, durationMax},
	} {
		if b.got < b.low || b.got > b.high {
			return fmt.Errorf("%s is %v; it must lie between %v and %v", b.what, b.got, b.low, b.high)
		}
	}
	if s.Series < 0 || s.Series > 0 && s.Duration/s.Series > piecesMax {
		return fmt.Errorf("%v cannot be reported in pieces of %v; use at most %d pieces", s.Duration, s.Series, piecesMax)
	}
	return nil
}
