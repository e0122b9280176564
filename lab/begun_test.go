package lab

import (
	"testing"
	"time"
)

// A transaction that ends in the measured time has taken no longer than warm-up and measured time
// together; with CountBegun only transactions that begin in it are counted, and the run waits for
// their end.
func TestStartedTransactionsAreWaitedFor(t *testing.T) {
	s := mannered(Forever)
	s.Keys, s.NeverSure, s.AdmissionOff, s.Rate = 60, true, true, 40
	s.Tries, s.Warmup, s.Duration = 10_000, 500*time.Millisecond, time.Second
	ends := mustRun(t, s)
	s.CountBegun = true
	begins := mustRun(t, s)
	load := ms(s.Warmup + s.Duration)
	if ends.LatencyMS.P9999 > load || begins.LatencyMS.P9999 <= load {
		t.Errorf("in %v ms the longest that ends takes %v ms, the longest that begins %v", load, ends.LatencyMS.P9999, begins.LatencyMS.P9999)
	}
	sum := int64(0)
	for _, n := range begins.CommittedByThird {
		sum += n
	}
	begun := begins.Committed + begins.GaveUp + begins.Indeterminate
	if begins.GaveUp > 0 || begins.CommittedByThird[2] > sum/2 {
		t.Errorf("%d have given up, %v in the thirds of the time", begins.GaveUp, begins.CommittedByThird)
	}
	if begun < 25 || begun > 60 || begins.UnderWay != 0 || sum != begins.Committed || !begins.Check.Serializable {
		t.Errorf("%d of about 40 that begin are counted, %d are under way, %d in the thirds of the time, check %+v", begun, begins.UnderWay, sum, begins.Check)
	}
}
