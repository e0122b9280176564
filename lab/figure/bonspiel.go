package figure

import (
	"slices"
	"strings"
	"time"

	"isochron/lab"
	"isochron/txn"
)

// bonspielBase is the setting of section 4 of the Bonspiel paper: five shards on five replicas
// (5P5R), shard i led from region i, a closed loop of clients in all regions, and the public
// prototype's choices where the paper has none: a hundred tries, after which a transaction is
// dropped, pauses of 0 to 1 ms that grow in one region alone. No admission bounds conflicting
// tries, and an aborted transaction does not begin to lock: only ours do. Messages are not batched
// for 200 us as there.
//
// The setting is the paper's divided by 25, clients (400 to 1200 a region) as well as warehouses
// (300 and 50 a shard), so that as many clients share a warehouse.
func bonspielBase() lab.Experiment {
	s := lab.Defaults()
	s.WAN, s.Shards, s.Replicas, s.Clients = "azure5", 5, 5, 240
	s.Client, s.Tries, s.Backoff = lab.ByRegion, 100, 500*time.Microsecond
	s.AdmissionOff, s.NeverSure = true, true
	s.Warmup, s.Duration, s.Check = 5*time.Second, 30*time.Second, checkedTries
	return s
}

// The warehouses of a shard: 50 and 300 in the paper.
const (
	highContention = 2
	lowContention  = 12
)

// bonspielTPCC has only new orders and payments, in equal numbers.
func bonspielTPCC(warehouses int) lab.Experiment {
	s := bonspielBase()
	s.Workload, s.Warehouses = "tpcc-bonspiel", warehouses
	return s
}

// bonspielYCSB is YCSB-A by regions. The prototype has ten million rows a shard and 4,000 to 12,000
// clients a region; here both are divided by a hundred.
func bonspielYCSB(zipf, elsewhere float64) lab.Experiment {
	s := bonspielBase()
	s.Workload, s.Keys, s.Zipf, s.Distributed = "ycsb-regions", 500_000, zipf, elsewhere
	return s
}

// asItsPrototype is a figure measured as by the public prototype of Bonspiel: the first 5 s,
// without a warm-up, and only commits in them; logs are in memory. Its claims stay with the figure:
// transactions that take longer than 5 s, or never commit, are not in these numbers.
func asItsPrototype(f *Figure) *Figure {
	out := *f
	out.Name, out.Title, out.Claims, out.Purpose = f.Name+"-first5s", f.Title+": the first 5 s, and the commits in them", nil, ""
	out.Base.Warmup, out.Base.Duration, out.Base.Fsync = 0, 5*time.Second, 0
	out.Shows = nil
	for _, m := range f.Shows {
		if m.Name == tailOf("mean", "").Name {
			continue // of commits it is shown anyway
		}
		if n := slices.Index(everyNames(), m.Name); n >= 0 {
			m = tails[n].committed
		}
		out.Shows = append(out.Shows, m)
	}
	return &out
}

// besidePrototype returns figures, each followed by the same as the prototype measures it.
func besidePrototype(figures []*Figure) (out []*Figure) {
	for _, f := range figures {
		out = append(out, f, asItsPrototype(f))
	}
	return out
}

// tails are percentiles and the mean: of all transactions, including those given up or not ended,
// and of commits.
var tails = func() (out []struct{ every, committed Measure }) {
	for _, p := range []struct {
		name string
		of   func(lab.LatencyMS) float64
	}{
		{"p50", func(l lab.LatencyMS) float64 { return l.P50 }}, {"p90", func(l lab.LatencyMS) float64 { return l.P90 }},
		{"p99", func(l lab.LatencyMS) float64 { return l.P99 }}, {"p99.9", func(l lab.LatencyMS) float64 { return l.P999 }},
		{"p99.99", func(l lab.LatencyMS) float64 { return l.P9999 }},
		{"mean", func(l lab.LatencyMS) float64 { return l.Avg }},
	} {
		m := struct{ every, committed Measure }{
			Measure{p.name + " latency of all", "ms", func(r lab.Result) float64 { return p.of(r.EveryMS) }},
			Measure{p.name + " latency of commits", "ms", func(r lab.Result) float64 { return p.of(r.LatencyMS) }},
		}
		out = append(out, m, struct{ every, committed Measure }{m.every.of("SR"), m.committed.of("SR")}, struct{ every, committed Measure }{m.every.of("MR"), m.committed.of("MR")})
	}
	return out
}()

// tailOf returns a percentile, or the mean, of all transactions, or of a class of them.
func tailOf(which, class string) Measure {
	name := which + " latency of all"
	if class != "" {
		name += " of " + class
	}
	return tails[slices.Index(everyNames(), name)].every
}

func everyNames() (names []string) {
	for _, t := range tails {
		names = append(names, t.every.Name)
	}
	return names
}

var (
	slowExecute = Measure{"slowest thousandth: last try up to its commit", "ms", func(r lab.Result) float64 { return r.Slowest.Execute }}
	slowCommit  = Measure{"slowest thousandth: its commit", "ms", func(r lab.Result) float64 { return r.Slowest.Commit }}
	slowLost    = Measure{"slowest thousandth: tries that were lost", "ms", func(r lab.Result) float64 { return r.Slowest.Abort }}
	lostTries   = Measure{"tries lost for each commit", "", func(r lab.Result) float64 { return percent(float64(r.Aborted), float64(r.Committed)) / 100 }}
	lockWait99  = Measure{"p99 of the wait for locks", "ms", func(r lab.Result) float64 { return r.LockWaitMS.P99 }}
	neverEnded  = Measure{"given up", "%", func(r lab.Result) float64 { return percent(float64(r.GaveUp), float64(r.GaveUp+r.Committed)) }}
	woundRate   = Measure{"tries that others wounded", "%", abortedBy(txn.CauseWound)}
)

var (
	bonspielRivals  = []string{"bonspiel", "r4", "gpac", "tapir", "spanner"}
	bonspielOthers  = strings.Join(bonspielRivals[1:], "|")
	bonspielClients = Axis{
		Label: "clients", Values: []int{80, 160, 240}, Quick: []int{80, 240},
		Set: func(s *lab.Experiment, v int) { s.Clients = v },
	}
	// With low contention there are several times the commits, and shorter experiments.
	bonspielWarehouses = Axis{
		Label: "warehouses of a shard", Values: []int{highContention, lowContention}, Quick: []int{highContention, lowContention},
		Set: func(s *lab.Experiment, v int) {
			if s.Warehouses = v; v == lowContention {
				s.Duration = min(s.Duration, 15*time.Second)
			}
		},
	}
	bonspielZipf = Axis{
		Label: "Zipf coefficient", Values: []int{200, 800}, Quick: []int{200, 800}, Milli: true, Set: d2pcZipf.Set,
	}
	bonspielElsewhere = Axis{
		Label: "transactions of several regions (%)", Values: []int{0, 20, 50, 100}, Quick: []int{20, 100},
		Set: func(s *lab.Experiment, v int) { s.Distributed = float64(v) / 100 },
	}
	// bonspielCosts are the other costs under which claims are judged: beside round trips of 67 to
	// 234 ms neither a message nor a sync matters much.
	bonspielCosts = []string{"CPU doubled", "a sync of 0.25 ms"}
)
