package yield

import (
	"container/heap"
	"slices"
	"time"
)

// deadlines is the waiters by deadline. One that no longer waits is removed when it would be first,
// or when more of those than waiters are kept.
type deadlines struct {
	heap    soonest
	removed int // waiters in the heap that no longer wait
}

// soonest is a heap.
type soonest []*Waiter

func (s soonest) Len() int           { return len(s) }
func (s soonest) Less(i, j int) bool { return s[i].Deadline < s[j].Deadline }
func (s soonest) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// Push is of the heap.
func (s *soonest) Push(x any) { *s = append(*s, x.(*Waiter)) }

// Pop is of the heap.
func (s *soonest) Pop() any {
	last := len(*s) - 1
	w := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	return w
}

func (d *deadlines) enter(w *Waiter) { heap.Push(&d.heap, w) }

// leave notes that a waiter no longer waits.
func (d *deadlines) leave(w *Waiter) {
	const few = 64
	if w.removed {
		return // its deadline had passed
	}
	w.removed = true
	if d.removed++; d.removed <= len(d.heap)/2+few {
		return
	}
	d.heap = slices.DeleteFunc(d.heap, func(w *Waiter) bool { return w.removed })
	heap.Init(&d.heap)
	d.removed = 0
}

// first is the waiter with the earliest deadline, nil if none waits.
func (d *deadlines) first() *Waiter {
	for len(d.heap) > 0 && d.heap[0].removed {
		heap.Pop(&d.heap)
		d.removed--
	}
	if len(d.heap) == 0 {
		return nil
	}
	return d.heap[0]
}

// passed removes and returns the waiters whose deadline has passed, in no order.
func (d *deadlines) passed(now time.Duration) (out []*Waiter) {
	for w := d.first(); w != nil && w.Deadline <= now; w = d.first() {
		heap.Pop(&d.heap)
		w.removed = true
		out = append(out, w)
	}
	return out
}
