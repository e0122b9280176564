package yield

import (
	"slices"
	"sort"
	"time"

	"isochron/txn"
)

// arrivalWaits are the prepares that wait for locks, in the order of arrival times. Under overload
// there are thousands, and any transaction's end may unblock some. Hence an index by row, and the
// list runnable: those of which no blocking transaction is known.
//
// Invariant: a prepare that is not in runnable follows a conflicting waiting prepare, or is blocked
// by a voted transaction that has not ended since. One in runnable may be blocked too; that is
// found when it is examined.
type arrivalWaits struct {
	list             []*QueuedPrepare
	rows             map[txn.Key]*rowWaits
	runnable         []*QueuedPrepare            // in order
	held             map[txn.ID][]*QueuedPrepare // by the voted transaction that blocks them
	ends             time.Duration               // the minimum of their deadlines
	minDeadlineValid bool                        // ends is that minimum; else it must be computed
}

// rowWaits are the prepares that wait for one row, in order; one that reads and writes the row is
// in both lists.
type rowWaits struct {
	reads, writes []*QueuedPrepare
}

func (w *arrivalWaits) add(i *QueuedPrepare) {
	w.list = insertByArrivalTime(w.list, i)
	i.waits = true
	for _, k := range i.LockSet.Shared {
		r := w.row(k)
		r.reads = insertByArrivalTime(r.reads, i)
	}
	for _, k := range i.LockSet.Exclusive {
		r := w.row(k)
		r.writes = insertByArrivalTime(r.writes, i)
	}
	w.markRunnable(i)
	w.minDeadlineValid = w.minDeadlineValid && len(w.list) > 1
	if w.minDeadlineValid {
		w.ends = min(w.ends, i.Deadline)
	}
}

// row returns the row's entry, made if there is none.
func (w *arrivalWaits) row(k txn.Key) *rowWaits {
	r := w.rows[k]
	if r == nil {
		if w.rows == nil {
			w.rows = map[txn.Key]*rowWaits{}
		}
		r = &rowWaits{}
		w.rows[k] = r
	}
	return r
}

// remove removes a prepare; false if it does not wait.
func (w *arrivalWaits) remove(i *QueuedPrepare) bool {
	if !i.waits {
		return false
	}
	i.waits = false
	w.list = removeByArrivalTime(w.list, i)
	w.unmarkRunnable(i)
	w.release(i)
	for _, k := range i.LockSet.Shared {
		r := w.rows[k]
		r.reads = removeByArrivalTime(r.reads, i)
	}
	for _, k := range i.LockSet.Exclusive {
		r := w.rows[k]
		r.writes = removeByArrivalTime(r.writes, i)
	}
	w.runnableBehind(i)
	w.minDeadlineValid = w.minDeadlineValid && i.Deadline > w.ends
	return true
}

// runnableBehind marks as runnable the prepares that followed only i, which was removed.
func (w *arrivalWaits) runnableBehind(i *QueuedPrepare) {
	for _, k := range i.LockSet.Shared {
		w.markFirstWriter(k)
	}
	for _, k := range i.LockSet.Exclusive {
		w.markFirstWriter(k)
		w.markReaders(k, i)
	}
}

// markReaders marks the readers of a row that follow i, up to its next writer, where nothing else
// blocks them.
func (w *arrivalWaits) markReaders(k txn.Key, i *QueuedPrepare) {
	r := w.rows[k]
	if r == nil {
		return
	}
	for _, o := range r.reads[placeAfter(r.reads, i):] {
		if len(r.writes) > 0 && r.writes[0].before(o) {
			return
		}
		w.markRunnable(o)
	}
}

// markFirstWriter marks a row's first writer if nothing else blocks it, and drops a row without
// waiters.
func (w *arrivalWaits) markFirstWriter(k txn.Key) {
	switch r := w.rows[k]; {
	case r == nil:
	case len(r.writes) > 0:
		w.markRunnable(r.writes[0])
	case len(r.reads) == 0:
		delete(w.rows, k)
	}
}

// markRunnable adds a prepare to runnable if it follows no conflicting one and no blocking
// transaction is known.
func (w *arrivalWaits) markRunnable(i *QueuedPrepare) {
	if !i.runnable && i.waitsFor.IsZero() && !w.blocked(i) {
		i.runnable, w.runnable = true, insertByArrivalTime(w.runnable, i)
	}
}

// unmarkRunnable removes a prepare from runnable.
func (w *arrivalWaits) unmarkRunnable(i *QueuedPrepare) {
	if i.runnable {
		i.runnable, w.runnable = false, removeByArrivalTime(w.runnable, i)
	}
}

// hold notes that a voted transaction blocks a prepare.
func (w *arrivalWaits) hold(i *QueuedPrepare, by txn.ID) {
	w.unmarkRunnable(i)
	if w.held == nil {
		w.held = map[txn.ID][]*QueuedPrepare{}
	}
	i.waitsFor, w.held[by] = by, append(w.held[by], i)
}

// release notes that no blocking transaction is known.
func (w *arrivalWaits) release(i *QueuedPrepare) {
	by := i.waitsFor
	if by.IsZero() {
		return
	}
	i.waitsFor = txn.ID{}
	if w.held[by] = slices.DeleteFunc(w.held[by], func(o *QueuedPrepare) bool { return o == i }); len(w.held[by]) == 0 {
		delete(w.held, by)
	}
}

// ended marks the prepares that were blocked by a transaction which has ended.
func (w *arrivalWaits) ended(by txn.ID) {
	list := w.held[by]
	delete(w.held, by)
	for _, i := range list {
		i.waitsFor = txn.ID{}
		w.markRunnable(i)
	}
}

// lookAtAll has every prepare examined again.
func (w *arrivalWaits) lookAtAll() {
	for _, i := range w.list {
		w.release(i)
		w.markRunnable(i)
	}
}

// first is the first waiting prepare that conflicts with a lock set and precedes before, nil if
// there is none; before is nil for a vote without an arrival time: all precede it.
func (w *arrivalWaits) first(c *LockSet, before *QueuedPrepare) (first *QueuedPrepare) {
	look := func(list []*QueuedPrepare) {
		if len(list) > 0 && (first == nil || list[0].before(first)) {
			first = list[0]
		}
	}
	for _, k := range c.Shared {
		if r := w.rows[k]; r != nil {
			look(r.writes)
		}
	}
	for _, k := range c.Exclusive {
		if r := w.rows[k]; r != nil {
			look(r.writes)
			look(r.reads)
		}
	}
	if first != nil && before != nil && !first.before(before) {
		return nil
	}
	return first
}

// blocked reports whether a waiting prepare follows a conflicting one.
func (w *arrivalWaits) blocked(i *QueuedPrepare) bool { return w.first(&i.LockSet, i) != nil }

// nextRunnable is the first runnable prepare after i, or of all if i is nil; nil if there is none.
func (w *arrivalWaits) nextRunnable(i *QueuedPrepare) *QueuedPrepare {
	at := 0
	if i != nil {
		at = placeAfter(w.runnable, i)
	}
	if at == len(w.runnable) {
		return nil
	}
	return w.runnable[at]
}

// insertByArrivalTime inserts into an ordered list.
func insertByArrivalTime(list []*QueuedPrepare, i *QueuedPrepare) []*QueuedPrepare {
	return slices.Insert(list, placeOf(list, i), i)
}

// removeByArrivalTime removes from an ordered list.
func removeByArrivalTime(list []*QueuedPrepare, i *QueuedPrepare) []*QueuedPrepare {
	at := placeOf(list, i)
	for list[at] != i { // another attempt of its transaction
		at++
	}
	return slices.Delete(list, at, at+1)
}

// placeOf returns the index of the first in a list that does not precede i; placeAfter that of the
// first that follows it.
func placeOf(list []*QueuedPrepare, i *QueuedPrepare) int {
	return sort.Search(len(list), func(n int) bool { return !list[n].before(i) })
}

func placeAfter(list []*QueuedPrepare, i *QueuedPrepare) int {
	return sort.Search(len(list), func(n int) bool { return i.before(list[n]) })
}

// deadline is the minimum of their deadlines, txn.Never if none waits.
func (w *arrivalWaits) deadline() time.Duration {
	if len(w.list) == 0 {
		return txn.Never
	}
	if !w.minDeadlineValid {
		w.ends, w.minDeadlineValid = txn.Never, true
		for _, i := range w.list {
			w.ends = min(w.ends, i.Deadline)
		}
	}
	return w.ends
}
