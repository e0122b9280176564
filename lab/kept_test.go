package lab

import (
	"testing"
	"time"
)

// An experiment that is requested twice is run once, within a call and over several; each call has
// its results in its own order.
func TestKeptRunsEachExperimentOnce(t *testing.T) {
	short := func(clients int) Experiment {
		s := Defaults()
		s.Clients, s.Warmup, s.Duration = clients, 100*time.Millisecond, 300*time.Millisecond
		return s
	}
	one, two, three := short(1), short(2), short(3)
	var k Kept
	run := func(specs ...Experiment) (time.Duration, []Result) {
		var made time.Duration
		results, err := k.RunAll(t.Context(), specs, 1, func(_, total time.Duration) { made = total })
		if err != nil {
			t.Fatal(err)
		}
		return made, results
	}
	made, first := run(one, two, one)
	if each := one.Warmup + one.Duration; made != 2*each || first[0].TraceHash != first[2].TraceHash || first[0].TraceHash == first[1].TraceHash {
		t.Errorf("%v of experiments were made, want %v; traces %s, %s, %s", made, 2*each, first[0].TraceHash, first[1].TraceHash, first[2].TraceHash)
	}
	made, second := run(three, two)
	if each := one.Warmup + one.Duration; made != each || second[1].TraceHash != first[1].TraceHash || second[0].TraceHash == first[1].TraceHash {
		t.Errorf("%v of experiments were made, want %v; traces %s, %s", made, each, second[0].TraceHash, second[1].TraceHash)
	}
	if made, _ := run(three, two); made != 0 {
		t.Errorf("%v of experiments were made that were kept", made)
	}
}
