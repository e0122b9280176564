package yield

import (
	"slices"
	"time"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// lockState is a row that is locked, written and not committed, or waited for.
//
// Invariant: whoever is in the chain has let go of the row; they commit in its order.
type lockState struct {
	exclusive   *Holder
	shared      []*Holder
	chain       []*Holder
	queue       waitQueue
	hot         *HotRow
	reserved    []reservation // those before whom none of a higher priority stands come first
	ownedAt     time.Duration // when exclusive was granted
	avgHoldTime time.Duration // average time between a grant and its release, while somebody waits
}

func (p *lockState) empty() bool {
	return p.exclusive == nil && len(p.shared) == 0 && len(p.chain) == 0 && p.queue.len() == 0 && len(p.reserved) == 0
}

// shares reports whether the transaction has the row shared.
func (p *lockState) shares(id txn.ID) bool {
	return slices.ContainsFunc(p.shared, func(h *Holder) bool { return h.Txn == id })
}

// chainIndex is where in the chain a transaction stands, -1 if it does not.
func (p *lockState) chainIndex(id txn.ID) int {
	return slices.IndexFunc(p.chain, func(h *Holder) bool { return h.Txn == id })
}

// has reports whether the holder has something of the row, or a place in its chain.
func (p *lockState) has(h *Holder) bool {
	return p.exclusive == h || p.chainIndex(h.Txn) >= 0 || slices.Contains(p.shared, h)
}

// holdTime is how long a turn of the row takes: on average so far, or what the present
// one has taken already if that is more.
func (p *lockState) holdTime(now time.Duration) time.Duration {
	if p.exclusive == nil {
		return p.avgHoldTime
	}
	return max(p.avgHoldTime, now-p.ownedAt)
}

// noteRelease counts how long a turn took that is over. In the average the last one weighs as
// much as all before it, for what a turn takes changes with the leader's region.
func (p *lockState) noteRelease(now time.Duration) {
	took := now - p.ownedAt
	if p.avgHoldTime == 0 {
		p.avgHoldTime = took
		return
	}
	p.avgHoldTime = (p.avgHoldTime + took) / 2
}

// certainly reports whether who holds the row exclusively is in a waiter's way whatever
// it asks. It is not if it is the waiter, or stands behind it in the chain. detect: the policy
// detects deadlocks.
func (p *lockState) certainly(w *Waiter, detect bool) bool {
	h := p.exclusive
	if h == nil || h.Txn == w.Txn || p.chainIndex(w.Txn) >= 0 {
		return false
	}
	return h.Voted || h.Age.Older(w.Age) || detect
}

// blocker is somebody who has the row, or was the last to write it, nil if nobody is.
func (p *lockState) blocker() *Holder {
	switch {
	case p.exclusive != nil:
		return p.exclusive
	case len(p.chain) > 0:
		return p.chain[len(p.chain)-1]
	case len(p.shared) > 0:
		return p.shared[0]
	}
	return nil
}

// rows are the points of a table, by their keys. One that comes again allocates nothing. It is
// used once begun.
type rows struct {
	btree.Map[txn.Key, *lockState]
	spare []*lockState
}

// spares bounds what is kept for later use.
const spares = 4096

// begin makes them, with none.
func (r *rows) begin() { r.Set("", &lockState{}) } // never empty, the tree keeps its root

// entry is the row's point, made if there is none.
func (r *rows) entry(k txn.Key) *lockState {
	if p, ok := r.Get(k); ok {
		return p
	}
	var p *lockState
	if n := len(r.spare); n > 0 {
		p, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		p = &lockState{}
	}
	r.Set(k, p)
	return p
}

// in visits the points of a span, in the order of their keys.
func (r *rows) in(s txn.Span, visit func(*lockState)) {
	r.Ascend(s.Start, func(k txn.Key, p *lockState) bool {
		if k >= s.End {
			return false
		}
		visit(p)
		return true
	})
}

// drop forgets a point that nobody needs.
func (r *rows) drop(k txn.Key, p *lockState) {
	if !p.empty() {
		return
	}
	p.avgHoldTime = 0
	r.Delete(k)
	if len(r.spare) < spares {
		r.spare = append(r.spare, p)
	}
}

// near is the first of the keys at which the holder has something.
func (r *rows) near(on *Holder, keys ...[]txn.Key) txn.Key {
	for _, list := range keys {
		for _, k := range list {
			if p, ok := r.Get(k); ok && p.has(on) {
				return k
			}
		}
	}
	return ""
}
