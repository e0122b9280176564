package test

import (
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
)

// TestInjectedAnomaliesAreFound injects bugs into clusters of their own: the plays must find them;
// otherwise the suite proves nothing.
func TestInjectedAnomaliesAreFound(t *testing.T) {
	if *dsn != "" {
		t.Skip("nothing can be planted in another server")
	}
	for _, c := range []struct {
		bug  string
		row  string
		bugs node.InjectedBugs
		play string // the anomaly that shows it
	}{
		{"validation skipped", "2pc+occ", node.InjectedBugs{SkipValidation: true}, "write skew"},
		{"validation skipped", "2pc+occ", node.InjectedBugs{SkipValidation: true}, "read-only anomaly"},
		{"ranges not validated", "2pc+occ", node.InjectedBugs{IgnoreRangeChecks: true}, "phantom in a count"},
		{"ranges not validated", "2pc+occ", node.InjectedBugs{IgnoreRangeChecks: true}, "phantom in an index"},
	} {
		spec, err := protocol.ByName(c.row)
		if err != nil {
			t.Fatal(err)
		}
		// Started before the subtests run: see start.
		planted := startFor(t, spec, c.bugs, nil)
		t.Run(c.bug+"/"+c.play, func(t *testing.T) {
			t.Parallel()
			s := planted.house().stage(t, layouts[0])
			if !s.shows(c.play) {
				t.Errorf("%s, and %q did not show it", c.bug, c.play)
			}
		})
	}
}

// shows plays an anomaly again and again, until something happens that no serial
// order explains.
func (s *stage) shows(name string) bool {
	for _, a := range anomalies {
		if a.name != name {
			continue
		}
		for try := range 40 {
			s.pause = time.Duration(try%4) * 5 * time.Millisecond // a near replica may be behind
			saw, left, _ := s.play(a.start, a.txns, a.order)
			if explain(a.start, left, a.txns, saw, false) == nil {
				return true
			}
		}
	}
	return false
}
