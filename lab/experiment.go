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

// Experiment is one experiment. Defaults gives one to begin with.
type Experiment struct {
	Protocol string // a row of protocol.Table
	// ReadOnly, if set, changes that column of the row, see protocol.ReadOnly.
	ReadOnly string
	// Reveal, if set, is another choice of the row's when writes are revealed: an ablation.
	Reveal   reveal.Policy
	Workload string // a name of workload.MixNames
	WAN      string // what geo.Parse reads
	Shards   int    // shard i is led from region i, counted round and round
	Replicas int    // of each shard: its leader's region and those nearest to it; 0: all regions
	// Holders, if set, are the regions that hold shards, in place of the nearest: what parseHolders reads.
	Holders string
	Clients int // closed loop: so many, spread evenly over the regions
	Rate    float64
	// Rate, if not 0, makes it an open loop: transactions begin at this rate a
	// second, at random, spread evenly over the regions. Clients is not heeded.
	Keys   int           // rows of the workload; 0: its default
	Zipf   float64       // how unevenly they are chosen; 0 is evenly
	Length int           // operations of a transaction of micro, statements of sysbench; 0: its default
	Spread int           // shards that a transaction of micro touches; 0: its default
	Draw   workload.Draw // how rows are drawn from Zipf's distribution; none: exactly
	// Warehouses of tpcc on each shard; 0: its default.
	Warehouses int
	Homes      workload.Homes // in which of them a transaction begins; none: the client's own
	// OneByOne has a transaction read its rows one after the other where it could ask for all
	// at once: the client of D2PC's public prototype.
	OneByOne bool
	// NearAsIs has who reads near take what a replica has committed, whether or not it knows of an
	// undecided write on the row, and whether or not its gateway has just committed one: what D2PC's
	// paper implies, that says nothing of it (section 4.6). Ours goes to the leader then, because
	// such a read is seldom good at the commit.
	NearAsIs bool
	// AbortsLikeCommits has what is lost cost more, as txn.Params says.
	AbortsLikeCommits bool
	// CountBegun measures what begins in the measured time, to its end, and not what ends in it: as
	// the public prototype of Natto. The load goes on for Warmup after it.
	CountBegun bool
	// FreshAge has each try be as old as itself, and not as its first: the client of Natto's public
	// prototype for its rows of 2PL (spanner/client.go, Begin).
	FreshAge bool
	// ReadsUnwaited and EndsNotedFirst are TAPIR's to the letter, as txn.Params says.
	ReadsUnwaited, EndsNotedFirst bool
	// High is the part of the transactions that have high priority, HighClass a class of which all
	// have it, and Declares has those declared whole whose workload can (workload.Job.Declares).
	High      float64
	HighClass string
	FixedSet  bool
	// Sources are databases that are not ours, a letter for each region of the map: m is a MySQL,
	// p a PostgreSQL, - none. The rows of the workload are in them. Empty: there are none.
	Sources     string
	Distributed float64          // transactions over Sources at Spread of them (2), and not at one
	Central     workload.Central // where those at one source are; none: at any, each as often
	Rounds      int              // packets in which one of these sends its statements; 0: one
	// StartTrips and EndTrips have XA START and XA END be sent by themselves, see xatrips.go.
	StartTrips, EndTrips bool
	// A database's own costs: of a statement (0: as sim.Databases has it), and of making a prepare
	// or a commit durable (0: Fsync). Between it and its agent there is AgentRTT (0: as there).
	SourceWork, SourceSync, AgentRTT time.Duration
	// Forecast changes what gateways forecast, and do about it; zero fields: as a node has it.
	Forecast txn.Forecasts

	ReadShare float64 // statements of sysbench, hotspot and ycsb-sources that only read
	Rollback  float64 // transactions of these and of fit that their client rolls back at the end
	Hot       int     // hot rows, see workload.MixConfig; 0: the workload's default
	// Spikes are crowds on top of an open loop's rate: what ParseSpikes reads.
	Spikes string

	HotOff     bool // hot rows are rows like others: see routing.HotRows
	HotWaiters int  // more waiters than that make a row hot; 0: as a node has it
	GroupSize  int  // of hot rows; 0: as a node has it
	// Sequence, if not 0, has a sequencer before the database, see sequencer.go: so many
	// transactions at a time, each sent as a whole.
	Sequence int
	// HotFrom, if not 0, is when in the measured time an operator has hot rows be hot.
	HotFrom time.Duration
	// GrowFrom, if not 0, is when in the measured time an operator has groups be of GrowTo.
	GrowFrom time.Duration
	GrowTo   int

	// ClientRegions is in how many regions, the first of the map, there are clients; 0: in all.
	ClientRegions int
	// ClientsAt names the regions that have clients, separated by commas; empty: see ClientRegions.
	ClientsAt string
	ClientRTT time.Duration // between a client and its gateway

	// Coordinators is how many nodes each region has beside the one that holds the
	// shards: clients are at these, and they alone co-coordinate. 0: the one does all.
	Coordinators     int
	CoordinatorCPU   time.Duration // what CPU is for other nodes
	CoordinatorCores int           // of each
	// DeadCoCoordinators is in how many regions, the last of the map, there is no
	// co-coordinator: see coordinator.Config.
	DeadCoCoordinators int

	// Delays are how those between regions change in the measured time: what parseChanges reads.
	Delays string
	// Skews are how Zipf changes in the measured time, of workloads whose rows are not loaded: what
	// parseSkews reads.
	Skews string
	// Warmth changes how gateways read by temperature; zero fields: as a node has it.
	Warmth txn.Warmth
	Jitter float64       // Pareto: a delay's deviation over its mean; 0 is none
	Netem  bool          // Jitter is what Linux's netem calls Pareto (sim.NewNetemPareto)
	Loss   float64       // part of the messages that are lost
	TCP    bool          // Loss is of segments, which are sent again as TCP does: messages are late, and not lost
	Skew   time.Duration // wall clocks are wrong by at most this
	CPU    time.Duration // that a message costs its receiver, and a request its gateway
	// RequestCPU is what a client's request (a read, a commit) costs its gateway; 0: CPU.
	RequestCPU   time.Duration
	CommitCPU    time.Duration // the same of a commit that writes; 0: RequestCPU
	StatementCPU time.Duration // that a statement costs beside its request, before it
	StoreCPU     time.Duration // that a commit which writes costs beside its request, while it is under way
	Loop         bool          // a node takes messages and requests one at a time, whatever cores it has, see sim.Hardware
	LockCPU      time.Duration // with Loop: of a lock that is granted or freed
	StepCPU      time.Duration // with Loop: of a step of a walk over who waits for whom
	PageCPU      time.Duration // with Loop: of a lock granted or freed, for each who waits for its row, see lockmanager.go
	ListCPU      time.Duration // of a statement that only reads, for each transaction that has written
	Cores        int           // of each node
	Fsync        time.Duration // of one sync
	SyncEach     bool          // each commit has a sync of its own: no group commit
	LockWait     time.Duration // a lock is waited for no longer; 0: as a node has it
	ProbeEvery   time.Duration // how often delays between nodes are measured; 0: as a node does
	ResendAfter  time.Duration // what is not answered is sent again; 0: as a node does
	// ElectionTimeout is how long a replica hears nothing of its leader before it wants to lead; 0: as
	// a node has it. Heartbeats are as often as ever.
	ElectionTimeout time.Duration
	Faults          string // what sim.ParseFaults reads
	// AdmissionOff: tries that contend are not bounded by how many were lost, see yield.Admission.
	// What a row forecasts of a transaction by its own choice still holds it back.
	AdmissionOff bool
	// NeverSure: what has lost several tries reads as it did in its first, where ours locks from then
	// on in rows that validate (txn.Params.LockAfterTries): what the papers of such rows have.
	NeverSure bool

	Client   Manner        // what a client does when its transaction is aborted; none: Forever
	Tries    int           // of one transaction, at most, of a client that is Forever
	Backoff  time.Duration // before the second try, on average; doubles five times at most
	Warmup   time.Duration // not measured
	Duration time.Duration // measured
	Seed     uint64
	// Series, if not 0, has the measured time told in pieces of this length as well.
	Series time.Duration
	Check  int // tries whose reads and writes are recorded and checked, from the first on
	// PendingMax bounds the messages and timers that wait: a row that cannot bear its load, whose
	// clients try again at once, has ever more of them, and they have taken 20 GB. 0: PendingMax.
	PendingMax int
	// CountRules counts how often each rule of the core bites (Result.Rules).
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

// PendingMax is how many messages and timers may wait where nothing else is said: others than those
// that are overloaded have some ten thousand.
const PendingMax = 2_000_000

// Defaults is the standard experiment of the D2PC paper's section 5, on a row
// that the table always has.
func Defaults() Experiment {
	return Experiment{
		Protocol: "2pc+occ", Workload: "retwis", WAN: "alibaba3", Shards: 3, Replicas: 0,
		Clients: 150, Zipf: 0.7, ReadShare: 0.5,
		CPU: MessageCPU, Cores: Cores, Fsync: Fsync, Faults: "none", CoordinatorCPU: MessageCPU, CoordinatorCores: Cores,
		Tries: 100, Warmup: 10 * time.Second, Duration: 60 * time.Second, Seed: 1, Check: 20_000,
	}
}

// SpecError is what is wrong with a Spec, in one line.
type SpecError struct{ error }

// Validate returns nil or a SpecError. Run validates too.
func (s Experiment) Validate() error {
	_, err := s.resolve()
	return err
}

// resolved is a Spec whose names have become things.
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
	// clientsAt are the places on the map of the regions that ClientsAt names.
	clientsAt []int
	// held are the places of the regions that hold what is led from one: Holders.
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

// mixConfig is the workload's share of the experiment.
func (s Experiment) mixConfig() workload.MixConfig {
	milli := func(v float64) int { return int(math.Round(v * 1000)) }
	return workload.MixConfig{Parts: s.Shards, Keys: s.Keys, ZipfMilli: milli(s.Zipf), Length: s.Length, Spread: s.Spread, Warehouses: s.Warehouses, Draw: s.Draw, Homes: s.Homes,
		ReadsMilli: milli(s.ReadShare), RollbackMilli: milli(s.Rollback), Hot: s.Hot,
		Sources: s.sourceIDs(), SourcesAt: s.sourceRegions(), DistributedMilli: milli(s.Distributed), Central: s.Central, Rounds: s.Rounds}
}

// checkNumbers holds every number against its bounds.
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
		if !(b.got >= b.low && b.got <= b.high) { // not a number is neither
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
		{"the CPU time of a step over who waits", s.StepCPU, 0, costMax},
		{"the CPU time of a page of locks", s.PageCPU, 0, costMax},
		{"the CPU time of the list of writers", s.ListCPU, 0, costMax},
		{"the round trip of a client", s.ClientRTT, 0, costMax},
		{"the wait for a lock", s.LockWait, 0, time.Hour},
		{"the time between two probes", s.ProbeEvery, 0, 5 * time.Second},
		{"the time after which what is not answered is sent again", s.ResendAfter, 0, time.Hour},
		{"the election timeout", s.ElectionTimeout, 0, time.Hour},
		{"the moment from which rows are hot", s.HotFrom, 0, durationMax},
		{"the moment from which groups are larger", s.GrowFrom, 0, durationMax},
		{"the backoff", s.Backoff, 0, time.Minute},
		{"the warm-up", s.Warmup, 0, durationMax},
		{"the duration", s.Duration, time.Millisecond, durationMax},
	} {
		if b.got < b.low || b.got > b.high {
			return fmt.Errorf("%s is %v; it must lie between %v and %v", b.what, b.got, b.low, b.high)
		}
	}
	if s.Series < 0 || s.Series > 0 && s.Duration/s.Series > piecesMax {
		return fmt.Errorf("%v cannot be told in pieces of %v; ask for at most %d pieces", s.Duration, s.Series, piecesMax)
	}
	return nil
}
