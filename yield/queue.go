package yield

import (
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
	// Refuse is called with the reason, if the wait ends without its lock.
	Refuse func(reason txn.Refusal)
	// Number is that of the request at this leader, the same when it waits again.
	Number uint64
	// Exclusive: in the queue of its row, it wants to write it. Fresh: its transaction holds nothing
	// anywhere. Alone: its transaction waits nowhere else. Sure: it goes on from committed values alone.
	Exclusive, HoldsNothing, WaitsOnlyHere, CommittedOnly bool

	// upgrades: it has the row shared, so nobody else can get it before this one lets go. Of
	// policies that detect deadlocks.
	upgrades bool

	phase     Phase  // of the request, and
	blockedBy txn.ID // for whom it waits: what is said of it when it ends

	on      *Holder // if it waits for a holder
	place   int     // in the queue, 1 for the first; 0: it is in none
	removed bool    // it waits no more: see deadlines
	seq     uint64
}

// WaitResult is why a wait ends without its lock.
type WaitResult uint8

// The reasons.
const (
	TimedOut   WaitResult = iota // its deadline has passed
	Cancelled                    // its transaction is undone
	Deadlocked                   // it ends a deadlock over several shards
)

// Expire says that a wait has ended without its lock. It is none of the table's any more.
func (w *Waiter) Expire(reason WaitResult) { w.Refuse(reason.refusal(w.phase, w.blockedBy)) }

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
	a, b := w.order(), o.order()
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

// waitOrder is where one belongs in a queue.
type waitOrder struct {
	upgrades bool
	age      txn.Age
}

func (r waitOrder) before(o waitOrder) bool {
	if r.upgrades != o.upgrades {
		return r.upgrades
	}
	return r.age.Older(o.age)
}

func (w *Waiter) order() waitOrder { return waitOrder{w.upgrades, w.Age} }
