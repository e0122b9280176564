package server

import (
	"container/heap"
	"sync"
	"time"

	"isochron/txn"
)

// lineParcelsMax bounds what is under way between two nodes.
const lineParcelsMax = 1 << 16

// wan is the network of a process that holds several nodes: a delay line for
// each ordered pair. All parcels wait in one heap, watched by one goroutine;
// the delay of a pair is constant, so a pair's parcels keep their order.
type wan struct {
	clock clock
	alarm *alarm
	done  chan struct{}
	ended chan struct{}

	mu      sync.Mutex
	lines   map[pair]*line
	waiting parcels
	seq     uint64
}

type pair struct{ from, to txn.NodeID }

// line is one direction between two nodes.
type line struct {
	delay   time.Duration
	to      *mailbox
	queued  int
	sent    uint64
	dropped uint64
}

// parcel is a message under way.
type parcel struct {
	due  time.Duration // of the clock
	seq  uint64
	line *line
	data []byte
}

func newWAN(c clock) *wan {
	w := &wan{
		clock: c, alarm: newAlarm(),
		done: make(chan struct{}), ended: make(chan struct{}),
		lines: map[pair]*line{},
	}
	go w.run()
	return w
}

// connect lays the line from one node to another.
func (w *wan) connect(from, to txn.NodeID, oneWay time.Duration, box *mailbox) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines[pair{from, to}] = &line{delay: oneWay, to: box}
}

// send puts an encoded envelope on its line. It never waits; a message to
// nobody, or on a full line, is lost.
func (w *wan) send(from, to txn.NodeID, data []byte) {
	w.mu.Lock()
	l := w.lines[pair{from, to}]
	if l == nil {
		w.mu.Unlock()
		return
	}
	l.sent++
	if l.delay == 0 {
		w.mu.Unlock()
		l.to.put(input{envelope: data})
		return
	}
	if l.queued >= lineParcelsMax {
		l.dropped++
		w.mu.Unlock()
		return
	}
	l.queued++
	w.seq++
	p := parcel{due: w.clock.mono() + l.delay, seq: w.seq, line: l, data: data}
	heap.Push(&w.waiting, p)
	if w.waiting[0].seq == p.seq {
		w.alarm.set(l.delay) // under the mutex: a later set must not undo an earlier alarm
	}
	w.mu.Unlock()
}

// run delivers what is due and sleeps until the next is.
func (w *wan) run() {
	defer close(w.ended)
	for {
		for _, p := range w.takeDue() {
			p.line.to.put(input{envelope: p.data})
		}
		select {
		case <-w.alarm.wake:
		case <-w.done:
			return
		}
	}
}

// takeDue removes what is due and sets the alarm for what comes next.
func (w *wan) takeDue() []parcel {
	w.mu.Lock()
	defer w.mu.Unlock()
	var due []parcel
	for len(w.waiting) > 0 {
		left := w.waiting[0].due - w.clock.mono()
		if left > 0 {
			w.alarm.set(left)
			break
		}
		p := heap.Pop(&w.waiting).(parcel)
		p.line.queued--
		due = append(due, p)
	}
	return due
}

// traffic counts messages sent and lost in the lines so far.
func (w *wan) traffic() (sent, dropped uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		sent += l.sent
		dropped += l.dropped
	}
	return sent, dropped
}

// close loses what is under way.
func (w *wan) close() {
	close(w.done)
	<-w.ended
	w.alarm.close()
}

// parcels is a heap: the first due first, and among equals the first sent.
type parcels []parcel

func (h parcels) Len() int { return len(h) }
func (h parcels) Less(i, j int) bool {
	if h[i].due != h[j].due {
		return h[i].due < h[j].due
	}
	return h[i].seq < h[j].seq
}
func (h parcels) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *parcels) Push(x any)   { *h = append(*h, x.(parcel)) }
func (h *parcels) Pop() any {
	old := *h
	p := old[len(old)-1]
	old[len(old)-1] = parcel{} // lets the message go
	*h = old[:len(old)-1]
	return p
}
