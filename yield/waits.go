package yield

import (
	"container/heap"
	"slices"
	"time"

	"isochron/txn"
)

// waits has the waiting requests, and those that may be retried.
//
// Invariant: a row with waiters that has changed since its first waiter was last retried is in
// opened.
type waits struct {
	rows     *rows
	hot      *hotRows
	detect   bool // the policy detects deadlocks
	serial   *serial
	byTxn    map[txn.ID][]*Waiter
	count    int
	ends     deadlines
	earliest time.Duration // a lower bound of all deadlines
	ready    []*Waiter     // their holder has ended
	opened   []opening     // rows with waiters of which something was released
}

func newWaits(detect bool, r *rows, hot *hotRows, s *serial) waits {
	return waits{rows: r, hot: hot, detect: detect, serial: s, byTxn: map[txn.ID][]*Waiter{}}
}

// MaxWaiters bounds the requests that wait at one shard; one more is refused.
const MaxWaiters = 10_000

// enter puts w into the queue of its row, or behind the holder; false if too many wait already.
func (q *waits) enter(now time.Duration, on *Holder, w *Waiter) bool {
	if q.count >= MaxWaiters {
		return false
	}
	if q.count == 0 || w.Deadline < q.earliest {
		q.earliest = w.Deadline
	}
	q.count++
	q.ends.enter(w)
	w.seq = q.serial.next()
	q.byTxn[w.Txn] = append(q.byTxn[w.Txn], w)
	if w.Key == "" {
		w.on = on
		on.waiters = append(on.waiters, w)
		return true
	}
	p := q.rows.entry(w.Key)
	// Where ages decide, the oldest must be retried first, before one that holds the row shared: it
	// wounds the younger ones. Behind one of them it would wait for a younger transaction, and no
	// detector would find the cycle.
	w.upgrades = q.detect && p.shares(w.Txn)
	heap.Push(&p.queue, w)
	q.hot.warm(now, w.Key, p)
	return true
}

// asks reports whether this request already waits. A request entered twice would be granted twice,
// the second time after the transaction's end.
func (q *waits) asks(id txn.ID, request uint64) bool {
	return slices.ContainsFunc(q.byTxn[id], func(w *Waiter) bool { return w.Request == request })
}

// leave removes a waiter from the indexes.
func (q *waits) leave(w *Waiter) {
	q.count--
	q.ends.leave(w)
	rest := q.byTxn[w.Txn]
	if rest = slices.DeleteFunc(rest, func(o *Waiter) bool { return o == w }); len(rest) == 0 {
		delete(q.byTxn, w.Txn)
	} else {
		q.byTxn[w.Txn] = rest
	}
}

// cancel removes a waiter from its queue or holder.
func (q *waits) cancel(w *Waiter) {
	switch {
	case w.on != nil:
		w.on.waiters = slices.DeleteFunc(w.on.waiters, func(o *Waiter) bool { return o == w })
		w.on = nil
	case w.place > 0:
		p, _ := q.rows.Get(w.Key)
		first := w.place == 1
		heap.Remove(&p.queue, w.place-1)
		if first {
			q.open(w.Key, p) // the next may be granted
		} else {
			q.tidy(w.Key, p)
		}
	default:
		q.ready = slices.DeleteFunc(q.ready, func(o *Waiter) bool { return o == w })
		return
	}
	q.leave(w)
}

// open notes that a row has changed for its waiters.
func (q *waits) open(k txn.Key, p *lockState) {
	if p.queue.len() > 0 {
		q.opened = append(q.opened, opening{key: k})
		return
	}
	q.tidy(k, p)
}

// tidy drops the state of a row that is no longer needed.
func (q *waits) tidy(k txn.Key, p *lockState) {
	q.hot.cool(k, p)
	q.rows.drop(k, p)
}

// free makes the waiters of an ended holder ready, oldest first.
func (q *waits) free(h *Holder) {
	for _, w := range h.waiters {
		w.on = nil
		q.leave(w)
		q.ready = append(q.ready, w)
	}
	q.inOrder()
}

// freeReaders makes those waiters of a holder ready that will hold no lock, oldest first.
func (q *waits) freeReaders(h *Holder) {
	held := h.waiters
	h.waiters = slices.DeleteFunc(slices.Clone(held), func(w *Waiter) bool { return w.phase == UnlockedRead || w.phase == Reserving })
	for _, w := range held {
		if w.phase == UnlockedRead || w.phase == Reserving {
			w.on = nil
			q.leave(w)
			q.ready = append(q.ready, w)
		}
	}
	q.inOrder()
}

// inOrder sorts the ready waiters, oldest first.
func (q *waits) inOrder() {
	slices.SortFunc(q.ready, func(a, b *Waiter) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
}

// opening is a row of which something was released, and the transaction that was retried for it
// last.
type opening struct {
	key   txn.Key
	asked txn.ID
}

// next removes and returns a waiter that may be granted, nil if there is none. The caller calls its
// Retry and asks for the next. It is the oldest of the ready ones and the first of each opened
// queue: requests for one row must not starve a request for several.
func (q *waits) next() *Waiter {
	var oldest *Waiter
	if len(q.ready) > 0 {
		oldest = q.ready[0]
	}
	from, kept := -1, q.opened[:0]
	for _, o := range q.opened {
		w := q.first(o)
		if w == nil {
			continue // a later change opens the row again
		}
		if oldest == nil || w.before(oldest) {
			oldest, from = w, len(kept)
		}
		kept = append(kept, o)
	}
	q.opened = kept
	switch {
	case oldest == nil:
		q.ready = q.ready[:0]
	case from < 0:
		q.ready[0] = nil
		q.ready = q.ready[1:]
	default:
		q.opened[from].asked = oldest.Txn
		p, _ := q.rows.Get(oldest.Key)
		heap.Pop(&p.queue)
		q.leave(oldest)
	}
	return oldest
}

// first is the first of a row's queue, if it was not the last one retried for this opening and the
// exclusive holder does not conflict with it for certain; nil otherwise.
func (q *waits) first(o opening) *Waiter {
	p, ok := q.rows.Get(o.key)
	if !ok || p.queue.len() == 0 {
		return nil
	}
	if w := p.queue.ws[0]; w.Txn != o.asked && !p.certainly(w, q.detect) {
		return w
	}
	return nil
}

// expired removes and returns the waiters whose deadline has passed, in the order of their arrival.
func (q *waits) expired(now time.Duration) []*Waiter {
	if q.count == 0 || now < q.earliest {
		return nil
	}
	out := q.ends.passed(now)
	q.earliest = now + time.Hour
	if w := q.ends.first(); w != nil {
		q.earliest = min(q.earliest, w.Deadline)
	}
	slices.SortFunc(out, func(a, b *Waiter) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	for _, w := range out {
		q.cancel(w)
	}
	return out
}

// take removes and returns the waiters of a transaction, the ready ones included.
func (q *waits) take(id txn.ID) []*Waiter {
	out := slices.Clone(q.byTxn[id])
	for _, w := range q.ready {
		if w.Txn == id {
			out = append(out, w)
		}
	}
	for _, w := range out {
		q.cancel(w)
	}
	return out
}

// numbered returns the waiting request of a transaction with this number, nil if there is none.
func (q *waits) numbered(id txn.ID, request uint64) *Waiter {
	for _, w := range q.byTxn[id] {
		if w.Number == request {
			return w
		}
	}
	return nil
}

// hereAlone reports whether the transaction waits here and at no other shard.
func (q *waits) hereAlone(id txn.ID) bool {
	ws := q.byTxn[id]
	return len(ws) > 0 && !slices.ContainsFunc(ws, func(w *Waiter) bool { return !w.WaitsOnlyHere })
}

// longest lists the waiters, longest wait first.
func (q *waits) longest() []*Waiter {
	var ws []*Waiter
	for _, list := range q.byTxn { // order: sorted below
		ws = append(ws, list...)
	}
	slices.SortFunc(ws, func(a, b *Waiter) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	return ws
}

// nextWake is the earliest time at which a wait may expire, 0 if a request can proceed.
func (q *waits) nextWake() time.Duration {
	switch {
	case len(q.ready)+len(q.opened) > 0:
		return 0
	case q.count == 0:
		return txn.Never
	}
	return q.earliest
}
