package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// stampWaits are those who wait by their stamps, in order. Where more comes than rows can take
// there are thousands, and whenever somebody ends each of them may be able to go on. So each knows
// one that is in its way, and is looked at again when that one is gone.
type stampWaits struct {
	list []*StampedVote
	ends time.Duration // the least of their deadlines
	sure bool          // that ends is; else it is looked for
}

func (w *stampWaits) add(i *StampedVote) {
	w.list = insertStamped(w.list, i)
	i.waits = true
	w.sure = w.sure && len(w.list) > 1
	if w.sure {
		w.ends = min(w.ends, i.Deadline)
	}
}

// remove takes an attempt out; false if it does not wait.
func (w *stampWaits) remove(a txn.Attempt) bool {
	n := len(w.list)
	w.list = slices.DeleteFunc(w.list, func(i *StampedVote) bool {
		if i.Attempt != a {
			return false
		}
		i.waits, i.behind = false, nil
		w.sure = w.sure && i.Deadline > w.ends
		return true
	})
	return len(w.list) < n
}

// first is the first one that wants some of a lock set and goes before one with a stamp, nil if none
// does; before is nil for one that has none: it goes after all.
func (w *stampWaits) first(c *LockSet, before *StampedVote) *StampedVote {
	for _, o := range w.list {
		if before != nil && !o.before(before) {
			return nil
		}
		if o.LockSet.Clashes(c) {
			return o
		}
	}
	return nil
}

// blocked reports whether one that waits is behind another.
func (w *stampWaits) blocked(i *StampedVote) bool {
	if i.behind == nil || !i.behind.waits { // neither stamps nor lock sets ever change
		i.behind = w.first(&i.LockSet, i)
	}
	return i.behind != nil
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
