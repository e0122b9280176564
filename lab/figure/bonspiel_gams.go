package figure

import (
	"time"

	"isochron/lab"
	"isochron/txn"
)

// bonspielReads are figures of Bonspiel's choice between near reads and reads at leaders, which its
// paper mentions and leaves to its technical report (sections 3.2 and 4.3).
var bonspielReads = []*Figure{
	{
		Name: "bonspiel/threshold", Title: "The threshold of reads at leaders, under a load that changes while it runs",
		Source:    "ours; Bonspiel, section 3.2, describes how it adapts, without numbers",
		Protocols: []string{"bonspiel", "r4+gams", gamsFixed, readNear, "r4"}, Axis: bonspielOnce, Base: shifting(),
		Variants: map[string]Variant{
			gamsFixed: {"r4+gams", func(s *lab.Experiment) { s.Warmth.Fixed = true }},
			readNear:  {"r4+gams", func(s *lab.Experiment) { s.Warmth = txn.Warmth{Fixed: true, Threshold: never} }},
		},
		Over: []PieceMeasure{thresholdThen, abortsThen, throughputThen, tailThen},
	},
}

// The names of r4+gams with a fixed threshold: the public prototype's, and one that no temperature
// reaches.
const (
	gamsFixed = "threshold fixed"
	readNear  = "always near"
)

// never is a threshold that no temperature reaches.
const never = 1 << 60

var (
	thresholdThen = PieceMeasure{"threshold", "updates in 1000 round trips", func(p lab.Piece) float64 { return p.Threshold }}
	abortsThen    = PieceMeasure{"abort rate", "%", func(p lab.Piece) float64 { return 100 * p.AbortRate }}
	bonspielOnce  = Axis{Label: "seconds", Values: []int{60}, Quick: []int{60}, Set: func(*lab.Experiment, int) {}}
)

// shifting is the paper's map and placement, five regions with a replica of each of five shards,
// and Retwis whose clients choose among a hundred thousand rows uniformly, then for 20 s mostly the
// same few, and uniformly again. Clients retry until they have committed, and no admission bounds
// conflicting tries: only ours does.
func shifting() lab.Experiment {
	s := lab.Defaults()
	s.Workload, s.WAN, s.Shards, s.Replicas = "retwis", "azure5", 5, 5
	s.Clients, s.Keys, s.Zipf, s.Skews = 50, 100_000, 0, "20s=0.75,40s=0"
	s.AdmissionOff = true
	s.Warmup, s.Duration, s.Series = 5*time.Second, 60*time.Second, 2*time.Second
	s.Check = checkedTries
	return s
}
