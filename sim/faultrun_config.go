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

// FaultRunConfig says what to hunt. Zero fields get defaults.
type FaultRunConfig struct {
	Seed         uint64   // the first
	Seeds        int      // how many
	Specs        []string // none: DefaultRows
	Faults       Faults
	InjectedBugs node.InjectedBugs
	// Injected names the bug in Bugs, for whoever is to see it again.
	Injected string
	// Regions of the cluster, the first of the map; 0 lets the seed choose three or, rarely,
	// five. Two will do where no disk is lost for ever (Faults.Replace): of two that is the
	// loss of a majority, from which nothing comes back.
	Regions int
	// WAN is the map, as geo.Parse reads it, scaled so that its widest round trip is what
	// the nodes' time-outs are made for; empty: azure5, or with more than five regions an
	// even one.
	WAN string
	// Shards hold the rows, led from the regions in turn; 0: one for each region, or two where
	// transactions of one region are told from others.
	Shards int
	// Zipf is how unevenly clients choose among rows, from 0, which is evenly, to 2.
	Zipf float64
	// Loss is the part of the messages that is lost while faults strike, up to a half,
	// whatever else the network does; Jitter a delay's deviation over its mean, by
	// Pareto's law, in place of the small one that hunts have otherwise.
	Loss, Jitter float64
	// Load is the virtual time for which clients run; 2.5 s.
	Load time.Duration
	// Switch names protocols: the cluster goes from one of them to another while
	// clients work. None: it keeps the row that it began with.
	Switch []string
	// Rules counts where rules of the core bite; one that a row can come to and that never
	// does fails the hunt.
	Rules bool
	// StopAfter ends the hunt at so many seeds with a violation; 0 is all seeds.
	StopAfter int
	// Stop is asked before each run; true ends the hunt with what it has. nil: never.
	Stop func() bool
	// Trace takes the story of each run, line by line.
	Trace func(line string)
	// Histories takes what the clients of each run saw, before it is judged.
	Histories func(seed uint64, row string, bank, lists *history.History)

	boot func(node.Config, txn.Now) (process, error) // of tests; nil: bootNode
}

// DefaultRows are what is hunted if nobody says: all that there are, those of the laboratory
// too, but for those that promise too little to be held to it.
var DefaultRows = everyRow()

// WithoutAtomicity are the rows of a hunt that promise too little to be held to what is checked.
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

// Delays and bounds of a hunt: azure5 at a tenth, and every timeout to match,
// so that seconds hold what minutes would.
const (
	faultRunUnit = 12 * time.Millisecond // about a round trip
	faultRunLoad = 2500 * time.Millisecond
	quietWait    = 20 * time.Second
	readWait     = 20 * time.Second
	// restTime bounds how long faults rest so that something is committed, and how long
	// clients go on after all; so many transactions with writes are enough.
	restTime = 2 * time.Second
	restWork = 10
)

// faultRunMap is the map of a hunt over so many regions.
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
		return wan, fmt.Errorf("the map %s has %d regions, and the hunt is to be over %d", spec, len(wan.Regions), regions)
	}
	return wan.Scale(float64(usual.Widest()) / float64(wan.Widest())), nil
}

// shardsMost bounds the shards of a hunt, and zipfMost and lossMost what else may be asked.
const (
	shardsMost = 64
	zipfMost   = 2
	lossMost   = 0.5
)

// Check refuses what no hunt can be run with.
func (c *FaultRunConfig) Check() error {
	if c.Regions == 1 || c.Regions == 2 && c.Faults.Replace {
		return fmt.Errorf("%d regions: a hunt takes three or more, for of fewer the loss of one is that of a majority (two will do if the faults are without replace)", c.Regions)
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
		if !(b.got >= 0 && b.got <= b.most) { // not a number is neither
			return fmt.Errorf("%s is %v; it must lie between 0 and %v", b.what, b.got, b.most)
		}
	}
	_, err := faultRunMap(c.WAN, max(c.Regions, 3))
	if err == nil && c.Regions == 0 && c.WAN != "" {
		_, err = faultRunMap(c.WAN, 5) // the seed chooses
	}
	return err
}

// littleRoom is, in one seed of eight, so little for the logs of a node that what is proposed often
// waits for what is not committed yet; else 0.
func littleRoom(seed uint64, faults Faults) int64 {
	if !faults.Forced || seed%8 != 6 {
		return 0
	}
	return int64(1+stream(seed, streamRoom).IntN(3)) << 9
}

// FaultRunParams are the bounds of nodes in a hunt.
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
		HotWaiters:        -1, // whoever waits makes a row hot
		GroupSize:         3,
		Warmth:            txn.Warmth{HalfLife: 100 * time.Millisecond, Every: 50 * time.Millisecond, Tries: 5},
		InjectedBugs:      bugs,
	}
}
