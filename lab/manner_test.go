package lab

import (
	"strings"
	"testing"
	"time"
)

// mannered is a short experiment with many conflicts.
func mannered(m Manner) Experiment {
	s := short()
	s.Keys, s.Zipf, s.Client, s.Warmup, s.Duration = 1000, 0.9, m, time.Second, 4*time.Second
	return s
}

// Each manner of client behaves after an abort as specified.
func TestClientsByName(t *testing.T) {
	for _, row := range []string{"2pc+occ", "d2pc+occ", "2pc+2pl", "tapir"} {
		got := map[Manner]Result{}
		for _, m := range Manners {
			s := mannered(m)
			s.Protocol = row
			got[m] = mustRun(t, s)
			if r := got[m]; !r.Check.Serializable || r.Committed == 0 || r.Experiment.Client != m {
				t.Errorf("%s, %s: %d committed, check %+v", row, m, r.Committed, r.Check)
			}
		}
		drop, hold, forever := got[Drop], got[Hold5], got[Forever]
		for m, r := range map[Manner]Result{Drop: drop, Hold5: hold} {
			if r.Longest.Tries != 1 || r.GaveUp != r.Aborted || r.Aborted == 0 {
				t.Errorf("%s, %s: up to %d tries, %d given up of %d aborted", row, m, r.Longest.Tries, r.GaveUp, r.Aborted)
			}
		}
		if forever.Longest.Tries < 3 || forever.GaveUp > forever.Aborted/10 {
			t.Errorf("%s: a client that always retries tried %d times and gave up %d times", row, forever.Longest.Tries, forever.GaveUp)
		}
		// A row that was written meanwhile ends it, so that few are saved; those commit late.
		if hold.AbortRate > drop.AbortRate || hold.CommitMS.P99 < 1.2*drop.CommitMS.P99 {
			t.Errorf("%s: prepared again %v%% are aborted, else %v%%; the slowest commits take %v and %v ms", row, 100*hold.AbortRate, 100*drop.AbortRate, hold.CommitMS.P99, drop.CommitMS.P99)
		}
	}
}

func TestAnUnknownClientErrorListsTheKnown(t *testing.T) {
	s := short()
	s.Client = "once"
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "drop, hold5, forever, by-region") {
		t.Errorf("%v", err)
	}
}
