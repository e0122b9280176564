package sim

import "time"

// event is something that happens at a virtual time.
type event struct {
	at time.Duration
	// hops is the causal message depth at this event: see chain.
	hops     chain
	run      func()
	delivery *delivery // instead of run
}

// agenda is a heap of events in which each node has heapWidth children. It is written out, rather
// than taken from container/heap, because a fault-injection run spends much of its time here. Only
// small values move in the heap: events stay in slots, which are reused.
type agenda struct {
	heap   []turn
	seq    uint64
	events []event
	free   []int32 // slots of past events
}

// turn is the time of an event and its slot.
type turn struct {
	at    time.Duration
	seq   uint64 // order of creation: breaks ties
	place int32
}

const heapWidth = 4

func (t *turn) before(o *turn) bool {
	if t.at != o.at {
		return t.at < o.at
	}
	return t.seq < o.seq
}

func (a *agenda) add(at time.Duration, hops chain, run func()) {
	a.push(event{at: at, hops: hops, run: run})
}

func (a *agenda) push(e event) {
	a.seq++
	t := turn{e.at, a.seq, a.keep(e)}
	a.heap = append(a.heap, t)
	i := len(a.heap) - 1
	for i > 0 {
		parent := (i - 1) / heapWidth
		if !t.before(&a.heap[parent]) {
			break
		}
		a.heap[i] = a.heap[parent]
		i = parent
	}
	a.heap[i] = t
}

func (a *agenda) keep(e event) (place int32) {
	if last := len(a.free) - 1; last >= 0 {
		place, a.free = a.free[last], a.free[:last]
		a.events[place] = e
		return place
	}
	a.events = append(a.events, e)
	return int32(len(a.events) - 1)
}

func (a *agenda) empty() bool { return len(a.heap) == 0 }

// next returns the time of the first event; the agenda is not empty.
func (a *agenda) next() time.Duration { return a.heap[0].at }

func (a *agenda) pop() event {
	place, last := a.heap[0].place, len(a.heap)-1
	a.sink(a.heap[last], a.heap[:last])
	a.heap = a.heap[:last]
	e := a.events[place]
	a.events[place] = event{}
	a.free = append(a.free, place)
	return e
}

// sink puts t where it belongs in a heap whose first slot is free.
func (a *agenda) sink(t turn, heap []turn) {
	i := 0
	for {
		child := heapWidth*i + 1
		if child >= len(heap) {
			break
		}
		small := child
		for c := child + 1; c < min(child+heapWidth, len(heap)); c++ {
			if heap[c].before(&heap[small]) {
				small = c
			}
		}
		if !heap[small].before(&t) {
			break
		}
		heap[i] = heap[small]
		i = small
	}
	if len(heap) > 0 {
		heap[i] = t
	}
}
