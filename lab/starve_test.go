package lab

import (
	"testing"
	"time"
)

// crowded is a closed loop without pauses on a hot set: an aborted transaction immediately meets
// the same rows again.
func crowded(row, workload string) Experiment {
	s := Defaults()
	s.Protocol, s.Workload, s.Keys, s.Zipf = row, workload, 1000, 0.99
	s.Clients, s.Warmup, s.Duration, s.Check = 60, time.Second, 60*time.Second, 2000
	s.Tries = 10_000
	return s
}

// A transaction that is retried is older than all that arrive after it, and only older ones take
// its locks: so each of the other clients overtakes it a bounded number of times. Before tries that
// lock first some were retried until the 10,000 tries were used up.
func TestNoTransactionStarves(t *testing.T) {
	for _, row := range []string{"2pc+occ", "d2pc+occ", "2pc+2pl-home", "2pc+2pl-group", "d2pc+2pl-group"} {
		for _, workload := range []string{"ycsb-a", "retwis"} {
			s := crowded(row, workload)
			r := mustRun(t, s)
			t.Logf("%s, %s: %.1f commits a second, %d tries lost, longest %+v", row, workload, r.ThroughputTPS, r.Aborted, r.Longest)
			if most := s.Clients + s.Clients/3; r.Longest.Tries > most || r.Longest.Tries < 2 {
				t.Errorf("%s, %s: a transaction was tried %d times, with %d clients at most %d are to be expected", row, workload, r.Longest.Tries, s.Clients, most)
			}
			if !r.Check.Serializable || r.GaveUp > 0 {
				t.Errorf("%s, %s: %d given up, check %+v", row, workload, r.GaveUp, r.Check)
			}
		}
	}
}
