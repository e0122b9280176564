package lab

import (
	"testing"
	"time"

	"isochron/protocol"
)

// A read-only transaction costs one round trip to the leaders by default, and all that a commit
// costs if it is configured to end as others do.
func TestReadOnlyAsOthers(t *testing.T) {
	s := Defaults()
	s.WAN, s.Protocol, s.Clients, s.Zipf, s.Keys = "uniform:100ms:3", "2pc+occ", 6, 0, 100_000
	s.CPU, s.Fsync, s.Warmup, s.Duration = 0, 0, time.Second, 10*time.Second
	hops := map[bool]float64{}
	for _, asOthers := range []bool{false, true} {
		if asOthers {
			s.ReadOnly = protocol.AsOthers.String()
		}
		r, err := Run(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		hops[asOthers] = r.ByClass["timeline"].WANHopsCommit
		if !r.Check.Serializable || r.ByClass["timeline"].Committed == 0 {
			t.Errorf("as others: %v: %+v", asOthers, r.Check)
		}
	}
	if hops[false] > 2 || hops[true] < hops[false]+1 {
		t.Errorf("a timeline's commit takes %v one-way hops, and %v as others do", hops[false], hops[true])
	}
}
