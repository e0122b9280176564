package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"isochron/geo"
	"isochron/txn"
)

// MixConfig specifies the size and the contention of a benchmark. A field that is 0 has the
// benchmark's default, except those in thousandths.
type MixConfig struct {
	// Parts is the number of shards over which the rows are spread: Place's shards, 1 to 255.
	Parts int
	// Keys is the number of rows, or of customers (smallbank): 1,000,000.
	Keys int
	// ZipfMilli is Zipf's coefficient in thousandths, at most 2000; 0 is uniform. smallbank and
	// tpcc have hot spots of their own and ignore it.
	ZipfMilli int
	// Length is the number of operations of one transaction of micro: 6; of statements
	// of sysbench and both hotspots: 14, of hotspot-scan: 10.
	Length int
	// Spread is the number of shards that a transaction of micro touches: all, if Length allows it.
	Spread int
	// ValueBytes is the size of a row's value: 64, at least 8; tpcc and smallbank have sizes of
	// their own.
	ValueBytes int
	// Draw is the way in which a rank is drawn from Zipf's distribution: DrawExact.
	Draw Draw
	// Warehouses is the number of tpcc's in each part: 10.
	Warehouses int
	// Homes is the warehouse in which a transaction of tpcc begins: HomesPinned.
	Homes Homes
	// ReadsMilli is the number of reading statements in a thousand, of sysbench and hotspot.
	ReadsMilli int
	// RollbackMilli is the number of transactions in a thousand that their client rolls back just
	// before the commit, of sysbench, hotspot and fit.
	RollbackMilli int
	// Hot is the number of hot rows: accounts of fit and hotspots (1), rows of hotspot-scan (100),
	// customers of smallbank (one in a thousand).
	Hot int
	// Sources have the rows of the workloads named for sources; others have none.
	Sources []txn.ShardID
	// SourcesAt are the regions of Sources, for CentralNear.
	SourcesAt []geo.Region
	// DistributedMilli is the number of transactions in a thousand over Sources that are at Spread
	// sources, and not at one; of ycsb-regions, the number elsewhere than at home.
	DistributedMilli int
	// Central is the place of transactions at one source: CentralAny.
	Central Central
	// Rounds is the number of packets in which a transaction over Sources sends its statements: 1.
	Rounds int
}

// Homes is the warehouse in which a transaction of tpcc begins.
type Homes string

// The choices.
const (
	// HomesPinned: each client is at home in one warehouse for its life, led from its own region if
	// there is one, like the specification's terminals and like data placed near its users.
	HomesPinned Homes = "pinned"
	// HomesUniform: each transaction begins in any warehouse, wherever that is led from: the
	// client of D2PC's public prototype.
	HomesUniform Homes = "uniform"
)

// Central is the place of a transaction at one source, and where all of TPC-C begin.
type Central string

// The choices.
const (
	// CentralAny: at each source with equal odds.
	CentralAny Central = "any"
	// CentralFirst: at the first source, near which clients are: figure 1 of GeoTP's paper.
	CentralFirst Central = "first"
	// CentralNear: at the source in its client's region; where there is none, at the first.
	CentralNear Central = "near"
	// CentralInUse: one statement, a read or a write with equal odds, on the drawn row of even rank
	// if a distributed transaction is executing on it, or else on the next lower such row in use,
	// or else on the first row of all: the public client of GeoTP's authors
	// (github.com/QiYuZhuang/benchbase4ssp, d243a9c5). So such rows are at every other source, and
	// transactions at one source always conflict with those at several.
	CentralInUse Central = "in-use"
)

// Draw is the way in which a rank is drawn from Zipf's distribution.
type Draw string

// The choices.
const (
	// DrawExact: every rank with the distribution's probability.
	DrawExact Draw = "exact"
	// DrawLastProbe: a binary search for the rank that ends one step early, at its last probe: the
	// ranks of the next step are never drawn, and their neighbours are drawn instead. Of a million
	// ranks at 0.7 the first has 1.00 % and not 0.48. The client of D2PC's public prototype does
	// so, and so does TAPIR's, from which it derives.
	DrawLastProbe Draw = "last-probe"
)

// The defaults and bounds of a MixConfig.
const (
	defaultKeys       = 1_000_000
	defaultLength     = 6
	defaultValueBytes = 64
	defaultWarehouses = 10
	partsMax          = 255
	lengthMax         = 1000
	valueBytesMax     = 1 << 20
	warehousesMax     = 1000
)

// mixMakers makes each benchmark from a config whose defaults are filled in.
var mixMakers = []struct {
	name string
	make func(MixConfig) Mix
	// The defaults that differ from benchmark to benchmark; 0: the common default.
	length, hot, spread int
	hotOneIn            int  // hot keys are one in this many, and at least two
	atSources           bool // its rows are in sources
}{
	{name: "retwis", make: newRetwis},
	{name: "ycsb+t", make: newYCSBT},
	{name: "ycsb-a", make: newYCSBA},
	{name: "smallbank", make: newSmallbank, hotOneIn: 1000},
	{name: "micro", make: newMicro},
	{name: "tpcc", make: newTPCC(45, 43, 4, 4, 4)},
	{name: "tpcc-rows", make: newTPCCRows(45, 43, 4, 4, 4)},
	{name: "tpcc-d2pc", make: newTPCC(48, 47, 0, 5, 0)},          // as in the D2PC paper
	{name: "tpcc-bonspiel", make: newTPCCTaxed(50, 50, 0, 0, 0)}, // as in the Bonspiel paper
	{name: "ycsb-regions", make: newYCSBRegions, length: ycsbRegionsLength},
	{name: "sysbench", make: newSysbench, length: sysbenchLength},
	{name: "hotspot", make: newHotspot, length: sysbenchLength},
	{name: "hotspot-once", make: newHotspotOnce, length: sysbenchLength},
	{name: "hotspot-scan", make: newHotspotScan, length: scanLength, hot: scanRows},
	{name: "fit", make: newFit},
	{name: "bank", make: newBankMix},
	{name: "hotspots", make: newHotspots},
	{name: "payment-sources", make: newPaymentsAtSources, length: tpccSourcesLength, spread: 2, atSources: true},
	{name: "new-order-sources", make: newOrdersAtSources, length: tpccSourcesLength, spread: 2, atSources: true},
	{name: "tpcc-sources", make: newTPCCAtSources, length: tpccSourcesLength, spread: 2, atSources: true},
	{name: "ycsb-sources", make: newYCSBSources, length: ycsbSourcesLength, spread: 2, atSources: true},
}

// MixNames returns the names that NewMix accepts.
func MixNames() []string {
	var names []string
	for _, m := range mixMakers {
		names = append(names, m.name)
	}
	return names
}

// NewMix makes a benchmark by its name. The error describes in one line the fault of the name or
// the config.
func NewMix(name string, cfg MixConfig) (Mix, error) {
	at := slices.Index(MixNames(), name)
	if at < 0 {
		return nil, fmt.Errorf("there is no workload %q; choose one of: %s", name, strings.Join(MixNames(), ", "))
	}
	made := mixMakers[at]
	if made.atSources != (len(cfg.Sources) > 0) {
		return nil, fmt.Errorf("the rows of %s are in %s", name, map[bool]string{true: "sources: list the databases (--sources)", false: "shards, and not in sources (--sources)"}[made.atSources])
	}
	cfg.Length, cfg.Hot, cfg.Spread = cmp.Or(cfg.Length, made.length), cmp.Or(cfg.Hot, made.hot), cmp.Or(cfg.Spread, made.spread)
	if made.hotOneIn > 0 {
		cfg.Hot = cmp.Or(cfg.Hot, max(2, cmp.Or(cfg.Keys, defaultKeys)/made.hotOneIn))
	}
	if made.atSources {
		cfg.Parts = len(cfg.Sources)
		cfg.Spread = min(cfg.Spread, cfg.Parts)
	}
	cfg.fill()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if made.hotOneIn > 0 && cfg.Hot < 2 {
		return nil, fmt.Errorf("the number of hot rows is %d; %s has two at least, because some of its transactions need two", cfg.Hot, name)
	}
	return mixMakers[at].make(cfg), nil
}

func (c *MixConfig) fill() {
	fill := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	fill(&c.Keys, defaultKeys)
	fill(&c.Length, defaultLength)
	fill(&c.Spread, min(c.Parts, c.Length))
	fill(&c.ValueBytes, defaultValueBytes)
	fill(&c.Warehouses, defaultWarehouses)
	fill(&c.Hot, 1)
	fill(&c.Rounds, 1)
}

// check bounds every field: a part must have the rows for the longest transaction.
func (c *MixConfig) check() error {
	for _, b := range []struct {
		what           string
		got, low, high int
	}{
		{"the number of shards", c.Parts, 1, partsMax},
		{"the length of a transaction", c.Length, 1, lengthMax},
		{"the number of keys", c.Keys, c.Parts * max(c.Length, retwisTimelineMax), zipfKeysMax},
		{"the Zipf coefficient in thousandths", c.ZipfMilli, 0, zipfMilliMax},
		{"the shards that a transaction touches", c.Spread, 1, min(c.Parts, c.Length)},
		{"the warehouses of a shard", c.Warehouses, 1, warehousesMax},
		{"the reads of a thousand statements", c.ReadsMilli, 0, 1000},
		{"the rollbacks of a thousand transactions", c.RollbackMilli, 0, 1000},
		{"the number of hot rows", c.Hot, 1, c.Keys},
		{"the distributed transactions of a thousand", c.DistributedMilli, 0, 1000},
		{"the rounds of a transaction", c.Rounds, 1, c.Length},
		{"the bytes of a value", c.ValueBytes, 8, valueBytesMax},
	} {
		if b.got < b.low || b.got > b.high {
			return fmt.Errorf("%s is %d; it must lie between %d and %d", b.what, b.got, b.low, b.high)
		}
	}
	switch {
	case c.Homes != "" && c.Homes != HomesPinned && c.Homes != HomesUniform:
		return fmt.Errorf("%q is no choice of homes; choose pinned or uniform", c.Homes)
	case c.Central != "" && !slices.Contains([]Central{CentralAny, CentralFirst, CentralNear, CentralInUse}, c.Central):
		return fmt.Errorf("%q is no place of transactions at one source; choose any, first, near or in-use", c.Central)
	case c.Draw != "" && c.Draw != DrawExact && c.Draw != DrawLastProbe:
		return fmt.Errorf("%q is no way to draw from Zipf's distribution; choose exact or last-probe", c.Draw)
	}
	return nil
}
