package yield

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// PriorityRule is what a transaction of high priority may do to one of low priority that has locked
// what it wants, and has not voted. Who has voted is waited for under all of them.
type PriorityRule uint8

// The rules.
const (
	// PriorityIsAge: high priority counts as older than all of low priority (txn.Age).
	PriorityIsAge PriorityRule = iota
	// PriorityIgnored: ages alone count.
	PriorityIgnored
	// PriorityPreempts is PriorityIsAge, and where it cannot have its locks at once those of low
	// priority give way too that wait for them and have begun before it (Natto section 4).
	PriorityPreempts
	// PriorityPreemptsWaiting is preempt-on-wait: ages alone count, but one of low priority that waits
	// at this shard itself makes way for high priority when that asks (Natto section 4). It
	// closes no cycle: one waits for an older one, or for one that has voted, as without it.
	PriorityPreemptsWaiting
)

// Of is the age of a transaction as the rule has it.
func (r PriorityRule) Of(a txn.Age) txn.Age {
	switch r {
	case PriorityIgnored:
		a.Priority = txn.PriorityLow
	case PriorityPreemptsWaiting:
		a.Preempts, a.Priority = a.Preempts || a.Priority >= txn.PriorityHigh, txn.PriorityLow
	}
	return a
}

// wounds reports whether who asks has a holder give way that has not voted.
func (r *rules) wounds(age txn.Age, h *Holder) bool {
	if age.Older(h.Age) {
		return true
	}
	preempts := age.Preempts && !h.Age.Preempts && len(r.graph.waits.byTxn[h.Txn]) > 0
	r.counts.HitIf(preempts, coverage.PreemptsWhoWaits)
	return preempts
}

// preemptedWaiters are those who wait for some of a lock set that cannot be had at once, in order, and give
// way to who asks for it.
func (r *rules) preemptedWaiters(age txn.Age, c *LockSet, conflicts []*Holder) (out []txn.ID) {
	if r.policy.Priority != PriorityPreempts || age.Priority < txn.PriorityHigh {
		return nil
	}
	add := func(w *Waiter, exclusive bool) {
		if w.Age.Priority < age.Priority && w.Age.Start < age.Start && (exclusive || w.Exclusive) &&
			!slices.Contains(out, w.Txn) && !r.holders.voted(w.Txn) {
			out = append(out, w.Txn)
		}
	}
	for i, k := range slices.Concat(c.Exclusive, c.Shared) {
		exclusive := i < len(c.Exclusive)
		if p, ok := r.rows.Get(k); ok {
			for _, w := range p.queue.ws {
				add(w, exclusive)
			}
		}
		for _, h := range conflicts { // behind whom who wants several rows waits
			for _, w := range h.waiters {
				if w.Near == k {
					add(w, exclusive)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b txn.ID) int {
		if a.Less(b) {
			return -1
		}
		return 1
	})
	r.counts.HitIf(len(out) > 0, coverage.PreemptsWaiters)
	return out
}

// voted reports whether a transaction has voted here.
func (l *holders) voted(id txn.ID) bool {
	h := l.get(id)
	return h != nil && h.Voted
}
