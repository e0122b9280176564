package lab

import "testing"

// Under TCP lost segments are late: fewer transactions commit in the measured time than without
// loss, and commits take longer. Without loss TCP changes nothing.
func TestLossOverTCP(t *testing.T) {
	s := short()
	s.Protocol, s.Workload, s.WAN, s.Shards, s.Replicas, s.Keys = "natto-ts", "ycsb+t", "azure5", 5, 3, 10_000
	s.Rate, s.FixedSet, s.Tries, s.AdmissionOff = 40, true, 101, true
	plain := mustRun(t, s)
	s.TCP = true
	if same := mustRun(t, s); same.TraceHash != plain.TraceHash {
		t.Error("the run differs without loss")
	}
	s.Loss = 0.02
	r := mustRun(t, s)
	if !r.Check.Serializable || r.Committed == 0 || r.LatencyMS.P95 < plain.LatencyMS.P95*1.2 {
		t.Errorf("%d commit, p95 %v beside %v, check %+v", r.Committed, r.LatencyMS.P95, plain.LatencyMS.P95, r.Check)
	}
}
