package yield

import (
	"time"

	"isochron/txn"
)

// Waiter is a waiting request. In execution, a request for one row alone waits in that row's queue;
// any other waits for a holder.
type Waiter struct {
	Txn      txn.ID
	Age      txn.Age
	Deadline time.Duration
	// Key, if set, is the only row that a request in execution needs, shared or exclusive.
	Key txn.Key
	// Near and Since are for display: a row concerned, if known, and when the request arrived.
	Near  txn.Key
	Since time.Duration
	// Request, if not 0, is its number at its gateway, which resends it while it has no reply.
	Request uint64
	Retry   func() // requests again
	// Refuse is called with the reason if the wait ends without the lock.
	Refuse func(reason txn.Refusal)
	// Number is the request's number at this leader, the same when it waits again.
	Number uint64
	// Exclusive: in a row's queue, it is to write the row. HoldsNothing: its transaction holds
	// nothing anywhere. WaitsOnlyHere: its transaction waits at no other shard. CommittedOnly: it
	// reads committed values only.
	Exclusive, HoldsNothing, WaitsOnlyHere, CommittedOnly bool

	// upgrades: it holds the row shared, so no other request can be granted before it releases. Set
	// only under policies that detect deadlocks.
	upgrades bool

	phase     Phase  // of the request
	blockedBy txn.ID // the transaction for which it waits, reported when the wait ends

	on      *Holder // nil: it waits in a queue, or no longer
	place   int     // position in the queue from 1; 0: in none
	removed bool    // no longer waits; see deadlines
	seq     uint64
}

// WaitResult is why a wait ends without its lock.
type WaitResult uint8

// The reasons.
const (
	TimedOut   WaitResult = iota // its deadline has passed
	Cancelled                    // its transaction was aborted
	Deadlocked                   // it was chosen to end a deadlock over several shards
)

// Expire reports that a wait has ended without its lock. The waiter no longer belongs to the table.
func (w *Waiter) Expire(reason WaitResult) { w.Refuse(reason.refusal(w.phase, w.blockedBy)) }

// waitQueue has the waiters of one row, oldest first; under policies that detect deadlocks a
// request that upgrades precedes all others.
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
	case w.Txn != o.Txn: // tries of one transaction have the same age
		return w.Txn.Less(o.Txn)
	}
	return w.seq < o.seq
}

// waitOrder is a waiter's rank in a queue.
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
