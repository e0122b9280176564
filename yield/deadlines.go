package yield

import (
	"container/heap"
	"slices"
	"time"
)

// deadlines are those who wait, the one first whose time is over first. Who has gone on is taken out
// when it would come first, or when more have gone than wait.
type deadlines struct {
	heap soonest
	gone int // of the heap
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

// leave says that one waits no more.
func (d *deadlines) leave(w *Waiter) {
	const few = 64
	if w.gone {
		return // its time was over
	}
	w.gone = true
	if d.gone++; d.gone <= len(d.heap)/2+few {
		return
	}
	d.heap = slices.DeleteFunc(d.heap, func(w *Waiter) bool { return w.gone })
	heap.Init(&d.heap)
	d.gone = 0
}

// first is the one whose time is over first, nil if nobody waits.
func (d *deadlines) first() *Waiter {
	for len(d.heap) > 0 && d.heap[0].gone {
		heap.Pop(&d.heap)
		d.gone--
	}
	if len(d.heap) == 0 {
		return nil
	}
	return d.heap[0]
}

// passed takes out those whose time is over, in no order.
func (d *deadlines) passed(now time.Duration) (out []*Waiter) {
	for w := d.first(); w != nil && w.Deadline <= now; w = d.first() {
		heap.Pop(&d.heap)
		w.gone = true
		out = append(out, w)
	}
	return out
}
