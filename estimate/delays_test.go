package estimate

import (
	"testing"
	"time"

	"isochron/txn"
)

const ms = time.Millisecond

func trip(at, rtt time.Duration) Sample { return Sample{At: at, RoundTrip: rtt} }

// One spike in twenty samples is beyond the percentile, two are not; an old one no longer counts.
func TestPercentileOfTheWindow(t *testing.T) {
	d := NewDelays(Config{})
	for i := range 20 {
		d.Add(2, trip(time.Duration(i)*10*ms, 80*ms))
	}
	d.Add(2, trip(200*ms, 300*ms))
	if got, ok := d.To(2, 200*ms); !ok || got.P95 != 80*ms || got.Samples != 21 || got.Last != 300*ms {
		t.Errorf("one spike: %+v", got)
	}
	d.Add(2, trip(210*ms, 300*ms))
	if got, _ := d.To(2, 210*ms); got.P95 != 300*ms {
		t.Errorf("two spikes: %+v", got)
	}
	d.Add(2, trip(1211*ms, 81*ms))
	if got, _ := d.To(2, 1211*ms); got.P95 != 81*ms || got.Samples != 1 {
		t.Errorf("a second later: %+v", got)
	}
	if got, _ := d.To(2, time.Hour); got.P95 != 81*ms || got.Samples != 0 {
		t.Errorf("an hour later the newest is all there is: %+v", got)
	}
}

// The average moves by a fifth of the way with each sample.
func TestAverageDecays(t *testing.T) {
	d := NewDelays(Config{})
	for i, step := range []struct{ sample, want time.Duration }{{100 * ms, 100 * ms}, {200 * ms, 120 * ms}, {200 * ms, 136 * ms}} {
		d.Add(2, trip(time.Duration(i), step.sample))
		if got, _ := d.To(2, 0); got.RoundTrip.Round(time.Microsecond) != step.want {
			t.Errorf("after sample %d: %v, want %v", i, got.RoundTrip, step.want)
		}
	}
}

// The one-way delay has the skew of the two clocks in it, and may be below zero.
func TestOneWay(t *testing.T) {
	d := NewDelays(Config{})
	d.Add(2, trip(0, 80*ms))
	if got, _ := d.To(2, 0); got.HasOneWay {
		t.Errorf("the other node's clock is unknown: %+v", got)
	}
	d.Add(2, Sample{At: ms, RoundTrip: 80 * ms, OneWay: -5 * ms, HasOneWay: true})
	if got, _ := d.To(2, ms); !got.HasOneWay || got.OneWayP95 != -5*ms {
		t.Errorf("a clock that is behind: %+v", got)
	}
}

// State is bounded, and impossible samples are ignored.
func TestBounds(t *testing.T) {
	d := NewDelays(Config{SamplesMax: 4, NodesMax: 3, Window: time.Hour})
	if d.Add(1, trip(0, -1)); len(d.nodes) != 0 {
		t.Error("a round trip below zero was taken in")
	}
	for i := range 10 {
		d.Add(1, trip(time.Duration(i), time.Duration(i)))
	}
	if got, _ := d.To(1, 10); got.Samples != 4 || got.Last != 9 {
		t.Errorf("%+v", got)
	}
	for id := txn.NodeID(2); id <= 5; id++ {
		d.Add(id, trip(time.Duration(20+id), ms))
	}
	if _, ok := d.To(1, 0); ok || len(d.nodes) != 3 {
		t.Errorf("%d nodes are known, the longest unheard among them: %v", len(d.nodes), ok)
	}
	d.Forget(5)
	if _, ok := d.To(5, 0); ok {
		t.Error("it was dropped")
	}
}

// The way is known of the samples in the window, and the way there is no longer than there and back.
func TestWays(t *testing.T) {
	d := NewDelays(Config{})
	for i := range 20 {
		d.Add(2, Answered(time.Duration(i)*time.Millisecond, time.Duration(100+10*i)*time.Millisecond).WithClocks(int64(time.Second), int64(time.Second+time.Duration(60+10*i)*time.Millisecond)))
	}
	known, _ := d.To(2, 20*time.Millisecond)
	way, ok := known.Way()
	if !ok || way.OneWay != known.OneWayP95 || way.RoundTrip != known.P95 || way.OneWay >= way.RoundTrip || way.RoundTrip <= known.RoundTrip {
		t.Errorf("%+v, %v of %+v", way, ok, known)
	}
	known, _ = d.To(2, time.Minute)
	if _, ok := known.Way(); ok {
		t.Error("samples that are too old make a way")
	}
}
