package yield

import (
	"container/heap"
	"slices"
	"time"

	"isochron/txn"
)

// Waiter is a request that waits: in the queue of a row, if that is all it wants,
// or for a holder.
type Waiter struct {
	Txn      txn.ID
	Age      txn.Age
	Deadline time.Duration
	// Key, if set, is all that a request in execution wants, exclusively or not.
	Key txn.Key
	// Near and Since are for people: a row that it is about, if known, and when its
	// request came.
	Near  txn.Key
	Since time.Duration
	// Request, if not 0, is its number at its gateway, which sends it again while nobody answers.
	Request uint64
	Retry   func() // asks again
	// Refuse is told why, if the wait ends without its lock.
	Refuse func(why txn.Refusal)
	// Number is that of the request at this leader, the same when it waits again.
	Number uint64
	// Exclusive: in the queue of its row, it wants to write it. Fresh: its transaction holds nothing
	// anywhere. Alone: its transaction waits nowhere else. Sure: it goes on from committed values alone.
	Exclusive, Fresh, Alone, Sure bool

	// upgrades: it has the row shared, so nobody else can get it before this one lets go. Of
	// policies that detect deadlocks.
	upgrades bool

	phase  Phase  // of the request, and
	behind txn.ID // for whom it waits: what is said of it when it ends

	on    *Holder // if it waits for a holder
	place int     // in the queue, 1 for the first; 0: it is in none
	seq   uint64
}

// Ending is why a wait ends without its lock.
type Ending uint8

// The reasons.
const (
	TimedOut   Ending = iota // its deadline has passed
	Undone                   // its transaction is undone
	Deadlocked               // it ends a deadlock over several shards
)

// Expire says that a wait has ended without its lock. It is none of the table's any more.
func (w *Waiter) Expire(why Ending) { w.Refuse(why.refusal(w.phase, w.behind)) }

// waitQueue is who waits for one row, oldest first; under policies that detect deadlocks first
// whoever has it shared.
type waitQueue struct{ ws []*Waiter }

func (l *waitQueue) len() int { return len(l.ws) }

// The methods of a heap.
func (l *waitQueue) Len() int           { return len(l.ws) }
func (l *waitQueue) Less(i, j int) bool { return l.ws[i].before(l.ws[j]) }
func (l *waitQueue) Swap(i, j int) {
	l.ws[i], l.ws[j] = l.ws[j], l.ws[i]
	l.ws[i].place, l.ws[j].place = i+1, j+1
}

// Push is of the heap.
func (l *waitQueue) Push(x any) {
	w := x.(*Waiter)
	l.ws = append(l.ws, w)
	w.place = len(l.ws)
}

// Pop is of the heap.
func (l *waitQueue) Pop() any {
	w := l.ws[len(l.ws)-1]
	l.ws[len(l.ws)-1] = nil
	l.ws = l.ws[:len(l.ws)-1]
	w.place = 0
	return w
}

func (w *Waiter) before(o *Waiter) bool {
	a, b := w.rank(), o.rank()
	switch {
	case a.before(b):
		return true
	case b.before(a):
		return false
	case w.Txn != o.Txn: // tries of one transaction have one age
		return w.Txn.Less(o.Txn)
	}
	return w.seq < o.seq
}

// rank is where one belongs in a queue.
type rank struct {
	upgrades bool
	age      txn.Age
}

func (r rank) before(o rank) bool {
	if r.upgrades != o.upgrades {
		return r.upgrades
	}
	return r.age.Older(o.age)
}

func (w *Waiter) rank() rank { return rank{w.upgrades, w.Age} }

// waits is who waits, and who may ask again.
//
// Invariant: a row in whose queue somebody waits, and that has changed since, is in opened.
type waits struct {
	byTxn    map[txn.ID][]*Waiter
	count    int
	seq      uint64
	earliest time.Duration // no deadline is before it
	ready    []*Waiter     // their holder is gone
	opened   []opening     // rows of which something was freed
}

func newWaits() waits { return waits{byTxn: map[txn.ID][]*Waiter{}} }

// MaxWaiters bounds the requests that wait at one shard; one more gives way.
const MaxWaiters = 10_000

// wait puts w into the queue of its row, or behind the holder; false when too many
// wait already.
func (t *Table) wait(now time.Duration, on *Holder, w *Waiter) bool {
	if t.count >= MaxWaiters {
		return false
	}
	if t.count == 0 || w.Deadline < t.earliest {
		t.earliest = w.Deadline
	}
	t.count++
	t.seq++
	w.seq = t.seq
	t.byTxn[w.Txn] = append(t.byTxn[w.Txn], w)
	if w.Key == "" {
		w.on = on
		on.waiters = append(on.waiters, w)
		return true
	}
	p := t.point(w.Key)
	// Where ages decide, the oldest must be asked first, whoever has the row shared: it makes
	// them give way. Behind a younger one it would wait for younger ones still, in a cycle that nobody sees.
	w.upgrades = t.policy.Detect && p.shares(w.Txn)
	heap.Push(&p.queue, w)
	t.warm(now, w.Key, p)
	return true
}

// Asks reports whether a request of the transaction waits already. One that waited
// twice would be granted twice, the second time when the transaction has ended.
func (t *Table) Asks(id txn.ID, request uint64) bool {
	return slices.ContainsFunc(t.byTxn[id], func(w *Waiter) bool { return w.Request == request })
}

// leave takes a waiter off the books.
func (t *Table) leave(w *Waiter) {
	t.count--
	rest := t.byTxn[w.Txn]
	if rest = slices.DeleteFunc(rest, func(o *Waiter) bool { return o == w }); len(rest) == 0 {
		delete(t.byTxn, w.Txn)
	} else {
		t.byTxn[w.Txn] = rest
	}
}

// Cancel takes a waiter out of its queue.
func (t *Table) Cancel(w *Waiter) {
	switch {
	case w.on != nil:
		w.on.waiters = slices.DeleteFunc(w.on.waiters, func(o *Waiter) bool { return o == w })
		w.on = nil
	case w.place > 0:
		p, _ := t.points.Get(w.Key)
		first := w.place == 1
		heap.Remove(&p.queue, w.place-1)
		if first {
			t.open(w.Key, p) // the next may be able to go on
		} else {
			t.tidy(w.Key, p)
		}
	default:
		t.ready = slices.DeleteFunc(t.ready, func(o *Waiter) bool { return o == w })
		return
	}
	t.leave(w)
}

// free lets those ask again who waited for a holder, oldest first.
func (t *Table) free(h *Holder) {
	for _, w := range h.waiters {
		w.on = nil
		t.leave(w)
		t.ready = append(t.ready, w)
	}
	slices.SortFunc(t.ready, func(a, b *Waiter) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
}

// opening is a row of which something was freed, and who was let ask last for it.
type opening struct {
	key   txn.Key
	asked txn.ID
}

// next takes out one who may be able to go on, nil if there is nobody: the
// caller calls its Retry, and asks for one more. It is the oldest of those whose holder is
// gone and of the firsts of queues: who wants several rows must not pass those for ever
// who want one.
func (t *Table) next() *Waiter {
	var oldest *Waiter
	if len(t.ready) > 0 {
		oldest = t.ready[0]
	}
	from, kept := -1, t.opened[:0]
	for _, o := range t.opened {
		w := t.first(o)
		if w == nil {
			continue // whatever changes there makes it an opening again
		}
		if oldest == nil || w.before(oldest) {
			oldest, from = w, len(kept)
		}
		kept = append(kept, o)
	}
	t.opened = kept
	switch {
	case oldest == nil:
		t.ready = t.ready[:0]
	case from < 0:
		t.ready[0] = nil
		t.ready = t.ready[1:]
	default:
		t.opened[from].asked = oldest.Txn
		p, _ := t.points.Get(oldest.Key)
		heap.Pop(&p.queue)
		t.leave(oldest)
	}
	return oldest
}

// first is the first of a row's queue, if it has not just asked in vain and nobody is
// certainly in its way; nil if there is none.
func (t *Table) first(o opening) *Waiter {
	p, ok := t.points.Get(o.key)
	if !ok || p.queue.len() == 0 {
		return nil
	}
	if w := p.queue.ws[0]; w.Txn != o.asked && !p.certainly(w, t.policy) {
		return w
	}
	return nil
}

// certainly reports whether who holds the row exclusively is in a waiter's way whatever
// it asks. It is not if it is the waiter, or comes after it in the chain.
func (p *point) certainly(w *Waiter, policy Policy) bool {
	h := p.exclusive
	if h == nil || h.Txn == w.Txn || p.place(w.Txn) >= 0 {
		return false
	}
	return h.Voted || h.Age.Older(w.Age) || policy.Detect
}

// expired takes out the waiters whose deadline has passed, in the order of their
// transactions.
func (t *Table) expired(now time.Duration) []*Waiter {
	if t.count == 0 || now < t.earliest {
		return nil
	}
	var out []*Waiter
	t.earliest = now + time.Hour
	for _, ws := range t.byTxn { // order: sorted below
		for _, w := range ws {
			if now >= w.Deadline {
				out = append(out, w)
			} else {
				t.earliest = min(t.earliest, w.Deadline)
			}
		}
	}
	slices.SortFunc(out, func(a, b *Waiter) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	for _, w := range out {
		t.Cancel(w)
	}
	return out
}

// waitersOf takes out the waiters that belong to a transaction.
func (t *Table) waitersOf(id txn.ID) []*Waiter {
	out := slices.Clone(t.byTxn[id])
	for _, w := range out {
		t.Cancel(w)
	}
	return out
}

// Unvoted lists, in order, the transactions that hold something or wait for something
// here and have not voted.
func (t *Table) Unvoted() []txn.ID {
	var out []txn.ID
	for id, h := range t.holders { // order: sorted below
		if !h.Voted {
			out = append(out, id)
		}
	}
	for id := range t.byTxn { // order: sorted below
		if t.holders[id] == nil {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, func(a, b txn.ID) int {
		if a.Less(b) {
			return -1
		}
		return 1
	})
	return out
}

// Waiting is the number of requests that wait.
func (t *Table) Waiting() int { return t.count }

// Survey is what people are shown of a table.
type Survey struct {
	Waits []Wait   // those first who have waited longest, at most WaitsMax
	Hot   []HotRow // in the order of their keys
}

// Survey tells who waits for whom, and what is hot.
func (t *Table) Survey() Survey { return Survey{t.listWaits(), t.hotRows()} }

// Wait is one request that waits, for people.
type Wait struct {
	Txn, For txn.ID
	Key      txn.Key // empty: it waits for a transaction as a whole
	Deadline time.Duration
	Near     txn.Key // a row that it is about, if known
	Since    time.Duration
}

// WaitsMax bounds how many a Survey lists.
const WaitsMax = 1000

// listWaits lists who waits for whom, those first who have waited longest.
func (t *Table) listWaits() []Wait {
	var ws []*Waiter
	for _, list := range t.byTxn { // order: sorted below
		ws = append(ws, list...)
	}
	slices.SortFunc(ws, func(a, b *Waiter) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	var out []Wait
	for _, w := range ws[:min(len(ws), WaitsMax)] {
		x := Wait{Txn: w.Txn, Key: w.Key, Deadline: w.Deadline, Near: w.Near, Since: w.Since}
		if h := t.blocker(w); h != nil {
			x.For = h.Txn
		}
		out = append(out, x)
	}
	return out
}

// blocker is somebody for whom the waiter waits, nil if only its queue is before it.
func (t *Table) blocker(w *Waiter) *Holder {
	if w.on != nil {
		return w.on
	}
	p, ok := t.points.Get(w.Key)
	switch {
	case !ok:
	case p.exclusive != nil:
		return p.exclusive
	case len(p.chain) > 0:
		return p.chain[len(p.chain)-1]
	case len(p.shared) > 0:
		return p.shared[0]
	}
	return nil
}
