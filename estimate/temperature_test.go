package estimate

import (
	"fmt"
	"testing"
	"time"

	"isochron/txn"
)

// A steady rate is returned as it is, at any part of a half-life; when the updates end it halves
// with each half-life.
func TestTemperatureOfASteadyRate(t *testing.T) {
	w := NewTemperatures(TemperatureConfig{HalfLife: time.Second})
	now := time.Duration(0)
	for ; now < 20*time.Second+333*ms; now += 20 * ms {
		w.Updated("k", now)
		if is := w.Of("k", now); now > 15*time.Second && (is < 49_000 || is > 51_500) {
			t.Fatalf("fifty updates a second are %d in a thousand seconds after %v", is, now)
		}
	}
	hot := w.Of("k", now)
	for _, after := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
		want := hot >> (after / time.Second)
		if is := w.Of("k", now+after); is < want*99/100 || is > want*101/100 {
			t.Errorf("%v later it is %d, not %d", after, is, want)
		}
	}
	if is := w.Of("k", now+80*time.Second); is != 0 {
		t.Errorf("long after it is %d", is)
	}
}

// The time of a read does not change a sum.
func TestAReadChangesNoTemperature(t *testing.T) {
	a, b := NewTemperatures(TemperatureConfig{}), NewTemperatures(TemperatureConfig{})
	for at := time.Duration(0); at < time.Minute; at += 700 * ms {
		a.Updated("k", at)
		b.Updated("k", at)
		b.Of("k", at+300*ms)
		b.In(txn.Span{}, at+300*ms, func(txn.Key, Temperature) bool { return true })
	}
	if x, y := a.Of("k", time.Minute), b.Of("k", time.Minute); x != y || x == 0 {
		t.Errorf("%d, and %d where it was looked at", x, y)
	}
}

// One update does not determine a rate; an unknown record is cold.
func TestOneUpdateIsNoTemperature(t *testing.T) {
	w := NewTemperatures(TemperatureConfig{})
	w.Updated("a", 0)
	if is := w.Of("a", 0); is != 0 || w.Of("b", 0) != 0 || w.Len() != 1 {
		t.Errorf("after one update it is %d", is)
	}
	w.Updated("a", time.Second)
	if is := w.Of("a", time.Second); is == 0 {
		t.Error("after two it is 0")
	}
}

// Beyond the bound the least recently updated record is evicted, however often it was read.
func TestTheLeastRecentlyUpdatedIsEvicted(t *testing.T) {
	w := NewTemperatures(TemperatureConfig{RecordsMax: 3})
	for i, k := range []txn.Key{"a", "a", "b", "b", "c", "c", "a", "d", "d"} {
		w.Updated(k, time.Duration(i)*ms)
		w.Of("b", time.Duration(i)*ms)
	}
	for k, known := range map[txn.Key]bool{"a": true, "b": false, "c": true, "d": true} {
		if got := w.Of(k, 10*ms) > 0; got != known {
			t.Errorf("%s is known: %v", k, got)
		}
	}
	if w.Len() != 3 {
		t.Errorf("%d are known", w.Len())
	}
}

// The temperature reported by another node is used, and decays like a counted one.
func TestReportedTemperatureIsTheCounted(t *testing.T) {
	for _, is := range []Temperature{0, 1_000, 123_456_789, 1 << 40} {
		w, at := NewTemperatures(TemperatureConfig{}), 7*time.Second+77*ms
		w.Observe("k", is, at)
		low, high := min(is, 1<<33)*999/1000-1, is // a sum is bounded
		if got := w.Of("k", at); got < low || got > high {
			t.Errorf("reported %d, it is %d", is, got)
		}
		if got, half := w.Of("k", at+DefaultWarmHalfLife), w.Of("k", at)/2; got < half-1 || got > half+1 {
			t.Errorf("reported %d, a half-life later it is %d, not %d", is, got, half)
		}
	}
}

// Of a range the records that are not cold are returned, in ascending order, and no more are read
// than allowed.
func TestTemperaturesOfARange(t *testing.T) {
	w := NewTemperatures(TemperatureConfig{RangeMax: 3})
	for i, k := range []txn.Key{"a", "b", "c", "d", "e", "a", "c", "e"} {
		w.Updated(k, time.Duration(i)*ms)
	}
	for _, c := range []struct {
		span txn.Span
		stop bool
		want string
	}{
		{txn.Span{Start: "a", End: "d"}, false, "[a c]"},
		{txn.Span{Start: "b", End: "c"}, false, "[]"},
		{txn.Span{Start: "c"}, false, "[c e]"},
		{txn.Span{Start: "a"}, false, "[a c]"}, // e is the fifth
		{txn.Span{Start: "a"}, true, "[a]"},
	} {
		var got []txn.Key
		w.In(c.span, 10*ms, func(k txn.Key, _ Temperature) bool {
			got = append(got, k)
			return !c.stop
		})
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, not %s", c.span, got, c.want)
		}
	}
}

// An update in ten seconds is a hundredth in 100 ms.
func TestExpectedUpdates(t *testing.T) {
	for _, c := range []struct {
		is   Temperature
		in   time.Duration
		want Updates
	}{
		{100, 100 * ms, 10_000}, {100, 50 * time.Microsecond, 5}, {0, time.Second, 0}, {1000, -ms, 0}, {1 << 62, time.Hour, 1 << 32 * 60_000},
	} {
		if got := c.is.Expected(c.in); got != c.want {
			t.Errorf("%d in %v: %d, not %d", c.is, c.in, got, c.want)
		}
	}
}
