package figure

import (
	"time"

	"isochron/lab"
	"isochron/protocol"
)

// d2pcBase is the setting of the D2PC paper, section 5.1: leaders of three shards
// in three regions, a replica of each in every region, Retwis. Transactions that
// wrote nothing are prepared and logged like others, of which the paper makes no
// exception; our rows do better, under 2PC as under D2PC.
func d2pcBase() lab.Spec {
	s := lab.Defaults()
	s.Workload, s.WAN, s.Shards, s.Replicas = "retwis", "alibaba3", 3, 3
	s.Clients, s.Zipf, s.ReadOnly = 150, 0.7, protocol.AsOthers.String()
	s.Warmup, s.Duration = 5*time.Second, 30*time.Second
	s.Check = checkedTries
	return s
}

// retwisWriting is what commits through a decision.
var retwisWriting = writing("add-user", "follow", "post-tweet")

// d2pcTPCC is the same setting with TPC-C. Its transactions write tens of rows,
// which costs real time: the experiments are shorter.
func d2pcTPCC() lab.Spec {
	s := d2pcBase()
	s.Workload, s.Warmup, s.Duration = "tpcc-d2pc", 2*time.Second, 10*time.Second
	return s
}

func d2pcMicro() lab.Spec {
	s := d2pcBase()
	s.Workload = "micro"
	return s
}

// checkedTries is how many tries of each experiment are recorded and judged: a
// protocol that is fast because it is wrong must not be praised.
const checkedTries = 5000

var (
	d2pcClients = Axis{
		Label: "clients", Values: []int{30, 60, 90, 120, 150, 200, 250, 300}, Quick: []int{30, 300},
		Set: func(s *lab.Spec, v int) { s.Clients = v },
	}
	d2pcLength = Axis{
		Label: "operations of a transaction", Values: []int{2, 4, 6, 8, 10, 12}, Quick: []int{4, 12},
		Set: func(s *lab.Spec, v int) { s.Length = v },
	}
	d2pcZipf = Axis{
		Label: "Zipf coefficient", Values: []int{100, 200, 300, 400, 500, 600, 700, 800, 900}, Quick: []int{500, 900}, Milli: true,
		Set: func(s *lab.Spec, v int) { s.Zipf = float64(v) / 1000 },
	}
)

var (
	d2pcLocking = []string{"d2pc+2pl", "2pc+2pl", "d2pc+2pl-nro", "2pc+2pl-nro"}
	d2pcOCC     = []string{"d2pc+occ", "2pc+occ"}
)

// figures are all, in the order in which they are listed.
var figures = []*Figure{
	{
		Name: "d2pc/fig5", Title: "Retwis under locking, more and more clients",
		Source: "D2PC (SIGMOD'25), section 5.2, figure 5",
		Rows:   d2pcLocking, Axis: d2pcClients, Base: d2pcBase(),
		Shows: []Measure{throughput, latency, lockingTime},
		Claims: []Claim{
			{throughput, "d2pc+2pl-nro", "2pc+2pl-nro", AtTheEnd, Times, 1.73},
			{latency, "d2pc+2pl-nro", "2pc+2pl-nro", AtTheEnd, Change, -25},
			{lockingTime, "d2pc+2pl-nro", "2pc+2pl-nro", AtTheEnd, Change, -44},
			{throughput, "d2pc+2pl", "2pc+2pl", AtTheEnd, Times, 2.33},
			{latency, "d2pc+2pl", "2pc+2pl", AtTheEnd, Change, -42},
			{lockingTime, "d2pc+2pl", "2pc+2pl", AtTheEnd, Change, -66},
			{retwisWriting, "d2pc+2pl-nro", "2pc+2pl-nro", AtTheEnd, Change, 0},
			{retwisWriting, "d2pc+2pl", "2pc+2pl", AtTheEnd, Change, 0},
		},
	},
	{
		Name: "d2pc/fig6", Title: "Retwis under locking, more and more contention",
		Source: "D2PC (SIGMOD'25), section 5.2, figure 6",
		Rows:   d2pcLocking, Axis: d2pcZipf, Base: d2pcBase(),
		Shows: []Measure{throughput, latency, lockingTime},
		Claims: []Claim{
			{throughput, "d2pc+2pl", "2pc+2pl", AtBest, Times, 3.06},
			{throughput, "d2pc+2pl-nro", "2pc+2pl-nro", AtBest, Times, 1.8},
		},
	},
	{
		Name: "d2pc/fig7", Title: "Retwis under validation, more and more clients",
		Source: "D2PC (SIGMOD'25), section 5.2, figure 7, without the integrated protocols",
		Rows:   d2pcOCC, Axis: d2pcClients, Base: d2pcBase(),
		Shows: []Measure{throughput, latency, abortRate, lockingTime},
		Claims: []Claim{
			{throughput, "d2pc+occ", "2pc+occ", AtTheEnd, Times, 2.43},
			{commitLatency, "d2pc+occ", "2pc+occ", AtTheEnd, Change, -43},
			{lockingTime, "d2pc+occ", "2pc+occ", AtTheEnd, Change, -64},
			{retwisWriting, "d2pc+occ", "2pc+occ", AtTheEnd, Change, 0},
		},
	},
	{
		Name: "d2pc/fig8", Title: "Retwis under validation, more and more contention",
		Source: "D2PC (SIGMOD'25), section 5.2, figure 8, without the integrated protocols",
		Rows:   d2pcOCC, Axis: d2pcZipf, Base: d2pcBase(),
		Shows: []Measure{throughput, latency, abortRate, lockingTime},
		Claims: []Claim{
			{throughput, "d2pc+occ", "2pc+occ", AtTheEnd, Times, 2.35},
		},
	},
	{
		Name: "d2pc/fig9", Title: "TPC-C, ten warehouses a shard, more and more clients",
		Source: "D2PC (SIGMOD'25), section 5.3, figure 9, without the integrated protocols",
		Rows:   d2pcOCC, Axis: d2pcClients, Base: d2pcTPCC(),
		Shows: []Measure{throughput, latency, abortRate, lockingTime},
		Claims: []Claim{
			{throughput, "d2pc+occ", "2pc+occ", AtPeak, Times, 1 / 0.61},
		},
	},
	{
		Name: "d2pc/fig13", Title: "Longer and longer transactions",
		Source: "D2PC (SIGMOD'25), section 5.5, figure 13 (a) and (b), without the integrated protocols",
		Rows:   d2pcOCC, Axis: d2pcLength, Base: d2pcMicro(),
		Shows: []Measure{throughput, abortRate},
	},
}
