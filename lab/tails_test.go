package lab

import (
	"testing"
	"time"

	"isochron/sim"
	"isochron/txn"
)

// The slowest thousandth has the slowest commits alone, in whatever order they ended, and splits
// their time.
func TestSlowest(t *testing.T) {
	var s slowest
	for i := range 4000 {
		latency := time.Duration(i*2503%4000) * time.Millisecond // each once
		s.add(outcome{latency: latency, execute: time.Millisecond, commit: latency / 4, tries: i % 3})
	}
	got := s.report(4000)
	want := (3999 + 3998 + 3997 + 3996) / 4.0
	if total := got.Execute + got.Commit + got.Abort; got.Commits != 4 || total < want-0.01 || total > want+0.01 || got.Execute != 1 {
		t.Errorf("%+v, and not of %v ms", got, want)
	}
	if len(s.kept) != slowestMax {
		t.Errorf("%d are kept", len(s.kept))
	}
	if none := (&slowest{}).report(0); none != (Slowest{}) {
		t.Errorf("%+v of nothing", none)
	}
}

// A transaction that never commits is in no latency, and in EveryMS: at the time after which it was
// given up, or at its age at the end.
func TestStarvedTransactionsAreCounted(t *testing.T) {
	s := short()
	s.Keys, s.Zipf, s.Client, s.Tries, s.Backoff = 100, 1, ByRegion, 4, 2*time.Millisecond
	r := mustRun(t, s)
	if r.GaveUp == 0 || r.UnderWay == 0 || r.EveryMS.P999 < r.LatencyMS.P50 {
		t.Fatalf("%d given up, %d under way, %+v", r.GaveUp, r.UnderWay, r.EveryMS)
	}
	sum := int64(0)
	for _, class := range []string{classSR, classMR} {
		sum += r.ByClass[class].UnderWay
	}
	if sum != r.UnderWay {
		t.Errorf("%d of the classes are under way, and %d of all", sum, r.UnderWay)
	}
	if r.EveryMS.Avg == r.LatencyMS.Avg {
		t.Errorf("all of them together take %v ms on average, like the committed ones", r.EveryMS.Avg)
	}
}

// A client by region pauses longer and longer in its own region alone, and shortly elsewhere.
func TestPausesByRegion(t *testing.T) {
	s := short()
	s.Client, s.Backoff = ByRegion, time.Millisecond
	spec, err := s.resolve()
	if err != nil {
		t.Fatal(err)
	}
	r := &run{spec: spec, dir: spec.directory()}
	if r.w, err = spec.world(r.dir, nil); err != nil {
		t.Fatal(err)
	}
	defer r.w.Close()
	pauses := map[string]time.Duration{}
	r.w.Go(1, func(c *sim.Client) {
		for class, try := range map[string]int{classSR: 10, classMR: 10, "first": 1} { // order: summed
			began := c.Elapsed()
			for range 1000 {
				r.pause(c, try, txn.KindAborted, class)
			}
			pauses[class] = (c.Elapsed() - began) / 1000
		}
	})
	r.w.Run(time.Minute)
	for class, want := range map[string]time.Duration{classSR: 32 * time.Millisecond, classMR: time.Millisecond, "first": time.Millisecond} {
		if got := pauses[class]; got < want*9/10 || got > want*11/10 {
			t.Errorf("%s: %v on average, not %v", class, got, want)
		}
	}
}
