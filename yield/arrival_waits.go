package yield

import (
	"slices"
	"sort"
	"time"

	"isochron/txn"
)

// arrivalWaits are those who wait by their stamps, in order. Where more comes than rows can take
// there are thousands, and whenever somebody ends each of them may be able to go on. So they
// stand by row as well, and only those are looked at of whom it is not known whom they wait for.
//
// Invariant: who is not among the heads is behind another that waits, or is held up by one that has
// voted and has not ended since. The heads may be so too: that is seen when they are looked at.
type arrivalWaits struct {
	list             []*QueuedPrepare
	rows             map[txn.Key]*rowWaits
	runnable         []*QueuedPrepare            // in order
	held             map[txn.ID][]*QueuedPrepare // by one that has voted
	ends             time.Duration               // the least of their deadlines
	minDeadlineValid bool                        // that ends is; else it is looked for
}

// rowWaits are those who wait for one row, in order; one that reads and writes it is in both.
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

// row is where those stand that wait for a row, made if need be.
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

// remove takes one out; false if it does not wait.
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

// runnableBehind makes heads of those that were behind one alone, which has been taken out.
func (w *arrivalWaits) runnableBehind(i *QueuedPrepare) {
	for _, k := range i.LockSet.Shared {
		w.firstWriterHeads(k)
	}
	for _, k := range i.LockSet.Exclusive {
		w.firstWriterHeads(k)
		w.readersHead(k, i)
	}
}

// readersHead looks which of those are behind nobody that read a row and go after one, and before the
// next that writes it.
func (w *arrivalWaits) readersHead(k txn.Key, i *QueuedPrepare) {
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

// firstWriterHeads looks whether the first that writes a row is behind nobody, and forgets a row for which
// nobody waits.
func (w *arrivalWaits) firstWriterHeads(k txn.Key) {
	switch r := w.rows[k]; {
	case r == nil:
	case len(r.writes) > 0:
		w.markRunnable(r.writes[0])
	case len(r.reads) == 0:
		delete(w.rows, k)
	}
}

// markRunnable makes a head of one that is behind nobody, unless it is known who holds it up.
func (w *arrivalWaits) markRunnable(i *QueuedPrepare) {
	if !i.runnable && i.waitsFor.IsZero() && !w.blocked(i) {
		i.runnable, w.runnable = true, insertByArrivalTime(w.runnable, i)
	}
}

// unmarkRunnable takes one out of the heads, if it is there.
func (w *arrivalWaits) unmarkRunnable(i *QueuedPrepare) {
	if i.runnable {
		i.runnable, w.runnable = false, removeByArrivalTime(w.runnable, i)
	}
}

// hold notes that one that has voted holds a waiter up.
func (w *arrivalWaits) hold(i *QueuedPrepare, by txn.ID) {
	w.unmarkRunnable(i)
	if w.held == nil {
		w.held = map[txn.ID][]*QueuedPrepare{}
	}
	i.waitsFor, w.held[by] = by, append(w.held[by], i)
}

// release notes that nobody is known who holds a waiter up.
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

// ended has those looked at again that were held up by one that holds nothing any more.
func (w *arrivalWaits) ended(by txn.ID) {
	list := w.held[by]
	delete(w.held, by)
	for _, i := range list {
		i.waitsFor = txn.ID{}
		w.markRunnable(i)
	}
}

// lookAtAll has everybody looked at again.
func (w *arrivalWaits) lookAtAll() {
	for _, i := range w.list {
		w.release(i)
		w.markRunnable(i)
	}
}

// first is the first one that wants some of a lock set and goes before one with a stamp, nil if none
// does; before is nil for one that has none: it goes after all.
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

// blocked reports whether one that waits is behind another.
func (w *arrivalWaits) blocked(i *QueuedPrepare) bool { return w.first(&i.LockSet, i) != nil }

// nextRunnable is the first head that goes after one, of all if that is nil; nil if there is none.
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

// insertByArrivalTime puts one into a list that is in order.
func insertByArrivalTime(list []*QueuedPrepare, i *QueuedPrepare) []*QueuedPrepare {
	return slices.Insert(list, placeOf(list, i), i)
}

// removeByArrivalTime takes one out of a list that is in order.
func removeByArrivalTime(list []*QueuedPrepare, i *QueuedPrepare) []*QueuedPrepare {
	at := placeOf(list, i)
	for list[at] != i { // another attempt of its transaction
		at++
	}
	return slices.Delete(list, at, at+1)
}

// placeOf is the place of the first in a list that does not go before one, and placeAfter of the first that
// goes after it.
func placeOf(list []*QueuedPrepare, i *QueuedPrepare) int {
	return sort.Search(len(list), func(n int) bool { return !list[n].before(i) })
}

func placeAfter(list []*QueuedPrepare, i *QueuedPrepare) int {
	return sort.Search(len(list), func(n int) bool { return i.before(list[n]) })
}

// deadline is the least of their deadlines, txn.Never if nobody waits.
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
