package peer

import (
	"errors"
	"testing"
	"time"
)

// A deadline leaves at least the requested time, and is moved only after a tenth of that has passed.
func TestDeadlineIsMovedNowAndThen(t *testing.T) {
	var d deadline
	var set []time.Time
	move := func(at time.Time) error { set = append(set, at); return nil }
	for range 3 {
		before := time.Now()
		if err := d.after(time.Hour, move); err != nil || d.at.Before(before.Add(time.Hour)) {
			t.Fatalf("%v: %v after %v", err, d.at, before)
		}
	}
	if len(set) != 1 {
		t.Errorf("moved %d times", len(set))
	}
	d.at = d.at.Add(-10 * time.Minute)
	broken := errors.New("broken")
	if err := d.after(time.Hour, func(time.Time) error { return broken }); err != broken {
		t.Errorf("a connection that takes no deadline: %v", err)
	}
}
