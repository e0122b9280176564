package lab

import (
	"strings"
	"testing"
	"time"

	"isochron/txn"
)

// While rows are chosen uniformly almost no try is aborted, and the threshold of reads at leaders
// rises; when most clients choose the same rows it falls.
func TestALoadThatChanges(t *testing.T) {
	s := short()
	s.Protocol, s.Workload, s.Keys, s.Zipf, s.Clients = "r4+gams", "retwis", 10_000, 0, 24
	s.Duration, s.Series, s.Skews = 8*time.Second, 2*time.Second, "4s=1.2"
	s.Warmth = txn.Warmth{Every: 200 * time.Millisecond, Tries: 10}
	r := mustRun(t, s)
	if len(r.Series) != 4 || !r.Check.Serializable || r.Experiment.Skews != s.Skews {
		t.Fatalf("%+v, check %+v", r.Series, r.Check)
	}
	even, skewed := r.Series[1], r.Series[3]
	if even.AbortRate > 0.05 || skewed.AbortRate < 0.2 {
		t.Errorf("%v of the tries are lost, and then %v", even.AbortRate, skewed.AbortRate)
	}
	if even.Threshold <= r.Series[0].Threshold || skewed.Threshold >= even.Threshold || skewed.Threshold == 0 {
		t.Errorf("the thresholds are %+v", r.Series)
	}
	s.Warmth.Fixed = true
	if fixed := mustRun(t, s); fixed.Series[3].Threshold != 0 {
		t.Errorf("a fixed threshold is reported as %v", fixed.Series[3].Threshold)
	}
	s.Protocol = "r4"
	if none := mustRun(t, s); none.Series[3].Threshold != 0 {
		t.Errorf("a protocol that reads at leaders has a threshold of %v", none.Series[3].Threshold)
	}
	for _, text := range []string{"4s", "soon=1", "4s=11", "-1s=1", "4s=warm"} {
		s.Skews = text
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "no change of the load") {
			t.Errorf("%q: %v", text, err)
		}
	}
	s.Skews, s.Workload = "4s=1", "tpcc"
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "its load cannot change") {
		t.Errorf("of a workload that is loaded: %v", err)
	}
}
