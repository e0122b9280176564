package sim

import (
	"fmt"
	"slices"
	"time"

	"isochron/geo"
	"isochron/history"
	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// FaultRunConfig specifies the fault-injection runs. Zero fields get defaults.
type FaultRunConfig struct {
	Seed         uint64   // the first
	Seeds        int      // their number
	Specs        []string // none: DefaultRows
	Faults       Faults
	InjectedBugs node.InjectedBugs
	// Injected names the bug in Bugs, for the command that repeats a run.
	Injected string
	// Regions is the number of regions of the cluster, the first of the map; 0 lets the seed choose
	// three or, rarely, five. Two suffice where no disk is lost permanently (Faults.Replace): of
	// two regions that loss is the loss of a majority, from which a shard does not recover.
	Regions int
	// WAN is the map, as geo.Parse reads it, scaled so that its widest round trip fits the nodes'
	// time-outs; empty: azure5, or with more than five regions an even one.
	WAN string
	// Shards is the number of shards of the rows, led from the regions in turn; 0: one for each
	// region, or two where the protocol treats transactions of one region differently.
	Shards int
	// Zipf is the skew of clients' choice among rows, from 0, which is uniform, to 2.
	Zipf float64
	// Loss is the fraction of messages that are lost while faults are active, up to a half, in
	// addition to other network faults. Jitter is a delay's deviation over its mean, by Pareto's
	// law, in place of the small default jitter.
	Loss, Jitter float64
	// Load is the virtual time for which clients run; 2.5 s.
	Load time.Duration
	// Switch names protocols between which the cluster switches while clients work. None: it keeps
	// its first protocol.
	Switch []string
	// Rules counts how often rules of the core are hit; a rule that a protocol can hit and never
	// does makes the result an error.
	Rules bool
	// StopAfter ends the runs at this many seeds with a violation; 0 is all seeds.
	StopAfter int
	// Stop is called before each run; true ends the runs with the results so far. nil: never.
	Stop func() bool
	// Trace receives the story of each run, line by line.
	Trace func(line string)
	// Histories receives what the clients of each run observed, before it is checked.
	Histories func(seed uint64, row string, bank, lists *history.History)

	boot func(node.Config, txn.Now) (process, error) // of tests; nil: bootNode
}

// DefaultRows are the protocols that are run by default: all, also the laboratory's, except
// protocols that guarantee too little to be checked.
var DefaultRows = everyRow()

// WithoutAtomicity returns the configured protocols that guarantee too little for the checks.
func (c *FaultRunConfig) WithoutAtomicity() []string {
	return slices.DeleteFunc(slices.Clone(c.Specs), func(name string) bool { return slices.Contains(DefaultRows, name) })
}

func everyRow() (names []string) {
	for _, r := range protocol.Table() {
		if r.Isolation != protocol.NoAtomicity {
			names = append(names, r.Name)
		}
	}
	return names
}

// Delays and bounds of a fault-injection run: azure5 at a tenth, and every time-out scaled alike,
// so that seconds suffice for what would take minutes.
const (
	faultRunUnit = 12 * time.Millisecond // about a round trip
	faultRunLoad = 2500 * time.Millisecond
	quietWait    = 20 * time.Second
	readWait     = 20 * time.Second
	// restTime bounds how long faults rest until restWork transactions with writes have
	// committed, and how long clients continue until then.
	restTime = 2 * time.Second
	restWork = 10
)

// faultRunMap is the map of a run over this many regions.
func faultRunMap(spec string, regions int) (geo.WAN, error) {
	usual, err := geo.Parse("azure5")
	if err != nil {
		return usual, err
	}
	usual = usual.Scale(0.1)
	if spec == "" {
		if regions <= len(usual.Regions) {
			return usual, nil
		}
		spec = fmt.Sprintf("uniform:100ms:%d", regions)
	}
	wan, err := geo.Parse(spec)
	if err != nil {
		return wan, err
	}
	if len(wan.Regions) < regions {
		return wan, fmt.Errorf("the map %s has %d regions; the runs need %d", spec, len(wan.Regions), regions)
	}
	return wan.Scale(float64(usual.Widest()) / float64(wan.Widest())), nil
}

// shardsMost bounds the shards of a run; zipfMost and lossMost bound the other options.
const (
	shardsMost = 64
	zipfMost   = 2
	lossMost   = 0.5
)

// Check refuses a configuration that cannot be run.
func (c *FaultRunConfig) Check() error {
	if c.Regions == 1 || c.Regions == 2 && c.Faults.Replace {
		return fmt.Errorf("%d regions: a fault-injection run needs three or more, because with fewer the loss of one loses a majority (two suffice without the fault replace)", c.Regions)
	}
	for _, b := range []struct {
		what      string
		got, most float64
	}{
		{"the number of shards", float64(c.Shards), shardsMost},
		{"zipf", c.Zipf, zipfMost},
		{"the part of messages that is lost", c.Loss, lossMost},
		{"the jitter, as a ratio of deviation to mean,", c.Jitter, ParetoRatioMax},
	} {
		if !(b.got >= 0 && b.got <= b.most) { // NaN is refused, too
			return fmt.Errorf("%s is %v; it must lie between 0 and %v", b.what, b.got, b.most)
		}
	}
	_, err := faultRunMap(c.WAN, max(c.Regions, 3))
	if err == nil && c.Regions == 0 && c.WAN != "" {
		_, err = faultRunMap(c.WAN, 5) // the seed chooses the number
	}
	return err
}

// littleRoom is, in one seed of eight, a log budget of a node so small that proposals often wait
// for uncommitted ones; else 0.
func littleRoom(seed uint64, faults Faults) int64 {
	if !faults.Forced || seed%8 != 6 {
		return 0
	}
	return int64(1+stream(seed, streamRoom).IntN(3)) << 9
}

// FaultRunParams are the parameters of nodes in a fault-injection run.
func FaultRunParams(bugs node.InjectedBugs) node.Params {
	return node.Params{
		TickInterval:      4 * time.Millisecond,
		HeartbeatInterval: 16 * time.Millisecond,
		ElectionTimeout:   80 * time.Millisecond,
		LockWait:          200 * time.Millisecond,
		DetectAfter:       20 * time.Millisecond,
		CommitWait:        1200 * time.Millisecond,
		ResendAfter:       60 * time.Millisecond,
		RecoverAfter:      120 * time.Millisecond,
		StatusQueryAfter:  150 * time.Millisecond,
		KeepVersions:      400 * time.Millisecond,
		LogEntries:        10,
		HotWaiters:        -1, // any waiter makes a row hot
		GroupSize:         3,
		Warmth:            txn.Warmth{HalfLife: 100 * time.Millisecond, Every: 50 * time.Millisecond, Tries: 5},
		InjectedBugs:      bugs,
	}
}
