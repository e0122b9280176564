package lab

import "testing"

// Transactions that are declared whole are measured by their priorities and checked as others are, by
// rows that vote on them as they read and by such as do not.
func TestDeclaredTransactionsAreMeasured(t *testing.T) {
	for _, row := range []string{"natto-recsf", "natto-2pl-p", "tapir"} {
		s := short()
		s.Protocol, s.Workload, s.WAN, s.Shards, s.Replicas, s.Keys = row, "retwis", "azure5", 5, 3, 1000
		s.Rate, s.High, s.Declares, s.Tries, s.AdmissionOff = 60, 0.3, true, 101, true
		r := mustRun(t, s)
		high, low := r.ByClass["high priority"].Committed, r.ByClass["low priority"].Committed
		if !r.Check.Serializable || r.Check.Checked == 0 || high == 0 || low < high || high+low != r.Committed {
			t.Errorf("%s: %d high, %d low, %d in all committed, check %+v", row, high, low, r.Committed, r.Check)
		}
		s.High = 0
		if r := mustRun(t, s); r.ByClass["high priority"].Committed+r.ByClass["low priority"].Committed > 0 {
			t.Errorf("%s: priorities are told where none are drawn", row)
		}
	}
}
