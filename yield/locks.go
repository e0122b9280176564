package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// locks are who has which rows and spans. They give what the rules have found to be free, and free
// it; what is free is opened to those who wait.
type locks struct {
	rows    *rows
	holders *holders
	hot     *hotRows
	waits   *waits
	// reserved end with the locks of their transactions
	reserved        *Reservations
	objects         bool // each is an object of its own
	spans           []spanLock
	count           uint64 // locks granted and freed
	waitersExamined uint64 // who waited for their rows then
}

type spanLock struct {
	span   txn.Span
	holder *Holder
}

// give gives the lock set to the transaction, and is its entry. Nobody may be in its way.
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

// share gives a row to one more holder, who only reads it.
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

// own gives a row to one holder alone.
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
		h.chained = append(h.chained, k) // it goes on from the last value there
	}
	l.hot.noteGrant(p, h)
	l.locked(h, p, k, true)
}

// locked counts a lock, and makes its object if the policy wants one.
func (l *locks) locked(h *Holder, p *lockState, k txn.Key, exclusive bool) {
	l.count++
	l.waitersExamined += uint64(p.queue.len())
	if l.objects {
		h.objects = append(h.objects, &object{key: k, exclusive: exclusive, holder: h})
	}
}

// release frees all that the transaction holds at this time, and gives up its places in
// chains.
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
