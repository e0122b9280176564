package figure

import (
	"fmt"
	"time"

	"isochron/lab"
	"isochron/workload"
)

// geotpBase is the setting of section 7.1 of the GeoTP paper: the middleware and its clients in
// Beijing, a MySQL there and in Shanghai, Singapore and London; 64 clients, transactions of five
// statements in one packet, as the prototype's client sends them, of which half write (the paper;
// the prototype's client writes a quarter), one in five transactions at two sources; a million rows
// at each source, Zipf 0.9; 5 s for a lock. Transactions at one source are at the one in Beijing:
// section 7.1 does not specify where, figure 1 has them at the nearer source, and table I's mean
// latency of 176 ms with three in four of them is less than the round trips of such transactions
// would take if they were at all four as often (docs/laboratory/geotp.md). ssp sends XA END by
// itself, as the prototype does without its optimisations. Clients drop aborted transactions, as
// that client does, and no gateway bounds the tries that contend: that is ours alone.
func geotpBase() lab.Experiment {
	s := lab.Defaults()
	s.Workload, s.WAN, s.Sources, s.Shards, s.Replicas, s.ClientRegions = "ycsb-sources", "geotp4", "mmmm", 4, 1, 1
	s.Clients, s.Keys, s.Zipf, s.ReadShare, s.Distributed = 64, 4_000_000, 0.9, 0.5, 0.2
	s.Central, s.EndTrips = workload.CentralFirst, true
	s.Client, s.LockWait, s.AdmissionOff = lab.Drop, 5*time.Second, true
	s.Fsync, s.SourceWork, s.AgentRTT = lab.Fsync, lab.SourceWork, lab.AgentRTT
	s.Warmup, s.Duration, s.Check = 10*time.Second, 50*time.Second, checkedTries // the times of the public client
	return s
}

// skewedBy changes the share of hot rows: the paper's low, medium and high contention. Where nearly
// all wait for the same rows it takes minutes until enough have committed.
func skewedBy(s lab.Experiment, zipf float64) lab.Experiment {
	if s.Zipf = zipf; zipf > 1 {
		s.Duration *= 3
	}
	return s
}

// forMinutes measures for longer: where few transactions are distributed many clients sometimes
// wait for one of them, for seconds, and a minute of that is no steady run.
func forMinutes(s lab.Experiment) lab.Experiment {
	s.Warmup, s.Duration = 20*time.Second, 3*time.Minute
	return s
}

// forSeconds measures for less: for settings with thousands of commits a second.
func forSeconds(s lab.Experiment) lab.Experiment {
	s.Warmup, s.Duration = 5*time.Second, 10*time.Second
	return s
}

// distributed sets the fraction of transactions at two sources.
func distributed(s lab.Experiment, share float64) lab.Experiment {
	s.Distributed = share
	return s
}

// The paper's contention.
const (
	lowSkew, mediumSkew, highSkew = 0.3, 0.9, 1.5
)

// rowOver returns a protocol of the table in a setting of its own.
func rowOver(row string, set func(*lab.Experiment)) Variant { return Variant{row, set} }

// twoSources is figure 1: one source 10 ms away and another farther; four in five transactions are
// at the first alone.
func twoSources() lab.Experiment {
	s := forSeconds(geotpBase())
	s.WAN, s.Sources, s.Shards, s.Keys = "star:10ms:100ms", "-mm", 3, 2_000_000
	return s
}

// star places the middleware and a source in the first region, and sources at these distances.
func star(s *lab.Experiment, millis ...int) {
	s.WAN = "star"
	for _, ms := range millis {
		s.WAN += fmt.Sprintf(":%dms", ms)
	}
}

// twoGateways is figure 15: a middleware in Beijing and one in London, half of the clients at each,
// each beside a source.
func twoGateways() lab.Experiment {
	s := geotpBase()
	s.Central = workload.CentralNear
	s.ClientRegions, s.ClientsAt = 0, "bj,ldn"
	return s
}

// wandering makes delays vary about those of the map.
func wandering(s *lab.Experiment) { s.Jitter = 0.5 }

// probedOften is geotp with delays measured at the paper's interval; ours measures every second.
const probedOften = "geotp, probes every 10 ms"

// changing changes the round trips to three sources, as the paper's script for figure 11 (b) does;
// the middleware is beside a fourth. The map is the widest of them, for the parameters that nodes
// derive from it.
func changing() lab.Experiment {
	s := geotpBase()
	s.WAN, s.Duration, s.Series = "star:50ms:90ms:250ms", 180*time.Second, 5*time.Second
	s.Delays = "0s=star:10ms:10ms:10ms,40s=star:50ms:90ms:170ms,60s=star:50ms:50ms:90ms,80s=star:10ms:10ms:10ms," +
		"100s=star:10ms:10ms:50ms,120s=star:50ms:90ms:250ms,140s=star:10ms:50ms:90ms,160s=star:10ms:10ms:10ms"
	return s
}

// inRounds has transactions of six statements, which the axis divides into packets.
func inRounds(zipf float64) lab.Experiment {
	s := skewedBy(geotpBase(), zipf)
	s.Length = 6
	return s
}

// geotpAlone has no costs other than the network's and no conflicts: all transactions are at all
// four sources, from a client in every region.
func geotpAlone() *lab.Experiment {
	s := geotpCommon()
	s.Clients, s.Zipf, s.CPU, s.Fsync, s.Tries = 4, 0, 0, 0, 1
	s.SourceWork, s.SourceSync, s.AgentRTT = time.Nanosecond, time.Nanosecond, 2*time.Nanosecond
	s.Warmup, s.Duration = 5*time.Second, 15*time.Second
	return &s
}

// geotpCommon is geotpAlone with costs and contention. The paper's formulas have no round trip of
// XA END.
func geotpCommon() lab.Experiment {
	s := geotpBase()
	s.Central, s.EndTrips = "", false
	s.ClientRegions, s.Distributed, s.Spread, s.Length = 0, 1, 4, 4
	return s
}

var (
	geotpShare = Axis{
		Label: "share of distributed transactions", Values: []int{200, 400, 600, 800, 1000}, Quick: []int{200, 1000}, Milli: true,
		Set: func(s *lab.Experiment, v int) { s.Distributed = float64(v) / 1000 },
	}
	geotpTwoShares = Axis{
		Label: "share of distributed transactions", Values: []int{250, 750}, Quick: []int{250, 750}, Milli: true,
		Set: geotpShare.Set,
	}
	geotpSkew = Axis{
		Label: "Zipf coefficient", Values: []int{100, 500, 700, 900, 1100, 1300, 1500, 1700}, Quick: []int{100, 1700}, Milli: true,
		Set: func(s *lab.Experiment, v int) { *s = skewedBy(*s, float64(v)/1000) },
	}
	geotpThreeSkews = Axis{
		Label: "Zipf coefficient", Values: []int{300, 900, 1500}, Quick: []int{300, 1500}, Milli: true, Set: geotpSkew.Set,
	}
	geotpClients = Axis{
		Label: "clients", Values: []int{16, 32, 64, 128, 256}, Quick: []int{16, 256}, Log: true,
		Set: func(s *lab.Experiment, v int) { s.Clients = v },
	}
	geotpFar = Axis{
		Label: "round trip to the second source (ms)", Values: []int{10, 40, 70, 100}, Quick: []int{10, 100},
		Set: func(s *lab.Experiment, v int) { star(s, 10, v) },
	}
	geotpMean = Axis{
		Label: "mean round trip to three sources (ms), 10 ms apart", Values: []int{20, 40, 60, 80, 100}, Quick: []int{20, 100},
		Set: func(s *lab.Experiment, v int) { star(s, v-10, v, v+10) },
	}
	geotpDeviation = Axis{
		Label: "half of the spread about 20 ms to three sources (ms)", Values: []int{0, 10, 20}, Quick: []int{0, 20},
		Set: func(s *lab.Experiment, v int) { star(s, 20-v, 20, 20+v) },
	}
	geotpLength = Axis{
		Label: "statements of a transaction", Values: []int{5, 10, 15, 20, 25}, Quick: []int{5, 25},
		Set: func(s *lab.Experiment, v int) { s.Length = v },
	}
	geotpRounds = Axis{
		Label: "rounds of a transaction", Values: []int{1, 2, 3, 6}, Quick: []int{1, 6},
		Set: func(s *lab.Experiment, v int) { s.Rounds = v },
	}
	geotpOnce = Axis{Label: "seconds", Values: []int{180}, Quick: []int{180}, Set: func(*lab.Experiment, int) {}}
	// geotpPlaces leaves the setting unchanged: without conflicts only.
	geotpPlaces = Axis{Label: "sources of a transaction", Values: []int{4}, Quick: []int{4}, Set: func(s *lab.Experiment, v int) { s.Spread = v }}
)

// The other measures of GeoTP's figures.
var (
	median   = Measure{"median latency", "ms", func(r lab.Result) float64 { return r.LatencyMS.P50 }}
	p99      = Measure{"p99 latency", "ms", func(r lab.Result) float64 { return r.LatencyMS.P99 }}
	p999     = Measure{"p99.9 latency", "ms", func(r lab.Result) float64 { return r.LatencyMS.P999 }}
	timeouts = Measure{"aborted because a lock was waited for too long", "%", func(r lab.Result) float64 {
		return percent(float64(r.AbortedBy["lock wait timeout"]), float64(r.Committed+r.Aborted))
	}}
	geotpShows = []Measure{throughput, latency, p99, abortRate}

	central     = latency.of(workload.ClassCentral)
	distCommits = commitLatency.of(workload.ClassDistributed)
)

// The protocols of GeoTP's figures.
var (
	geotpSteps  = []string{"geotp", "geotp-o1o2", "geotp-o1", "ssp-parallel", "ssp"}
	geotpRivals = []string{"geotp", "chiller", "quro", "ssp-local", "ssp-parallel", "ssp"}
	geotpSSP    = []string{"geotp", "ssp-parallel", "ssp"}
)
