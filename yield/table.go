package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// Claim is what a request wants to hold. Spans are shared.
type Claim struct {
	Shared    []txn.Key
	Exclusive []txn.Key
	Spans     []txn.Span
	// Fresh: the transaction holds nothing anywhere and asks for nothing else.
	Fresh bool
	// Sure: the transaction goes on from committed values alone.
	Sure bool
}

type spanLock struct {
	span   txn.Span
	holder *Holder
}

// Table is the lock table of one shard. A lock that meets no other allocates nothing.
type Table struct {
	policy  Policy
	world   World
	waking  bool   // those who wait are let ask again, or must not be now
	numbers serial // of waits and tenures
	rows    rows
	holders holders
	hot     hotRows
	waits   waits
	spans   []spanLock
	work    Work
}

// NewTable returns an empty table. What it does the world hears.
func NewTable(p Policy, b Bounds, w World) *Table {
	t := &Table{policy: p, world: w}
	t.rows.begin()
	t.holders = newHolders(&t.numbers)
	t.hot = newHotRows(p.Hot, b, &t.rows)
	t.waits = newWaits(p.Detect, &t.rows, &t.hot, &t.numbers)
	return t
}

// judge is what the rules say of a claim with which these are in conflict, oldest first.
func (t *Table) judge(phase Phase, id txn.ID, age txn.Age, c *Claim, conflicts []*Holder) verdict {
	if len(conflicts) == 0 {
		return verdict{}
	}
	v := t.policy.judge(phase, age, c.Fresh, conflicts)
	if h := t.follower(id, conflicts); h != nil && v.wait != nil {
		return verdict{victims: []txn.ID{h.Txn}}
	}
	if v.wait != nil && phase == Execute && t.walks(id, c, conflicts) && t.closesCycle(id, age, conflicts, c.Exclusive) {
		return verdict{die: v.wait}
	}
	return v
}

// walks reports whether a wait is to be looked at for cycles: always where the
// policy detects them, but in the queue of a hot row; and wherever chains have a part.
func (t *Table) walks(id txn.ID, c *Claim, conflicts []*Holder) bool {
	if t.policy.Detect {
		return !c.Fresh || !t.hot.alone(c)
	}
	h := t.holders.get(id)
	return h != nil && len(h.chained) > 0 || slices.ContainsFunc(conflicts, func(o *Holder) bool { return len(o.chained) > 0 })
}

// conflicts lists the holders in the way, oldest first, each once.
func (t *Table) conflicts(phase Phase, id txn.ID, age txn.Age, c *Claim) []*Holder {
	var out []*Holder
	add := func(h *Holder) {
		if h != nil && h.Txn != id && (h.Voted || phase.holds()) && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	for _, k := range c.Shared {
		if p, ok := t.rows.Get(k); ok {
			add(p.exclusive)
			for _, h := range p.chain {
				add(h)
			}
		}
	}
	joins, known := false, false // it is asked where there is a chain, and once
	for _, k := range c.Exclusive {
		if p, ok := t.rows.Get(k); ok {
			if !known && len(p.chain) > 0 {
				joins, known = !c.Sure && t.joins(phase, id, c.Exclusive), true
			}
			t.inTheWay(p, phase, id, age, c.Fresh, joins, add)
		}
		for _, s := range t.spans {
			if s.span.Contains(k) {
				add(s.holder)
			}
		}
	}
	for _, s := range c.Spans {
		t.rows.in(s, func(p *point) {
			add(p.exclusive)
			for _, h := range p.chain {
				add(h)
			}
		})
	}
	if len(out) > 1 {
		slices.SortFunc(out, func(a, b *Holder) int {
			if a.Age.Older(b.Age) {
				return -1
			}
			return 1
		})
	}
	return out
}

// inTheWay adds who is in the way of a row's exclusive lock.
func (t *Table) inTheWay(p *point, phase Phase, id txn.ID, age txn.Age, fresh, joins bool, add func(*Holder)) {
	if place := p.place(id); place >= 0 {
		for _, h := range p.chain[:place] { // whoever comes later waits for this one
			add(h)
		}
		return
	}
	add(p.exclusive)
	for _, h := range p.shared {
		add(h)
	}
	if len(p.chain) == 0 || p.exclusive != nil && p.exclusive.Txn == id && phase == Execute {
		return
	}
	if !joins || t.closed(p, age, fresh) {
		for _, h := range p.chain {
			add(h)
		}
		return
	}
	if t.policy.Hot == Retire {
		for _, h := range p.chain {
			if age.Older(h.Age) {
				add(h)
			}
		}
	}
}

func (t *Table) give(now time.Duration, id txn.ID, age txn.Age, c *Claim) *Holder {
	t.hot.now = now
	h := t.holders.enter(now, id, age)
	for _, k := range c.Shared {
		t.share(h, k)
	}
	for _, k := range c.Exclusive {
		t.own(h, k)
	}
	for _, s := range c.Spans {
		if !slices.Contains(h.spans, s) {
			h.spans = append(h.spans, s)
			t.spans = append(t.spans, spanLock{s, h})
		}
	}
	return h
}

func (t *Table) share(h *Holder, k txn.Key) {
	p := t.rows.entry(k)
	if p.has(h) {
		return
	}
	if p.exclusive != nil {
		panic("yield: a shared lock was granted beside an exclusive one: " + h.Txn.String())
	}
	p.shared = append(p.shared, h)
	h.keys = append(h.keys, k)
	t.locked(h, p, k, false)
}

func (t *Table) own(h *Holder, k txn.Key) {
	p := t.rows.entry(k)
	if p.exclusive == h || p.place(h.Txn) >= 0 {
		return
	}
	i := slices.Index(p.shared, h)
	if i >= 0 {
		p.shared = slices.Delete(p.shared, i, i+1)
	}
	if p.exclusive != nil || len(p.shared) > 0 {
		panic("yield: an exclusive lock was granted beside another: " + h.Txn.String())
	}
	p.exclusive, p.ownedAt = h, t.hot.now
	if i < 0 {
		h.keys = append(h.keys, k)
	}
	if len(p.chain) > 0 {
		h.chained = append(h.chained, k) // it goes on from the last value there
	}
	t.hot.turn(p, h)
	t.locked(h, p, k, true)
}

// locked counts a lock, and makes its object if the policy wants one.
func (t *Table) locked(h *Holder, p *point, k txn.Key, exclusive bool) {
	t.work.Locks++
	t.work.Beside += uint64(p.queue.len())
	if t.policy.Objects {
		h.objects = append(h.objects, &object{key: k, exclusive: exclusive, holder: h})
	}
}

// Holder is the transaction's entry, nil if it holds nothing.
func (t *Table) Holder(id txn.ID) *Holder { return t.holders.get(id) }

// release frees all that the transaction holds at this time, and gives up its places in
// chains.
func (t *Table) release(now time.Duration, id txn.ID) {
	h := t.holders.get(id)
	if h == nil {
		return
	}
	delete(t.holders.byTxn, id)
	for _, k := range h.keys {
		p, _ := t.rows.Get(k)
		if p.exclusive == h {
			p.exclusive = nil
			if p.queue.len() > 0 {
				p.turnOver(now)
				t.hot.warm(now, k, p)
			}
		} else {
			p.shared = remove(p.shared, h)
		}
		t.work.Locks++
		t.work.Beside += uint64(p.queue.len())
		t.waits.open(k, p)
	}
	for _, k := range h.chained {
		if p, ok := t.rows.Get(k); ok && p.place(id) >= 0 {
			p.chain = remove(p.chain, h)
			t.waits.open(k, p)
		}
	}
	if len(h.spans) > 0 {
		t.spans = slices.DeleteFunc(t.spans, func(s spanLock) bool { return s.holder == h })
	}
	t.waits.free(h)
	t.holders.keep(h)
}

func remove(list []*Holder, h *Holder) []*Holder {
	if i := slices.Index(list, h); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// Holders lists the holders in the order of their ids.
func (t *Table) Holders() []*Holder { return t.holders.list() }

// Unvoted lists, in order, the transactions that hold something or wait for something
// here and have not voted.
func (t *Table) Unvoted() []txn.ID {
	var out []txn.ID
	for id, h := range t.holders.byTxn { // order: sorted below
		if !h.Voted {
			out = append(out, id)
		}
	}
	for id := range t.waits.byTxn { // order: sorted below
		if t.holders.get(id) == nil {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, func(a, b txn.ID) int {
		if a.Less(b) {
			return -1
		}
		return 1
	})
	return out
}

// Waiting is the number of requests that wait.
func (t *Table) Waiting() int { return t.waits.count }

// Asks reports whether a request of the transaction waits already. One that waited
// twice would be granted twice, the second time when the transaction has ended.
func (t *Table) Asks(id txn.ID, request uint64) bool { return t.waits.asks(id, request) }

// Cancel takes a waiter out of its queue.
func (t *Table) Cancel(w *Waiter) { t.waits.cancel(w) }

// Rebound changes the bounds from now on.
func (t *Table) Rebound(b Bounds) { t.hot.bounds = b.withDefaults() }

// NextWake is the earliest instant at which the table has something to do by time alone:
// a wait may end (Expire). While nobody waits there is none; when somebody can go on it is 0.
func (t *Table) NextWake() time.Duration { return t.waits.nextWake() }
