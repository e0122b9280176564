package figure

import (
	"slices"
	"strings"
	"time"

	"isochron/lab"
	"isochron/protocol"
	"isochron/workload"
)

// d2pcBase is the setting of the D2PC paper, section 5.1: leaders of three shards in three regions,
// a replica of each in every region, Retwis. Transactions without writes are prepared and logged
// like others, because the paper names no exception; our protocols do better, under 2PC as under
// D2PC. Clients drop aborted transactions, and commits in the middle third are counted, as in the
// public prototype: the paper specifies neither. Near reads return what a replica has committed
// (section 4.6 has no exception), and no admission bounds conflicting tries: only ours does, and it
// makes clients wait before their first read.
func d2pcBase() lab.Experiment {
	s := lab.Defaults()
	s.Workload, s.WAN, s.Shards, s.Replicas = "retwis", "alibaba3", 3, 3
	s.Clients, s.Zipf, s.ReadOnly, s.Client = 150, 0.7, protocol.AsOthers.String(), lab.Drop
	s.NearAsIs, s.AdmissionOff = true, true
	s.Warmup, s.Duration = 10*time.Second, 10*time.Second
	s.Check = checkedTries
	return s
}

// d2pcLocking is d2pcBase with rows that are read one after the other, as in the prototype: it
// matters where they are read at remote leaders.
func d2pcLocking() lab.Experiment {
	s := d2pcBase()
	s.OneByOne = true
	return s
}

// d2pcBrief is d2pcBase for figures that compare a protocol with itself, or with formulas.
func d2pcBrief() lab.Experiment {
	s := d2pcBase()
	s.Warmup, s.Duration = 5*time.Second, 5*time.Second
	return s
}

// retwisWriting is the commit latency of the transactions with a decision.
var retwisWriting = writing("add-user", "follow", "post-tweet")

// d2pcTPCC is the same setting with TPC-C. Its transactions write tens of rows, which costs real
// time: the experiments are shorter. Each begins in any warehouse, as in the prototype; the paper
// does not specify it.
func d2pcTPCC() lab.Experiment {
	s := d2pcBase()
	s.Workload, s.Homes, s.Warmup, s.Duration = "tpcc-d2pc", workload.HomesUniform, 4*time.Second, 4*time.Second
	return s
}

func d2pcMicro() lab.Experiment {
	s := d2pcBrief()
	s.Workload, s.Spread = "micro", 3
	return s
}

// d2pcFive has leaders and replicas in five regions: twice the messages.
func d2pcFive() lab.Experiment {
	s := d2pcBrief()
	s.WAN, s.Shards, s.Replicas = "alibaba5", 5, 5
	return s
}

// d2pcAsia has round trips of 29 to 40 ms: five times as many transactions in a second.
func d2pcAsia() lab.Experiment {
	s := d2pcBase()
	s.WAN, s.Warmup, s.Duration = "asia3", 3*time.Second, 3*time.Second
	return s
}

// d2pcSmall has the clients at separate nodes, which co-coordinate and have one slow core: a
// message costs ten times as much there.
func d2pcSmall() lab.Experiment {
	s := d2pcBrief()
	s.Coordinators, s.CoordinatorCores, s.CoordinatorCPU = 1, 1, 10*lab.MessageCPU
	return s
}

// d2pcAlone is d2pcMicro without costs other than the network's and without conflicts: one client a
// region, rows drawn uniformly, one try.
func d2pcAlone() *lab.Experiment {
	s := d2pcMicro()
	s.Clients, s.Zipf, s.CPU, s.Fsync, s.Tries = 3, 0, 0, 0, 1
	s.Warmup, s.Duration = time.Second, 4*time.Second
	return &s
}

// checkedTries is the number of tries of each experiment that are recorded and checked: a protocol
// must not look fast because it is wrong.
const checkedTries = 5000

var (
	d2pcClients = Axis{
		Label: "clients", Values: []int{30, 60, 90, 120, 150, 200, 250, 300}, Quick: []int{30, 300},
		Set: func(s *lab.Experiment, v int) { s.Clients = v },
	}
	// Fewer, where every experiment takes long.
	d2pcFewClients = Axis{
		Label: "clients", Values: []int{30, 60, 120, 200, 300}, Quick: []int{30, 300},
		Set: func(s *lab.Experiment, v int) { s.Clients = v },
	}
	d2pcWideClients = Axis{
		Label: "clients", Values: []int{50, 150, 300}, Quick: []int{50, 300},
		Set: func(s *lab.Experiment, v int) { s.Clients = v },
	}
	d2pcTwoClients = Axis{
		Label: "clients", Values: []int{150, 300}, Quick: []int{150, 300},
		Set: func(s *lab.Experiment, v int) { s.Clients = v },
	}
	d2pcManyClients = Axis{
		Label: "clients", Values: []int{50, 100, 150, 200, 250, 300}, Quick: []int{50, 300},
		Set: func(s *lab.Experiment, v int) { s.Clients = v },
	}
	d2pcLength = Axis{
		Label: "operations of a transaction", Values: []int{2, 4, 6, 8, 10, 12}, Quick: []int{4, 12},
		Set: func(s *lab.Experiment, v int) { s.Length, s.Spread = v, min(v, s.Shards) },
	}
	d2pcZipf = Axis{
		Label: "Zipf coefficient", Values: []int{100, 200, 300, 400, 500, 600, 700, 800, 900}, Quick: []int{500, 900}, Milli: true,
		Set: func(s *lab.Experiment, v int) { s.Zipf = float64(v) / 1000 },
	}
	d2pcFewZipf = Axis{
		Label: "Zipf coefficient", Values: []int{100, 400, 600, 700, 800, 900}, Quick: []int{500, 900}, Milli: true, Set: d2pcZipf.Set,
	}
	d2pcWarehouses = Axis{
		Label: "warehouses of a shard", Values: []int{2, 5, 10, 20, 30}, Quick: []int{2, 30},
		Set: func(s *lab.Experiment, v int) { s.Warehouses = v },
	}
	d2pcShards = Axis{
		Label: "shards", Values: []int{3, 4, 5, 6, 7}, Quick: []int{3, 7},
		Set: func(s *lab.Experiment, v int) { s.Shards = v },
	}
	d2pcDead = Axis{
		Label: "regions whose co-coordinator is dead", Values: []int{0, 1, 2}, Quick: []int{0, 2},
		Set: func(s *lab.Experiment, v int) { s.DeadCoCoordinators = v },
	}
	d2pcPlaces = Axis{Label: "regions of clients and leaders, clients", Values: []int{150}, Quick: []int{150}, Set: func(s *lab.Experiment, v int) {}}
)

var (
	d2pcFour  = []string{"d2pc+2pl", "2pc+2pl", "d2pc+2pl-nro", "2pc+2pl-nro"}
	d2pcOCC   = []string{"d2pc+occ", "2pc+occ", "carousel-fast", "tapir", "starry"}
	d2pcThree = []string{"d2pc+occ", "2pc+occ", "carousel-fast"}
)

// The place of 2PC's coordinator has the largest effect on the comparison with D2PC: at the
// client's gateway, as in the formulas of the paper's table 4, or at a participant's leader,
// through which the prototype sends everything in one of its modes. Both are shown; numbers of
// different settings must not be combined.
var (
	d2pcFourAndLeader = append(slices.Clone(d2pcFour), "2pc+2pl-through-leader", "2pc+2pl-nro-through-leader")
	d2pcCoordinators  = []string{"d2pc+occ", "2pc+occ", "2pc+occ-at-leader", "2pc+occ-through-leader"}
	d2pcOCCAndLeader  = append(slices.Clone(d2pcOCC), "2pc+occ-through-leader")
)

// allMeasures are what most figures show.
var allMeasures = []Measure{throughput, latency, abortRate, lockingTime}

// d2pcConflicts compares the aborts for outdated reads with those for conflicts with a vote: the
// latter are all aborts of a prototype that checks no versions.
func d2pcConflicts() (out []Claim) {
	for _, workload := range []string{", Retwis", ", TPC-C"} {
		for _, row := range []string{"2pc+occ", "carousel-fast"} {
			out = append(out, claim(conflictRate, "d2pc+occ"+workload, row+workload, AtTheEnd, Times, 0))
		}
	}
	return out
}

// because adds the reason to claims that are not met.
func because(reason string, claims ...Claim) []Claim {
	for i := range claims {
		claims[i].Reason = reason
	}
	return claims
}

// d2pcOver compares d2pc+occ with the others of d2pcOCCAndLeader, in that order; 0 where the paper
// has no number.
func d2pcOver(m Measure, where Where, paper ...float64) (out []Claim) {
	for i, number := range paper {
		out = append(out, claim(m, "d2pc+occ", d2pcOCCAndLeader[i+1], where, Times, number))
	}
	return out
}

// Why throughput and latency differ from the paper's in the same setting.
const (
	seeLoop = "the sum of a closed loop: see *why*"
	whyLoop = `In a closed loop throughput is the clients, times the share of their time in transactions that
commit, over the length of such a transaction. With equal shares 43 % less latency is 1.75 times the
throughput; 2.43 times would need D2PC's share to be 1.385 times that of 2PC, and in no setting known to
us is it larger. With 2PC's coordinator at the client the latency is the paper's, and throughput
falls short; the farther away it is, the closer is throughput, and the less close is latency.`
)

// Why D2PC aborts more under contention than in the paper.
const (
	seeStale = "stale reads: see *why*"
	whyStale = `Reads are near, and a replica near a client of D2PC or of 2PC shows a write when the commit has
arrive through its leader's log: most tries that D2PC aborts under contention have read a row that had
changed (d2pc/aborts counts them). Where every replica validates it receives a commit from the
coordinator, and few reads are stale. In the paper's public prototype no read ever is: its versions are all
0. A client draws another transaction when one is aborted, so that every abort is lost throughput.`
)

// The rows of d2pc/reads.
const (
	nroOneByOne = "d2pc+2pl-nro, one by one"
	nroAtOnce   = "d2pc+2pl-nro, at once"
)

// Why the gains of protocols that read at leaders depend on how they read.
const (
	seeReads = "the reading, which D2PC does not shorten: see *why*"
	whyReads = `Rows read at leaders (-nro) are read under locks before the commit begins, and D2PC shortens
the commit alone. One after the other, as in the prototype, the reads are most of a transaction and
of its span, so that the gain is small; in one round they are the smaller part (d2pc/reads has both).`
)

// whyRising is why factors do not grow with contention as the paper's do.
const whyRising = `Contention does not add to the factor: tries are aborted for stale reads more than for rows that are
held (d2pc/aborts), and D2PC, which tries more, loses more to them.`

// Why peaks differ from the paper's.
const (
	seeRising    = "no peak yet, the sum of a closed loop, stale reads: see *why*"
	whyRising300 = `All protocols still rise at 300 clients, the most that the paper has: clients drop aborted transactions, so
that none is caught in transactions that starve, and conflicts stay rare.`
)

// Why aborts do not fall with shards.
const seeKeys = "the keys stay as many, and rows conflict, not shards; perhaps the paper's shards bring keys of their own"

// oneByOne makes a transaction read its rows one after the other.
func oneByOne(s *lab.Experiment) { s.OneByOne = true }

// nroBeside are the claims of figure 5 for protocols that read at leaders.
func nroBeside(d2pc, twoPC string) []Claim {
	return []Claim{
		claim(throughput, d2pc, twoPC, AtTheEnd, Times, 1.73).because(seeReads),
		claim(latency, d2pc, twoPC, AtTheEnd, Change, -25).because(seeReads),
		claim(lockingTime, d2pc, twoPC, AtTheEnd, Change, -44).because(seeReads),
	}
}

// nearBeside are those for protocols that read at near replicas.
func nearBeside(twoPC string) []Claim {
	return []Claim{
		claim(throughput, "d2pc+2pl", twoPC, AtTheEnd, Times, 2.33).because(seeLoop),
		claim(latency, "d2pc+2pl", twoPC, AtTheEnd, Change, -42).because(seeLoop),
		claim(lockingTime, "d2pc+2pl", twoPC, AtTheEnd, Change, -66),
	}
}

// d2pcBeside are the claims of figure 7, beside 2PC with its coordinator in one place.
func d2pcBeside(twoPC string) []Claim {
	return []Claim{
		claim(throughput, "d2pc+occ", twoPC, AtTheEnd, Times, 2.43).because(seeLoop),
		claim(commitLatency, "d2pc+occ", twoPC, AtTheEnd, Change, -43).because(seeLoop),
		claim(lockingTime, "d2pc+occ", twoPC, AtTheEnd, Change, -64),
	}
}

// d2pcAhead is the claim that d2pc+occ is ahead of all others, for which the paper has no number.
func d2pcAhead(where Where) Claim {
	return claim(throughput, "d2pc+occ", strings.Join(d2pcOCC[1:], "|"), where, Ahead, 0)
}

// d2pcBelow is the claim that d2pc+occ has the least of a measure.
func d2pcBelow(m Measure, where Where) Claim {
	return claim(m, "d2pc+occ", strings.Join(d2pcOCC[1:], "|"), where, Below, 0)
}

// across are claims of each protocol at the end of the axis relative to its start.
func across(rows []string, m Measure, kind Kind) (out []Claim) {
	for _, row := range rows {
		out = append(out, claim(m, row, row, Across, kind, 0))
	}
	return out
}

// d2pcLowLoad are the claims that the integrated protocols commit as fast as D2PC at low
// contention.
func d2pcLowLoad() (out []Claim) {
	for _, row := range d2pcOCC[2:] {
		out = append(out, claim(retwisWriting, row, "d2pc+occ", AtTheStart, Level, 0))
	}
	return out
}
