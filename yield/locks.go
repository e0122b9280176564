package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// locks is which transaction holds which rows and spans. It grants what the rules have found free,
// releases, and marks released rows for their waiters.
type locks struct {
	rows    *rows
	holders *holders
	hot     *hotRows
	waits   *waits
	// reserved reservations end with the locks of their transactions.
	reserved        *Reservations
	objects         bool // each lock is an object
	spans           []spanLock
	count           uint64 // granted plus released
	waitersExamined uint64 // waiters of those rows at those times
}

type spanLock struct {
	span   txn.Span
	holder *Holder
}

// give grants the lock set and returns the transaction's entry. Nothing may conflict.
func (l *locks) give(now time.Duration, id txn.ID, age txn.Age, c *LockSet) *Holder {
	l.hot.now = now
	h := l.holders.enter(now, id, age)
	for _, k := range c.Shared {
		l.share(h, k)
	}
	for _, k := range c.Exclusive {
		l.own(h, k)
	}
	for _, s := range c.Spans {
		if !slices.Contains(h.spans, s) {
			h.spans = append(h.spans, s)
			l.spans = append(l.spans, spanLock{s, h})
		}
	}
	return h
}

// share adds a reader to a row.
func (l *locks) share(h *Holder, k txn.Key) {
	p := l.rows.entry(k)
	if p.has(h) {
		return
	}
	if p.exclusive != nil {
		panic("yield: a shared lock was granted beside an exclusive one: " + h.Txn.String())
	}
	p.shared = append(p.shared, h)
	h.keys = append(h.keys, k)
	l.locked(h, p, k, false)
}

// own gives a row to one holder exclusively.
func (l *locks) own(h *Holder, k txn.Key) {
	p := l.rows.entry(k)
	if p.exclusive == h || p.chainIndex(h.Txn) >= 0 {
		return
	}
	i := slices.Index(p.shared, h)
	if i >= 0 {
		p.shared = slices.Delete(p.shared, i, i+1)
	}
	if p.exclusive != nil || len(p.shared) > 0 {
		panic("yield: an exclusive lock was granted beside another: " + h.Txn.String())
	}
	p.exclusive, p.ownedAt = h, l.hot.now
	if i < 0 {
		h.keys = append(h.keys, k)
	}
	if len(p.chain) > 0 {
		h.chained = append(h.chained, k) // it reads the last value there
	}
	l.hot.noteGrant(p, h)
	l.locked(h, p, k, true)
}

// locked counts a lock, and makes its object if the policy has them.
func (l *locks) locked(h *Holder, p *lockState, k txn.Key, exclusive bool) {
	l.count++
	l.waitersExamined += uint64(p.queue.len())
	if l.objects {
		h.objects = append(h.objects, &object{key: k, exclusive: exclusive, holder: h})
	}
}

// release releases all that the transaction holds, and removes it from chains.
func (l *locks) release(now time.Duration, id txn.ID) {
	h := l.holders.get(id)
	if h == nil {
		return
	}
	delete(l.holders.byTxn, id)
	for _, k := range h.keys {
		p, _ := l.rows.Get(k)
		if p.exclusive == h {
			p.exclusive = nil
			if p.queue.len() > 0 {
				p.noteRelease(now)
				l.hot.warm(now, k, p)
			}
		} else {
			p.shared = remove(p.shared, h)
		}
		l.count++
		l.waitersExamined += uint64(p.queue.len())
		l.waits.open(k, p)
	}
	for _, k := range h.chained {
		if p, ok := l.rows.Get(k); ok && p.chainIndex(id) >= 0 {
			p.chain = remove(p.chain, h)
			l.waits.open(k, p)
		}
	}
	if len(h.spans) > 0 {
		l.spans = slices.DeleteFunc(l.spans, func(s spanLock) bool { return s.holder == h })
	}
	l.reserved.release(h)
	l.waits.free(h)
	l.holders.keep(h)
}

func remove(list []*Holder, h *Holder) []*Holder {
	if i := slices.Index(list, h); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
