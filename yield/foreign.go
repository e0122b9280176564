package yield

import (
	"time"

	"isochron/txn"
)

// ForeignWait is a wait at a data source: the statement Step of Txn cannot end before For has.
type ForeignWait struct {
	Txn    txn.ID
	Age    txn.Age
	Step   uint64        // changes when the transaction waits with another statement
	Since  time.Duration // when that statement began
	For    txn.ID
	ForAge txn.Age
}

// Foreign is a DeadlockDetector over the waits at a data source, which are reported to it again and
// again. It keeps them in a table of its own, so that a probe follows them like those at shards.
//
// An edge reported twice existed in between, since a source releases nothing before a transaction's
// end: the same statement still waits for the same transaction. Such a wait keeps its number; one
// that was missing in a report gets a new one.
//
// What the caller owes it: Report all known waits before each Look, Probe and Confirm, without
// transactions that have ended.
type Foreign struct {
	*DeadlockDetector
	waits map[foreignKey]*Waiter
	last  uint64
	end   func(txn.ID)
}

// foreignKey identifies a wait.
type foreignKey struct {
	waiter txn.ID
	step   uint64
	holder txn.ID
}

// foreignMax bounds the waits kept; one beyond it ends at its deadline.
const foreignMax = 4096

// NewForeign returns a detector without waits. end is called for the victim of a deadlock, whose
// statement must be cancelled.
func NewForeign(c DetectorConfig, w DetectorEnv, end func(victim txn.ID)) *Foreign {
	t := NewTable(OfItsSource, HotRowConfig{}, nil)
	return &Foreign{DeadlockDetector: NewDeadlockDetector(t, c, w), waits: map[foreignKey]*Waiter{}, end: end}
}

// Report replaces the known waits.
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

// enter adds a wait, unless it is known.
func (f *Foreign) enter(x ForeignWait) {
	k := foreignKey{x.Txn, x.Step, x.For}
	if f.waits[k] != nil || x.Txn == x.For {
		return
	}
	h := f.table.holders.enter(x.Since, x.For, x.ForAge)
	h.Since = min(h.Since, x.Since) // it has held the row for at least so long
	f.last++
	w := &Waiter{Txn: x.Txn, Age: x.Age, Number: f.last, Since: x.Since, Deadline: txn.Never,
		Retry: func() {}, Refuse: func(txn.Refusal) {
			delete(f.waits, k) // if it still waits, that is another wait
			f.end(x.Txn)
		}}
	if f.table.waits.enter(x.Since, h, w) {
		f.waits[k] = w
	}
}

// Waits is the number of known waits.
func (f *Foreign) Waits() int { return len(f.waits) }
