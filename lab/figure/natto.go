package figure

import (
	"time"

	"isochron/lab"
)

// nattoBase is the setting of section 5.1 of the Natto paper: five regions, in each the leader of one of
// five shards, of three replicas each; transactions come at random at a rate, as many from each
// region, one in ten of high priority; a million rows of 64 bytes, Zipf 0.65. What is aborted is tried
// again at once, up to a hundred times; who runs out of tries is left out. Delays are probed each 10
// ms. Replicas are where the prototype has them. Transactions declare their keys; the rows that do not
// heed that read and commit them. No gateway bounds the tries that contend: that is ours alone.
func nattoBase() lab.Spec {
	s := lab.Defaults()
	s.Workload, s.WAN, s.Shards, s.Replicas = "ycsb+t", "azure5", 5, 3
	s.Holders = "va,wa,pr/nsw,sg,va/wa,pr,nsw/sg,va,wa/pr,nsw,sg"
	s.Rate, s.Keys, s.Zipf, s.High, s.Declares = 350, 1_000_000, 0.65, 0.1, true
	s.Tries, s.AdmissionOff, s.ProbeEvery = 101, true, 10*time.Millisecond
	s.Warmup, s.Duration, s.Check = 10*time.Second, 40*time.Second, checkedTries
	return s
}

// nattoWith is nattoBase with another workload, at a rate.
func nattoWith(workload string, rate float64) lab.Spec {
	s := nattoBase()
	s.Workload, s.Rate = workload, rate
	return s
}

// What the paper shows: how long those of either priority take.
var (
	highTail = tail.of("high priority")
	lowTail  = tail.of("low priority")
)

var (
	nattoRows   = []string{"natto-recsf", "natto-cp", "natto-pa", "natto-lecsf", "natto-ts", "carousel-basic", "carousel-fast", "tapir", "natto-2pl", "natto-2pl-p", "natto-2pl-pow"}
	nattoRivals = []string{"natto-recsf", "natto-ts", "carousel-basic", "carousel-fast", "tapir", "natto-2pl", "natto-2pl-p", "natto-2pl-pow"}
	natto2PL    = []string{"natto-recsf", "natto-2pl", "natto-2pl-p", "natto-2pl-pow"}
	nattoShows  = []Measure{highTail, lowTail, throughput, abortRate}
)

// The parameters.
var (
	nattoRate = Axis{
		Label: "transactions a second", Values: []int{50, 100, 150, 200, 250, 300, 350}, Quick: []int{50, 350},
		Set: func(s *lab.Spec, v int) { s.Rate = float64(v) },
	}
	nattoRetwisRate = Axis{
		Label: "transactions a second", Values: []int{100, 500, 1000, 1500}, Quick: []int{100, 1500},
		Set: func(s *lab.Spec, v int) { s.Rate = float64(v) },
	}
	nattoSkew = Axis{
		Label: "Zipf coefficient", Milli: true, Values: []int{650, 750, 850, 950}, Quick: []int{650, 950},
		Set: func(s *lab.Spec, v int) { s.Zipf = float64(v) / 1000 },
	}
	nattoHigh = Axis{
		Label: "transactions of high priority (%)", Values: []int{10, 20, 40, 60, 80, 100}, Quick: []int{10, 100},
		Set: func(s *lab.Spec, v int) { s.High = float64(v) / 100 },
	}
	nattoJitter = Axis{
		Label: "deviation of delays (% of the mean)", Values: []int{0, 5, 10, 15, 20, 40}, Quick: []int{0, 40},
		Set: func(s *lab.Spec, v int) { s.Jitter = float64(v) / 100 },
	}
)
