package yield

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// PriorityRule is the effect of a high-priority transaction on a low-priority one that has locked a
// row it needs and has not voted. Voted holders are waited for under all rules.
type PriorityRule uint8

// The rules.
const (
	// PriorityIsAge: high priority counts as older than all of low priority (txn.Age).
	PriorityIsAge PriorityRule = iota
	// PriorityIgnored: only ages count.
	PriorityIgnored
	// PriorityPreempts is PriorityIsAge, and a request that is not granted immediately also aborts
	// the low-priority waiters for its rows that began before it (Natto section 4).
	PriorityPreempts
	// PriorityPreemptsWaiting is preempt-on-wait: only ages count, but a low-priority holder that
	// itself waits at this shard is aborted by a high-priority request (Natto section 4). That
	// closes no cycle: waits are for older transactions, or for voted ones, as without it.
	PriorityPreemptsWaiting
)

// Of is a transaction's age under the rule.
func (r PriorityRule) Of(a txn.Age) txn.Age {
	switch r {
	case PriorityIgnored:
		a.Priority = txn.PriorityLow
	case PriorityPreemptsWaiting:
		a.Preempts, a.Priority = a.Preempts || a.Priority >= txn.PriorityHigh, txn.PriorityLow
	}
	return a
}

// wounds reports whether a request aborts an unvoted holder.
func (r *rules) wounds(age txn.Age, h *Holder) bool {
	if age.Older(h.Age) {
		return true
	}
	preempts := age.Preempts && !h.Age.Preempts && len(r.graph.waits.byTxn[h.Txn]) > 0
	r.counts.HitIf(preempts, coverage.PreemptsWaitingHolder)
	return preempts
}

// preemptedWaiters are the waiters for some of a lock set that its high-priority requester aborts,
// in order.
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
		for _, h := range conflicts { // behind which requests for several rows wait
			for _, w := range h.waiters {
				if w.Near == k {
					add(w, exclusive)
				}
			}
		}
	}
	for _, s := range c.Spans {
		r.rows.in(s, func(p *lockState) {
			for _, w := range p.queue.ws {
				add(w, false)
			}
		})
		for _, h := range conflicts {
			for _, w := range h.waiters {
				if s.Contains(w.Near) {
					add(w, false)
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
