package sim

import "time"

// event is something that happens at a virtual time.
type event struct {
	at  time.Duration
	seq uint64 // order of making: breaks ties
	// hops is the chain of causes that led here: see chain.
	hops chain
	run  func()
	mail *mail // instead of run
}

func (e *event) before(o *event) bool {
	if e.at != o.at {
		return e.at < o.at
	}
	return e.seq < o.seq
}

// agenda is a binary heap of events. It is written out, rather than taken from
// container/heap, because a hunt spends much of its time here.
type agenda struct {
	heap []event
	seq  uint64
}

func (a *agenda) add(at time.Duration, hops chain, run func()) {
	a.push(event{at: at, hops: hops, run: run})
}

func (a *agenda) push(e event) {
	a.seq++
	e.seq = a.seq
	a.heap = append(a.heap, e)
	for i := len(a.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.heap[i].before(&a.heap[parent]) {
			return
		}
		a.heap[i], a.heap[parent] = a.heap[parent], a.heap[i]
		i = parent
	}
}

func (a *agenda) empty() bool { return len(a.heap) == 0 }

// next is the time of the first event; the agenda is not empty.
func (a *agenda) next() time.Duration { return a.heap[0].at }

func (a *agenda) pop() event {
	first, last := a.heap[0], len(a.heap)-1
	a.heap[0] = a.heap[last]
	a.heap[last] = event{}
	a.heap = a.heap[:last]
	for i := 0; ; {
		small := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if a.heap[child].before(&a.heap[small]) {
				small = child
			}
		}
		if small == i {
			return first
		}
		a.heap[i], a.heap[small] = a.heap[small], a.heap[i]
		i = small
	}
}
