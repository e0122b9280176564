package yield

import (
	"slices"
	"time"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// Holder is a transaction that holds locks at this shard.
//
// Invariant: a voted holder leaves only by a decision; whatever holds nothing
// has no Holder.
type Holder struct {
	Txn   txn.ID
	Age   txn.Age
	Voted bool
	// Since is when its contention span began here.
	Since   time.Duration
	keys    map[txn.Key]bool // true: exclusive
	spans   []txn.Span
	waiters []*Waiter
}

// Claim is what a request wants to hold. Spans are shared.
type Claim struct {
	Shared    []txn.Key
	Exclusive []txn.Key
	Spans     []txn.Span
}

// Waiter is a request that waits for a holder.
type Waiter struct {
	Txn      txn.ID
	Age      txn.Age
	Deadline time.Duration
	// Key, if set, is all that a request in execution wants, exclusively or not:
	// it need not ask again while an older transaction, or one that has voted, holds that.
	Key    txn.Key
	Retry  func() // asks again
	Expire func() // the deadline has passed
	on     *Holder
	// For and Since tell whoever looks: a key in whose way the holder is, and when
	// the request came.
	For   txn.Key
	Since time.Duration
}

type point struct {
	exclusive *Holder
	shared    []*Holder
}

type spanLock struct {
	span   txn.Span
	holder *Holder
}

// Table is the lock table of one shard.
type Table struct {
	holders map[txn.ID]*Holder
	points  btree.Map[txn.Key, *point]
	spans   []spanLock
	waiting int
}

// MaxWaiters bounds the requests that wait at one shard; one more gives way.
const MaxWaiters = 10_000

// NewTable returns an empty table.
func NewTable() *Table { return &Table{holders: map[txn.ID]*Holder{}} }

// Request asks whether the claim can be granted to the transaction. It changes nothing.
func (t *Table) Request(p Policy, phase Phase, id txn.ID, age txn.Age, c Claim) Verdict {
	return p.judge(phase, age, t.conflicts(phase, id, c))
}

// conflicts lists the holders in the way, oldest first, each once.
func (t *Table) conflicts(phase Phase, id txn.ID, c Claim) []*Holder {
	var out []*Holder
	add := func(h *Holder) {
		if h != nil && h.Txn != id && (h.Voted || phase != Instant) && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	for _, k := range c.Shared {
		if p, ok := t.points.Get(k); ok {
			add(p.exclusive)
		}
	}
	for _, k := range c.Exclusive {
		if p, ok := t.points.Get(k); ok {
			add(p.exclusive)
			for _, h := range p.shared {
				add(h)
			}
		}
		for _, s := range t.spans {
			if s.span.Contains(k) {
				add(s.holder)
			}
		}
	}
	for _, s := range c.Spans {
		t.points.Ascend(s.Start, func(k txn.Key, p *point) bool {
			if k >= s.End {
				return false
			}
			add(p.exclusive)
			return true
		})
	}
	slices.SortFunc(out, func(a, b *Holder) int {
		if a.Age.Older(b.Age) {
			return -1
		}
		return 1
	})
	return out
}

// InTheWay lists the holders with which a voted claim of the transaction conflicts.
func (t *Table) InTheWay(id txn.ID, c Claim) []*Holder { return t.conflicts(Prepare, id, c) }

// Grant gives the claim to the transaction; Request must have granted it in the
// same instant.
func (t *Table) Grant(now time.Duration, id txn.ID, age txn.Age, c Claim) *Holder {
	h := t.holders[id]
	if h == nil {
		h = &Holder{Txn: id, Age: age, Since: now, keys: map[txn.Key]bool{}}
		t.holders[id] = h
	}
	for _, k := range c.Shared {
		if _, held := h.keys[k]; held {
			continue
		}
		p := t.point(k)
		if p.exclusive != nil {
			panic("yield: a shared lock was granted beside an exclusive one: " + id.String())
		}
		p.shared = append(p.shared, h)
		h.keys[k] = false
	}
	for _, k := range c.Exclusive {
		exclusive, held := h.keys[k]
		if exclusive {
			continue
		}
		p := t.point(k)
		if held {
			p.shared = slices.DeleteFunc(p.shared, func(o *Holder) bool { return o == h })
		}
		if p.exclusive != nil || len(p.shared) > 0 {
			panic("yield: an exclusive lock was granted beside another: " + id.String())
		}
		p.exclusive = h
		h.keys[k] = true
	}
	for _, s := range c.Spans {
		if !slices.Contains(h.spans, s) {
			h.spans = append(h.spans, s)
			t.spans = append(t.spans, spanLock{s, h})
		}
	}
	return h
}

func (t *Table) point(k txn.Key) *point {
	p, ok := t.points.Get(k)
	if !ok {
		p = &point{}
		t.points.Set(k, p)
	}
	return p
}

// Holder is the transaction's entry, nil if it holds nothing.
func (t *Table) Holder(id txn.ID) *Holder { return t.holders[id] }

// Release frees all that the transaction holds and returns those who waited for
// it, oldest first; the caller calls their Retry.
func (t *Table) Release(id txn.ID) []*Waiter {
	h := t.holders[id]
	if h == nil {
		return nil
	}
	delete(t.holders, id)
	for k, exclusive := range h.keys { // order: each key is freed by itself
		p, _ := t.points.Get(k)
		if exclusive {
			p.exclusive = nil
		} else {
			p.shared = slices.DeleteFunc(p.shared, func(o *Holder) bool { return o == h })
		}
		if p.exclusive == nil && len(p.shared) == 0 {
			t.points.Delete(k)
		}
	}
	if len(h.spans) > 0 {
		t.spans = slices.DeleteFunc(t.spans, func(s spanLock) bool { return s.holder == h })
	}
	ws := h.waiters
	h.waiters = nil
	t.waiting -= len(ws)
	for _, w := range ws {
		w.on = nil
	}
	slices.SortStableFunc(ws, func(a, b *Waiter) int {
		switch {
		case a.Age.Older(b.Age):
			return -1
		case b.Age.Older(a.Age):
			return 1
		}
		return 0
	})
	return ws
}

// Wait puts w behind the holder; false when too many wait already.
func (t *Table) Wait(on *Holder, w *Waiter) bool {
	if t.waiting >= MaxWaiters {
		return false
	}
	t.waiting++
	w.on = on
	on.waiters = append(on.waiters, w)
	return true
}

// Rejoin puts a waiter that Release returned behind whoever has its key now, if
// asking again could only come to that; false if it must ask. On a hot row many
// wait, and one can go on.
func (t *Table) Rejoin(w *Waiter) bool {
	if w.Key == "" {
		return false
	}
	p, ok := t.points.Get(w.Key)
	if !ok || p.exclusive == nil || p.exclusive.Txn == w.Txn || !p.exclusive.Voted && !p.exclusive.Age.Older(w.Age) {
		return false
	}
	return t.Wait(p.exclusive, w)
}

// Cancel takes a waiter out of its queue.
func (t *Table) Cancel(w *Waiter) {
	if w.on == nil {
		return
	}
	w.on.waiters = slices.DeleteFunc(w.on.waiters, func(o *Waiter) bool { return o == w })
	w.on = nil
	t.waiting--
}

// Expired takes out the waiters whose deadline has passed, oldest holder first.
func (t *Table) Expired(now time.Duration) []*Waiter {
	if t.waiting == 0 {
		return nil
	}
	var out []*Waiter
	for _, h := range t.Holders() {
		for _, w := range slices.Clone(h.waiters) {
			if now >= w.Deadline {
				t.Cancel(w)
				out = append(out, w)
			}
		}
	}
	return out
}

// WaitersOf takes out the waiters that belong to a transaction.
func (t *Table) WaitersOf(id txn.ID) []*Waiter {
	if t.waiting == 0 {
		return nil
	}
	var out []*Waiter
	for _, h := range t.Holders() {
		for _, w := range slices.Clone(h.waiters) {
			if w.Txn == id {
				t.Cancel(w)
				out = append(out, w)
			}
		}
	}
	return out
}

// Waiting is the number of requests that wait.
func (t *Table) Waiting() int { return t.waiting }

// Holders lists the holders in the order of their ids.
func (t *Table) Holders() []*Holder {
	out := make([]*Holder, 0, len(t.holders))
	for _, h := range t.holders { // order: sorted below
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *Holder) int {
		if a.Txn.Less(b.Txn) {
			return -1
		}
		return 1
	})
	return out
}
