package server

import (
	"container/heap"
	"sync"
	"time"

	"isochron/txn"
)

// lineParcelsMax bounds the messages under way between two nodes.
const lineParcelsMax = 1 << 16

// network sends a node's encoded envelopes. They may be lost at any time and are never waited for.
type network interface {
	send(from, to txn.NodeID, data []byte)
	traffic() (sent, dropped uint64)
	close()
}

// wan is a set of delay lines, one for each ordered pair of nodes. All parcels are in one heap, served by one
// goroutine. The delay of a pair is constant, so a pair's parcels keep their order. A line ends in the mailbox
// of a node of this process, or in a connection to another process (process.go).
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

// lineEnd receives a line's messages. It must not block.
type lineEnd func(data []byte)

// into returns the line end at a node of this process.
func into(box *mailbox) lineEnd {
	return func(data []byte) { box.put(input{envelope: data}) }
}

// line is one direction between two nodes.
type line struct {
	delay   time.Duration
	cut     bool // by command: messages are lost
	end     lineEnd
	queued  int
	sent    uint64
	dropped uint64
}

// parcel is a message under way.
type parcel struct {
	due  time.Duration // of the clock
	seq  uint64
	line *line
	end  lineEnd
	data []byte
}

var _ network = (*wan)(nil)

func newWAN(c clock) *wan {
	w := &wan{
		clock: c, alarm: newAlarm(),
		done: make(chan struct{}), ended: make(chan struct{}),
		lines: map[pair]*line{},
	}
	go w.run()
	return w
}

// connect creates the line from one node to another.
func (w *wan) connect(from, to txn.NodeID, oneWay time.Duration, end lineEnd) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines[pair{from, to}] = &line{delay: oneWay, end: end}
}

// lay is connect, unless the line exists.
func (w *wan) lay(from, to txn.NodeID, oneWay time.Duration, end lineEnd) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := (pair{from, to}); w.lines[p] == nil {
		w.lines[p] = &line{delay: oneWay, end: end}
	}
}

// send puts an encoded envelope on its line. It never waits; a message without a line, or on a full one, is
// lost.
func (w *wan) send(from, to txn.NodeID, data []byte) { w.carry(from, to, data, nil) }

// carry is send with another end than the line's own, unless end is nil.
func (w *wan) carry(from, to txn.NodeID, data []byte, end lineEnd) {
	w.mu.Lock()
	l := w.lines[pair{from, to}]
	if l == nil {
		w.mu.Unlock()
		return
	}
	if end == nil {
		end = l.end
	}
	l.sent++
	if l.cut {
		l.dropped++
		w.mu.Unlock()
		return
	}
	if l.delay == 0 {
		w.mu.Unlock()
		end(data)
		return
	}
	if l.queued >= lineParcelsMax {
		l.dropped++
		w.mu.Unlock()
		return
	}
	l.queued++
	w.seq++
	p := parcel{due: w.clock.mono() + l.delay, seq: w.seq, line: l, end: end, data: data}
	heap.Push(&w.waiting, p)
	if w.waiting[0].seq == p.seq {
		w.alarm.set(l.delay) // under the mutex: a later set must not undo an earlier alarm
	}
	w.mu.Unlock()
}

// run delivers due messages and sleeps until the next is due.
func (w *wan) run() {
	defer close(w.ended)
	for {
		for _, p := range w.takeDue() {
			p.end(p.data)
		}
		select {
		case <-w.alarm.wake:
		case <-w.done:
			return
		}
	}
}

// takeDue removes the due messages and sets the alarm for the next.
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

// traffic returns the messages sent and lost in the lines.
func (w *wan) traffic() (sent, dropped uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		sent += l.sent
		dropped += l.dropped
	}
	return sent, dropped
}

// last returns the number of the newest message put on a line.
func (w *wan) last() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seq
}

// carried reports whether all messages up to seq have left their lines.
func (w *wan) carried(seq uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.waiting {
		if p.seq <= seq {
			return false
		}
	}
	return true
}

// close drops the messages under way.
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
	old[len(old)-1] = parcel{} // releases the message
	*h = old[:len(old)-1]
	return p
}
