package figure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"isochron/lab"
	"isochron/protocol"
)

// nattoBase is the setting of section 5.1 of the Natto paper: five regions, in each the leader of
// one of five shards, of three replicas each; transactions arrive at random at a rate, as many from
// each region, one in ten of high priority; a million rows of 64 bytes, Zipf 0.65. An aborted
// transaction is retried immediately, up to a hundred tries; one that runs out of tries is left
// out. Delays are probed each 10 ms. Replicas are placed as in the prototype. Transactions are 2FI;
// protocols without 2FI read and commit them. No admission bounds conflicting tries: only ours
// does.
func nattoBase() lab.Experiment {
	s := lab.Defaults()
	s.Workload, s.WAN, s.Shards, s.Replicas = "ycsb+t", "azure5", 5, 3
	s.Holders = "va,wa,pr/nsw,sg,va/wa,pr,nsw/sg,va,wa/pr,nsw,sg"
	s.Rate, s.Keys, s.Zipf, s.High, s.FixedSet = 350, 1_000_000, 0.65, 0.1, true
	s.Tries, s.AdmissionOff, s.ProbeEvery = 101, true, 10*time.Millisecond
	s.Warmup, s.Duration, s.Check = 10*time.Second, 40*time.Second, checkedTries
	return s
}

// nattoWith is nattoBase with another workload, at a rate.
func nattoWith(workload string, rate float64) lab.Experiment {
	s := nattoBase()
	s.Workload, s.Rate = workload, rate
	return s
}

// nattoBegun is nattoWith that measures the transactions that begin in the measured time, as the
// public prototype does.
func nattoBegun(workload string, rate float64) lab.Experiment {
	s := nattoWith(workload, rate)
	s.CountBegun = true
	return s
}

// nattoRetwis is nattoWith Retwis at a thousand a second or more, where less time than the paper's
// suffices for a percentile: a hundred of high priority arrive in each second.
func nattoRetwis() lab.Experiment {
	s := nattoWith("retwis", 1000)
	s.Warmup, s.Duration = 5*time.Second, 15*time.Second
	return s
}

// nattoReadsLogged is nattoWith Retwis where transactions without writes end as others do, as
// TAPIR's and 2PL's do in the public prototype. There Natto and Carousel answer reads in one round
// and log nothing, but two leaders may so return rows of two times; here a 2FI read is voted on.
func nattoReadsLogged() lab.Experiment {
	s := nattoWith("retwis", 100)
	s.ReadOnly = protocol.AsOthers.String()
	return s
}

// nattoRetwisBegun is nattoRetwis that measures the transactions that begin in the measured time,
// with reads as in nattoReadsLogged.
func nattoRetwisBegun() lab.Experiment {
	s := nattoRetwis()
	s.CountBegun, s.ReadOnly = true, protocol.AsOthers.String()
	return s
}

// nattoBank is SmallBank, a thousand hot ones of a million customers, at a rate. It takes less time
// than the paper's, as nattoRetwis does.
func nattoBank() lab.Experiment {
	s := nattoWith("smallbank", 1500)
	s.Warmup, s.Duration = 5*time.Second, 15*time.Second
	return s
}

// nattoPayments is nattoBank where only payments have high priority.
func nattoPayments() lab.Experiment {
	s := nattoBank()
	s.High, s.HighClass = 0, "send-payment"
	return s
}

// nattoPaymentsSpread is nattoPayments with one hot customer in a hundred, in place of one in a
// thousand: the smallest fraction in the public prototype (smallbank.go: hotSpotPercentage, a whole
// number).
func nattoPaymentsSpread() lab.Experiment {
	s := nattoPayments()
	s.Hot = s.Keys / 100
	return s
}

// nattoPeak is section 5.6: Retwis over rows drawn uniformly, three datacenters, in which a machine
// has the leader of a partition and two followers of others (nattoMachines). Instead of the largest
// open rate it has more clients, in a closed loop, than keep it busy. Delays are those of the
// paper; costs are ours, as everywhere: 20 us of CPU a message, on one core of a machine, where the
// paper's machines have twelve and the cost of a message is not published. So the peaks are ours;
// their growth and their order can be compared with the paper's.
func nattoPeak() lab.Experiment {
	s := nattoWith("retwis", 0)
	s.Zipf, s.Cores = 0, 1
	s.Warmup, s.Duration = time.Second, 2*time.Second
	return s
}

// peakClients of a partition are more than keep its machine busy.
const peakClients = 150

// nattoMachines has this many partitions, each led from a machine of its own; its followers are on
// the machines of the same number in the two other datacenters.
func nattoMachines(s *lab.Experiment, partitions int) {
	dcs, groups := []string{"dc1", "dc2", "dc3"}, []string{}
	n := partitions / len(dcs)
	for i := range partitions {
		group := []string{}
		for next := range dcs {
			group = append(group, fmt.Sprintf("%s-%d", dcs[(i+next)%len(dcs)], i/len(dcs)+1))
		}
		groups = append(groups, strings.Join(group, ","))
	}
	s.WAN, s.Holders = fmt.Sprintf("natto3*%d", n), strings.Join(groups, "/")
	s.Shards, s.Clients = partitions, peakClients*partitions
}

// nattoLossy is section 5.5's loss of packets, over TCP.
func nattoLossy() lab.Experiment {
	s := nattoWith("ycsb+t", 100)
	s.TCP = true
	return s
}

// nattoUnhurried is nattoLossy with the public prototype's time-outs: its replicas start an
// election after 6 s (raftnode.go: 60 ticks of 100 ms), and nothing is sent again over TCP.
func nattoUnhurried() lab.Experiment {
	s := nattoLossy()
	s.ElectionTimeout, s.ResendAfter = 6*time.Second, 20*time.Second
	return s
}

// likeCommits are protocols whose aborts cost the same as in the public prototype, by their names
// in a figure: there the client of an aborted transaction is notified when all participants have
// voted, and aborts are logged before they release their keys, like commits.
const likeCommits = ", aborts as in the prototype"

func nattoLost(rows ...string) map[string]Variant {
	out := map[string]Variant{}
	for _, row := range rows {
		out[row+likeCommits] = rowOver(row, func(s *lab.Experiment) { s.AbortsLikeCommits = true })
	}
	return out
}

// asItsPaper is tapir to the letter: reads wait for no transaction, and a decision is recorded by a
// majority before replicas apply it. asThere is that as in the public prototype of Natto, where a
// refusal needs a majority, too, unless all replicas refuse. endsLate approximates the prototype's
// carousel-fast, whose followers receive the decision by their leader's log: that takes about as
// long as recording it first.
const (
	asItsPaper = ", as its paper"
	asThere    = ", as in the prototype"
	endsLate   = ", ends as late as in the prototype"
)

func nattoToTheLetter() map[string]Variant {
	out := nattoLost("natto-recsf", "natto-ts", "carousel-basic")
	toTheLetter := func(s *lab.Experiment) { s.ReadsUnwaited, s.EndsNotedFirst = true, true }
	out["tapir"+asItsPaper], out["carousel-fast"+endsLate] = rowOver("tapir", toTheLetter), rowOver("carousel-fast", toTheLetter)
	out["tapir"+asThere] = rowOver("tapir", func(s *lab.Experiment) {
		s.ReadsUnwaited, s.EndsNotedFirst, s.AbortsLikeCommits = true, true, true
	})
	return out
}

// The paper's measures: the latencies of both priorities.
var (
	highTail = tail.of("high priority")
	lowTail  = tail.of("low priority")
	// nattoGap is the gain of high priority.
	nattoGap = Measure{"p95 latency of high priority beside that of low priority", "%", func(r lab.Result) float64 { return percent(highTail.Of(r), lowTail.Of(r)) }}
)

var (
	nattoRows     = []string{"natto-recsf", "natto-cp", "natto-pa", "natto-lecsf", "natto-ts", "carousel-basic", "carousel-fast", "tapir", "natto-2pl", "natto-2pl-p", "natto-2pl-pow"}
	nattoRivals   = []string{"natto-recsf", "natto-ts", "carousel-basic", "carousel-fast", "tapir", "natto-2pl", "natto-2pl-p", "natto-2pl-pow"}
	nattoOthers   = strings.Join(nattoRivals[2:], "|")
	nattoReplicas = []string{"natto-recsf" + likeCommits, "natto-ts" + likeCommits, "carousel-basic" + likeCommits, "carousel-fast" + endsLate, "tapir" + asThere}
	nattoThere    = append(slices.Clone(nattoReplicas), "natto-2pl-p")
	nattoPeaks    = []string{"natto-recsf", "natto-ts", "carousel-basic", "carousel-fast", "tapir", "natto-2pl", "natto-2pl-p"}
	natto2PL      = []string{"natto-recsf", "natto-2pl", "natto-2pl-p", "natto-2pl-pow"}
	nattoShows    = []Measure{highTail, lowTail, throughput, abortRate}
)

// The parameters.
var (
	nattoRate = Axis{
		Label: "transactions a second", Values: []int{50, 150, 250, 350}, Quick: []int{50, 350},
		Set: func(s *lab.Experiment, v int) { s.Rate = float64(v) },
	}
	nattoRetwisRate = Axis{
		Label: "transactions a second", Values: []int{100, 500, 1000, 1500}, Quick: []int{100, 1500},
		Set: func(s *lab.Experiment, v int) { s.Rate = float64(v) },
	}
	nattoBegunRate = Axis{
		Label: nattoRetwisRate.Label, Values: []int{500, 1000, 1500}, Quick: []int{500, 1500}, Set: nattoRetwisRate.Set,
	}
	nattoBankRate = Axis{
		Label: "transactions a second", Values: []int{500, 1000, 1500, 2000}, Quick: []int{500, 2000},
		Set: func(s *lab.Experiment, v int) { s.Rate = float64(v) },
	}
	nattoPaymentRate = Axis{
		Label: "transactions a second", Values: []int{100, 1000, 2000, 4000, 6000}, Quick: []int{100, 6000},
		Set: func(s *lab.Experiment, v int) { s.Rate = float64(v) },
	}
	nattoSkew = Axis{
		Label: "Zipf coefficient", Milli: true, Values: []int{650, 750, 850, 950}, Quick: []int{650, 950},
		Set: func(s *lab.Experiment, v int) { s.Zipf = float64(v) / 1000 },
	}
	nattoPartitions = Axis{
		Label: "partitions", Values: []int{3, 6, 9, 12}, Quick: []int{3, 12}, Set: nattoMachines,
	}
	nattoLoss = Axis{
		Label: "packets lost (%)", Milli: true, Values: []int{0, 500, 1000, 1500, 2000, 2500, 3000}, Quick: []int{0, 3000},
		Set: func(s *lab.Experiment, v int) { s.Loss = float64(v) / 1000 / 100 },
	}
	// nattoTypicalLoss is the range that the paper calls low to moderate: less than 1 %.
	nattoTypicalLoss = Axis{
		Label: "packets lost (%)", Milli: true, Values: []int{250, 500, 750}, Quick: []int{250, 750}, Set: nattoLoss.Set,
	}
	// nattoClouds has Virginia and Washington in another cloud.
	nattoClouds = Axis{
		Label: "datacenters in another cloud", Values: []int{0, 2}, Quick: []int{0, 2},
		Set: func(s *lab.Experiment, v int) {
			if v > 0 {
				s.WAN = "hybrid5"
			}
		},
	}
	nattoHigh = Axis{
		Label: "transactions of high priority (%)", Values: []int{10, 20, 40, 60, 80, 100}, Quick: []int{10, 100},
		Set: func(s *lab.Experiment, v int) { s.High = float64(v) / 100 },
	}
	nattoJitter = Axis{
		Label: "deviation of delays (% of the mean)", Values: []int{0, 5, 10, 15, 20, 40}, Quick: []int{0, 40},
		Set: func(s *lab.Experiment, v int) { s.Jitter = float64(v) / 100 },
	}
	// nattoModerateJitter ends where the paper's low to moderate variance of delays does.
	nattoModerateJitter = Axis{
		Label: nattoJitter.Label, Values: []int{0, 5, 10, 15}, Quick: []int{0, 15}, Set: nattoJitter.Set,
	}
	// nattoNetemJitter is the variance as the public prototype sets it (sbin/delay-set.py): by
	// netem, whose pareto ends four deviations above the mean.
	nattoNetemJitter = Axis{
		Label: nattoJitter.Label, Values: []int{0, 10, 20, 40}, Quick: []int{0, 40},
		Set: func(s *lab.Experiment, v int) { s.Jitter, s.Netem = float64(v)/100, v > 0 },
	}
)
