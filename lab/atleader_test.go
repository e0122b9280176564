package lab

import (
	"math"
	"testing"
	"time"
)

// Where a participant's leader decides, a commit takes that many milliseconds more than where the
// gateway decides, as often as that leader is in another region: on a map of one round trip of 100
// ms the votes take half of it more to the client, and the prepares as much if they pass through
// that leader too. A span takes a round trip for the majority, and one for votes and decision.
func TestACoordinatorAtALeader(t *testing.T) {
	for row, want := range map[string]struct{ commit, hops float64 }{
		"2pc+occ":                {200, 4},
		"2pc+occ-at-leader":      {(200 + 2*250) / 3.0, (4 + 2*5) / 3.0},
		"2pc+2pl-at-leader":      {(200 + 2*250) / 3.0, (4 + 2*5) / 3.0},
		"2pc+occ-through-leader": {(200 + 2*300) / 3.0, (4 + 2*6) / 3.0},
	} {
		r := mustRun(t, Experiment{
			Protocol: row, Workload: "micro", WAN: "uniform:100ms:3", Shards: 3, Clients: 12, Length: 3, Spread: 3, Keys: 1_000_000,
			Cores: 1, Tries: 1, Warmup: time.Second, Duration: 20 * time.Second, Seed: 1, Check: 1000,
		})
		near := func(got, want float64) bool { return math.Abs(got-want) <= 0.03*want }
		if r.Committed < 500 || r.Aborted > r.Committed/100 || !r.Check.Serializable {
			t.Errorf("%s: %d committed, %d aborted, check %+v", row, r.Committed, r.Aborted, r.Check)
		}
		if !near(r.CommitMS.Avg, want.commit) || !near(r.WANHopsCommit, want.hops) || !near(r.ContentionSpanMS.Avg, 200) {
			t.Errorf("%s: commits take %v ms and %v messages, spans %v ms; want %+v and 200", row, r.CommitMS.Avg, r.WANHopsCommit, r.ContentionSpanMS.Avg, want)
		}
	}
}
