package lab

import (
	"strings"
	"testing"
	"time"
)

// 2FI transactions are measured by their priorities and checked as others are, under protocols that
// vote on them as they read and under others.
func TestFixedSetTransactionsAreMeasured(t *testing.T) {
	for _, row := range []string{"natto-recsf", "natto-2pl-p", "tapir"} {
		s := short()
		s.Protocol, s.Workload, s.WAN, s.Shards, s.Replicas, s.Keys = row, "retwis", "azure5", 5, 3, 1000
		s.Rate, s.High, s.FixedSet, s.Tries, s.AdmissionOff = 60, 0.3, true, 101, true
		r := mustRun(t, s)
		high, low := r.ByClass["high priority"].Committed, r.ByClass["low priority"].Committed
		if !r.Check.Serializable || r.Check.Checked == 0 || high == 0 || low < high || high+low != r.Committed {
			t.Errorf("%s: %d high, %d low, %d in all committed, check %+v", row, high, low, r.Committed, r.Check)
		}
		s.High = 0
		if r := mustRun(t, s); r.ByClass["high priority"].Committed+r.ByClass["low priority"].Committed > 0 {
			t.Errorf("%s: priorities are reported where none are drawn", row)
		}
	}
}

// All transactions of one class have high priority, and no others; a class that never occurs is an
// error.
func TestAClassOfHighPriority(t *testing.T) {
	s := short()
	s.Protocol, s.Workload, s.WAN, s.Shards, s.Replicas, s.Keys = "natto-recsf", "smallbank", "azure5", 5, 3, 10_000
	s.Rate, s.HighClass, s.FixedSet, s.Tries, s.AdmissionOff = 60, "send-payment", true, 101, true
	r := mustRun(t, s)
	high, payments := r.ByClass["high priority"].Committed, r.ByClass["send-payment"].Committed
	if !r.Check.Serializable || high == 0 || high != payments || high+r.ByClass["low priority"].Committed != r.Committed {
		t.Errorf("%d high, %d payments, %d in all committed, check %+v", high, payments, r.Committed, r.Check)
	}
	s.HighClass = "sendPayment"
	if _, err := Run(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), "sendPayment") || !strings.Contains(err.Error(), "send-payment") {
		t.Errorf("a class that does not occur: %v", err)
	}
}

// An experiment counts rules on request, and is the same then.
func TestRulesAreCounted(t *testing.T) {
	s := short()
	s.Protocol, s.Workload, s.WAN, s.Shards, s.Replicas, s.Keys = "natto-pa", "ycsb+t", "azure5", 5, 3, 1000
	s.Rate, s.High, s.FixedSet, s.Tries, s.AdmissionOff = 60, 0.3, true, 101, true
	plain := mustRun(t, s)
	s.CountRules = true
	counted := mustRun(t, s)
	if plain.Rules != nil || counted.Rules["low-preempted"] == 0 || counted.TraceHash != plain.TraceHash {
		t.Errorf("counted %v, and %v without", counted.Rules, plain.Rules)
	}
}

// Where clocks are seconds apart the arrival times are wrong, and 2FI transactions commit all the
// same: none waits for a clock whose error exceeds the delays.
func TestClocksApart(t *testing.T) {
	s := short()
	s.Protocol, s.Workload, s.WAN, s.Shards, s.Replicas = "natto-recsf", "ycsb+t", "azure5", 5, 3
	s.Rate, s.High, s.FixedSet, s.Tries, s.AdmissionOff = 20, 0.1, true, 101, true
	s.Duration = 12 * time.Second
	set := mustRun(t, s)
	for _, skew := range []time.Duration{4 * time.Second, 8 * time.Second} {
		s.Skew = skew
		wrong := mustRun(t, s)
		if !wrong.Check.Serializable || 10*wrong.Committed < 9*set.Committed || wrong.LatencyMS.P50 > 2*set.LatencyMS.P50 {
			t.Errorf("clocks %v wrong: %d commits, p50 %v ms, where it is %d and %v ms by clocks that are right, check %+v",
				skew, wrong.Committed, wrong.LatencyMS.P50, set.Committed, set.LatencyMS.P50, wrong.Check)
		}
	}
}
