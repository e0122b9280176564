package yield

import (
	"slices"
	"sort"
	"time"

	"isochron/txn"
)

// stampWaits are those who wait by their stamps, in order. Where more comes than rows can take
// there are thousands, and whenever somebody ends each of them may be able to go on. So they
// stand by row as well, and only those are looked at of whom it is not known whom they wait for.
//
// Invariant: who is not among the heads is behind another that waits, or is held up by one that has
// voted and has not ended since. The heads may be so too: that is seen when they are looked at.
type stampWaits struct {
	list  []*StampedVote
	rows  map[txn.Key]*rowWaits
	heads []*StampedVote            // in order
	held  map[txn.ID][]*StampedVote // by one that has voted
	ends  time.Duration             // the least of their deadlines
	sure  bool                      // that ends is; else it is looked for
}

// rowWaits are those who wait for one row, in order; one that reads and writes it is in both.
type rowWaits struct {
	reads, writes []*StampedVote
}

func (w *stampWaits) add(i *StampedVote) {
	w.list = insertStamped(w.list, i)
	i.waits = true
	for _, k := range i.LockSet.Shared {
		r := w.row(k)
		r.reads = insertStamped(r.reads, i)
	}
	for _, k := range i.LockSet.Exclusive {
		r := w.row(k)
		r.writes = insertStamped(r.writes, i)
	}
	w.mayHead(i)
	w.sure = w.sure && len(w.list) > 1
	if w.sure {
		w.ends = min(w.ends, i.Deadline)
	}
}

// row is where those stand that wait for a row, made if need be.
func (w *stampWaits) row(k txn.Key) *rowWaits {
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
func (w *stampWaits) remove(i *StampedVote) bool {
	if !i.waits {
		return false
	}
	i.waits = false
	w.list = removeStamped(w.list, i)
	w.unhead(i)
	w.release(i)
	for _, k := range i.LockSet.Shared {
		r := w.rows[k]
		r.reads = removeStamped(r.reads, i)
	}
	for _, k := range i.LockSet.Exclusive {
		r := w.rows[k]
		r.writes = removeStamped(r.writes, i)
	}
	w.headsBehind(i)
	w.sure = w.sure && i.Deadline > w.ends
	return true
}

// headsBehind makes heads of those that were behind one alone, which has been taken out.
func (w *stampWaits) headsBehind(i *StampedVote) {
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
func (w *stampWaits) readersHead(k txn.Key, i *StampedVote) {
	r := w.rows[k]
	if r == nil {
		return
	}
	for _, o := range r.reads[placeAfter(r.reads, i):] {
		if len(r.writes) > 0 && r.writes[0].before(o) {
			return
		}
		w.mayHead(o)
	}
}

// firstWriterHeads looks whether the first that writes a row is behind nobody, and forgets a row for which
// nobody waits.
func (w *stampWaits) firstWriterHeads(k txn.Key) {
	switch r := w.rows[k]; {
	case r == nil:
	case len(r.writes) > 0:
		w.mayHead(r.writes[0])
	case len(r.reads) == 0:
		delete(w.rows, k)
	}
}

// mayHead makes a head of one that is behind nobody, unless it is known who holds it up.
func (w *stampWaits) mayHead(i *StampedVote) {
	if !i.head && i.heldBy.IsZero() && !w.blocked(i) {
		i.head, w.heads = true, insertStamped(w.heads, i)
	}
}

// unhead takes one out of the heads, if it is there.
func (w *stampWaits) unhead(i *StampedVote) {
	if i.head {
		i.head, w.heads = false, removeStamped(w.heads, i)
	}
}

// hold notes that one that has voted holds a waiter up.
func (w *stampWaits) hold(i *StampedVote, by txn.ID) {
	w.unhead(i)
	if w.held == nil {
		w.held = map[txn.ID][]*StampedVote{}
	}
	i.heldBy, w.held[by] = by, append(w.held[by], i)
}

// release notes that nobody is known who holds a waiter up.
func (w *stampWaits) release(i *StampedVote) {
	by := i.heldBy
	if by.IsZero() {
		return
	}
	i.heldBy = txn.ID{}
	if w.held[by] = slices.DeleteFunc(w.held[by], func(o *StampedVote) bool { return o == i }); len(w.held[by]) == 0 {
		delete(w.held, by)
	}
}

// ended has those looked at again that were held up by one that holds nothing any more.
func (w *stampWaits) ended(by txn.ID) {
	list := w.held[by]
	delete(w.held, by)
	for _, i := range list {
		i.heldBy = txn.ID{}
		w.mayHead(i)
	}
}

// lookAtAll has everybody looked at again.
func (w *stampWaits) lookAtAll() {
	for _, i := range w.list {
		w.release(i)
		w.mayHead(i)
	}
}

// first is the first one that wants some of a lock set and goes before one with a stamp, nil if none
// does; before is nil for one that has none: it goes after all.
func (w *stampWaits) first(c *LockSet, before *StampedVote) (first *StampedVote) {
	look := func(list []*StampedVote) {
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
func (w *stampWaits) blocked(i *StampedVote) bool { return w.first(&i.LockSet, i) != nil }

// headAfter is the first head that goes after one, of all if that is nil; nil if there is none.
func (w *stampWaits) headAfter(i *StampedVote) *StampedVote {
	at := 0
	if i != nil {
		at = placeAfter(w.heads, i)
	}
	if at == len(w.heads) {
		return nil
	}
	return w.heads[at]
}

// insertStamped puts one into a list that is in order.
func insertStamped(list []*StampedVote, i *StampedVote) []*StampedVote {
	return slices.Insert(list, placeOf(list, i), i)
}

// removeStamped takes one out of a list that is in order.
func removeStamped(list []*StampedVote, i *StampedVote) []*StampedVote {
	at := placeOf(list, i)
	for list[at] != i { // another attempt of its transaction
		at++
	}
	return slices.Delete(list, at, at+1)
}

// placeOf is the place of the first in a list that does not go before one, and placeAfter of the first that
// goes after it.
func placeOf(list []*StampedVote, i *StampedVote) int {
	return sort.Search(len(list), func(n int) bool { return !list[n].before(i) })
}

func placeAfter(list []*StampedVote, i *StampedVote) int {
	return sort.Search(len(list), func(n int) bool { return i.before(list[n]) })
}

// deadline is the least of their deadlines, txn.Never if nobody waits.
func (w *stampWaits) deadline() time.Duration {
	if len(w.list) == 0 {
		return txn.Never
	}
	if !w.sure {
		w.ends, w.sure = txn.Never, true
		for _, i := range w.list {
			w.ends = min(w.ends, i.Deadline)
		}
	}
	return w.ends
}
