package yield

import (
	"time"

	"isochron/txn"
)

// ForeignWait is a wait at a participant whose locks are not ours: the statement Step of Txn cannot
// end before For has.
type ForeignWait struct {
	Txn    txn.ID
	Age    txn.Age
	Step   uint64        // another when the transaction waits with another statement
	Since  time.Duration // when that statement began
	For    txn.ID
	ForAge txn.Age
}

// Foreign is a Chaser over the waits at a database that is not ours. What is known of them is told
// to it, again and again; it keeps them in a table of its own, so that a chase goes through them as
// through those at shards.
//
// Why what has stood at two looks has stood between them: such a database lets go of nothing before
// a transaction's end. So a wait that is there again, of the same statement for the same
// transaction, has not been interrupted: it keeps its number, and one that was missing gets another.
//
// What the caller owes it: it tells all waits that it knows of before each Look, Chase and Recheck,
// and nothing of who has ended.
type Foreign struct {
	*DeadlockDetector
	waits map[foreignKey]*Waiter
	last  uint64
	end   func(txn.ID)
}

// foreignKey is what makes a wait the same.
type foreignKey struct {
	waiter txn.ID
	step   uint64
	holder txn.ID
}

// foreignMax bounds the waits that are kept: what is beyond it ends by the bound of its wait.
const foreignMax = 4096

// NewForeign knows of no wait. end is called for the victim of a deadlock, whose statement must give up.
func NewForeign(c DetectorConfig, w DetectorEnv, end func(victim txn.ID)) *Foreign {
	t := NewTable(OfItsSource, HotRowConfig{}, nil)
	return &Foreign{DeadlockDetector: NewDeadlockDetector(t, c, w), waits: map[foreignKey]*Waiter{}, end: end}
}

// Report takes in who waits for whom now.
func (f *Foreign) Report(now time.Duration, list []ForeignWait) {
	list = list[:min(len(list), foreignMax)]
	still := make(map[foreignKey]bool, len(list))
	for _, x := range list {
		still[foreignKey{x.Txn, x.Step, x.For}] = true
	}
	for k, w := range f.waits { // order: each by itself
		if !still[k] {
			f.table.Cancel(w)
			delete(f.waits, k)
		}
	}
	for _, h := range f.table.Holders() {
		if len(h.waiters) == 0 {
			f.table.locks.release(now, h.Txn)
		}
	}
	for _, x := range list {
		f.enter(x)
	}
}

// enter notes a wait, unless it is known.
func (f *Foreign) enter(x ForeignWait) {
	k := foreignKey{x.Txn, x.Step, x.For}
	if f.waits[k] != nil || x.Txn == x.For {
		return
	}
	h := f.table.holders.enter(x.Since, x.For, x.ForAge)
	h.Since = min(h.Since, x.Since) // it has been in the way for at least so long
	f.last++
	w := &Waiter{Txn: x.Txn, Age: x.Age, Number: f.last, Since: x.Since, Deadline: txn.Never,
		Retry: func() {}, Refuse: func(txn.Refusal) {
			delete(f.waits, k) // if it waits on, that is another wait
			f.end(x.Txn)
		}}
	if f.table.waits.enter(x.Since, h, w) {
		f.waits[k] = w
	}
}

// Waits is how many waits are known.
func (f *Foreign) Waits() int { return len(f.waits) }
