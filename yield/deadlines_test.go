package yield

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// However many waiters have left, those past their deadline are found, and the next one.
func TestDeadlinesAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var d deadlines
	var here []*Waiter
	for now := range time.Duration(2000) {
		for range r.IntN(4) {
			w := &Waiter{Deadline: now + time.Duration(r.Int64N(300))}
			d.enter(w)
			here = append(here, w)
		}
		for len(here) > 0 && r.IntN(3) > 0 {
			at := r.IntN(len(here))
			d.leave(here[at])
			here = slices.Delete(here, at, at+1)
		}
		for _, w := range d.passed(now) {
			if w.Deadline > now || !slices.Contains(here, w) {
				t.Fatalf("at %d a waiter expired with deadline %d", now, w.Deadline)
			}
			d.leave(w)
			here = slices.DeleteFunc(here, func(o *Waiter) bool { return o == w })
		}
		next := d.first()
		for _, w := range here {
			if w.Deadline <= now || next == nil || w.Deadline < next.Deadline {
				t.Fatalf("at %d a waiter with deadline %d is left; the next is %+v", now, w.Deadline, next)
			}
		}
		if len(here) == 0 && next != nil || len(d.heap) > 2*(len(here)+100) {
			t.Fatalf("%d waiters, and %d kept", len(here), len(d.heap))
		}
	}
}
