package yield

import (
	"slices"
	"time"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// lockState is the state of one row that is locked, written and uncommitted, reserved, or waited
// for. A row in none of these states has no entry (empty).
//
// Invariant: a transaction in the chain has released the row; they commit in the chain's order.
type lockState struct {
	exclusive   *Holder       // its writer, executing or voted; nil: none
	shared      []*Holder     // its readers
	chain       []*Holder     // has published the row and not ended, in the order of updates
	queue       waitQueue     // waits for the row
	hot         *HotRow       // nil: the row is not hot
	reserved    []reservation // an entry has no entry of a higher priority after it
	ownedAt     time.Duration // when exclusive was granted
	avgHoldTime time.Duration // average time between a grant and its release, measured while others wait; 0: unknown
}

func (p *lockState) empty() bool {
	return p.exclusive == nil && len(p.shared) == 0 && len(p.chain) == 0 && p.queue.len() == 0 && len(p.reserved) == 0
}

// shares reports whether the transaction holds the row shared.
func (p *lockState) shares(id txn.ID) bool {
	return slices.ContainsFunc(p.shared, func(h *Holder) bool { return h.Txn == id })
}

// chainIndex is the transaction's index in the chain, -1 if it is not in it.
func (p *lockState) chainIndex(id txn.ID) int {
	return slices.IndexFunc(p.chain, func(h *Holder) bool { return h.Txn == id })
}

// has reports whether the holder holds the row or is in its chain.
func (p *lockState) has(h *Holder) bool {
	return p.exclusive == h || p.chainIndex(h.Txn) >= 0 || slices.Contains(p.shared, h)
}

// holdTime returns how long the row is held per grant: the average so far, or the age of the
// present grant if that is more.
func (p *lockState) holdTime(now time.Duration) time.Duration {
	if p.exclusive == nil {
		return p.avgHoldTime
	}
	return max(p.avgHoldTime, now-p.ownedAt)
}

// noteRelease adds a finished grant to the average. The last one weighs as much as all before it,
// since hold times change with the region of the leader.
func (p *lockState) noteRelease(now time.Duration) {
	took := now - p.ownedAt
	if p.avgHoldTime == 0 {
		p.avgHoldTime = took
		return
	}
	p.avgHoldTime = (p.avgHoldTime + took) / 2
}

// certainly reports whether the exclusive holder conflicts with a waiter under every rule. It does
// not if it is the waiter, or follows it in the chain. detect: the policy detects deadlocks.
func (p *lockState) certainly(w *Waiter, detect bool) bool {
	h := p.exclusive
	if h == nil || h.Txn == w.Txn || p.chainIndex(w.Txn) >= 0 {
		return false
	}
	return h.Voted || h.Age.Older(w.Age) || detect
}

// blocker is a holder of the row, or else its last uncommitted writer; nil if there is none.
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

// rows are the entries of a lock table by key. An entry that is made again allocates nothing. Call
// begin before use.
type rows struct {
	btree.Map[txn.Key, *lockState]
	spare []*lockState
}

// spares bounds the entries and holders kept for reuse.
const spares = 4096

// begin makes an empty set.
func (r *rows) begin() { r.Set("", &lockState{}) } // never empty, the tree keeps its root

// entry returns the row's entry, made if there is none.
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

// in visits the entries of a span, in key order.
func (r *rows) in(s txn.Span, visit func(*lockState)) {
	r.Ascend(s.Start, func(k txn.Key, p *lockState) bool {
		if k >= s.End {
			return false
		}
		visit(p)
		return true
	})
}

// drop removes an entry if it is empty.
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

// near is the first of the keys that the holder holds.
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

// nearSpan is the first of the keys that a span of the holder covers, or else the first row in the
// spans that it holds.
func (r *rows) nearSpan(on *Holder, keys []txn.Key, spans []txn.Span) (near txn.Key) {
	for _, k := range keys {
		if slices.ContainsFunc(on.spans, func(s txn.Span) bool { return s.Contains(k) }) {
			return k
		}
	}
	for _, s := range spans {
		r.Ascend(s.Start, func(k txn.Key, p *lockState) bool {
			if k < s.End && p.has(on) {
				near = k
			}
			return k < s.End && near == ""
		})
		if near != "" {
			break
		}
	}
	return near
}
