package yield

import (
	"slices"
	"time"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// Holder is a transaction that holds locks at this shard, or has its place in a
// chain of uncommitted writes. It is the table's: after the transaction's Release
// it may come to stand for another.
//
// Invariant: a voted holder leaves only by a decision; whatever holds nothing
// has no Holder.
type Holder struct {
	Txn   txn.ID
	Age   txn.Age
	Voted bool
	// Since is when its contention span began here.
	Since   time.Duration
	keys    []txn.Key // locked, each once
	spans   []txn.Span
	waiters []*Waiter
	objects []*object
	// tenure numbers what it has here: another once it lets go of some of it, and stays.
	tenure  uint64
	chaseAt time.Duration // of the next chase
	chases  int           // so far
	chased  uint64        // the look in which it was found last
	chained []txn.Key     // in whose chains it has a place, or whose last value it has read
	written []txn.Row     // what it has published, versions included
}

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

// point is a row that is locked, written and not committed, or waited for.
//
// Invariant: whoever is in the chain has let go of the row; they commit in its order.
type point struct {
	exclusive *Holder
	shared    []*Holder
	chain     []*Holder
	queue     waitQueue
	hot       *HotRow
	ownedAt   time.Duration // when exclusive was granted
	turnTakes time.Duration // average time between a grant and its release, while somebody waits
}

func (p *point) empty() bool {
	return p.exclusive == nil && len(p.shared) == 0 && len(p.chain) == 0 && p.queue.len() == 0
}

// shares reports whether the transaction has the row shared.
func (p *point) shares(id txn.ID) bool {
	return slices.ContainsFunc(p.shared, func(h *Holder) bool { return h.Txn == id })
}

type spanLock struct {
	span   txn.Span
	holder *Holder
}

// object is one lock of one holder, for policies that keep one whether or not
// anybody is in conflict.
type object struct {
	key       txn.Key
	exclusive bool
	holder    *Holder
}

// Table is the lock table of one shard. A lock that meets no other allocates nothing.
type Table struct {
	policy  Policy
	bounds  Bounds
	world   World
	waking  bool          // those who wait are let ask again, or must not be now
	now     time.Duration // of the last grant
	holders map[txn.ID]*Holder
	points  btree.Map[txn.Key, *point]
	spans   []spanLock
	hot     map[txn.Key]*HotRow
	work    Work
	waits
	sparePoints  []*point
	spareHolders []*Holder
}

// NewTable returns an empty table. What it does the world hears.
func NewTable(p Policy, b Bounds, w World) *Table {
	t := &Table{policy: p, bounds: b.withDefaults(), world: w, holders: map[txn.ID]*Holder{}, hot: map[txn.Key]*HotRow{}, waits: newWaits()}
	t.points.Set("", &point{}) // never empty, the tree keeps its root
	return t
}

// request asks whether the claim can be granted to the transaction. It changes nothing.
func (t *Table) request(phase Phase, id txn.ID, age txn.Age, c Claim) verdict {
	return t.judge(phase, id, age, &c, t.conflicts(phase, id, age, &c))
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
		return !c.Fresh || !t.inWaitQueue(c)
	}
	h := t.holders[id]
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
		if p, ok := t.points.Get(k); ok {
			add(p.exclusive)
			for _, h := range p.chain {
				add(h)
			}
		}
	}
	joins, known := false, false // it is asked where there is a chain, and once
	for _, k := range c.Exclusive {
		if p, ok := t.points.Get(k); ok {
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
		t.points.Ascend(s.Start, func(k txn.Key, p *point) bool {
			if k >= s.End {
				return false
			}
			add(p.exclusive)
			for _, h := range p.chain {
				add(h)
			}
			return true
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

// at reports whether the holder has something of the row, or a place in its chain.
func (t *Table) at(h *Holder, k txn.Key) bool {
	p, ok := t.points.Get(k)
	return ok && (p.exclusive == h || p.place(h.Txn) >= 0 || slices.Contains(p.shared, h))
}

// grant gives the claim to the transaction; request must have granted it in the
// same instant.
func (t *Table) grant(now time.Duration, id txn.ID, age txn.Age, c Claim) *Holder {
	return t.give(now, id, age, &c)
}

func (t *Table) give(now time.Duration, id txn.ID, age txn.Age, c *Claim) *Holder {
	t.now = now
	h := t.holders[id]
	if h == nil {
		h = t.newHolder()
		h.Txn, h.Age, h.Since = id, age, now
		t.renew(h)
		t.holders[id] = h
	}
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
	p := t.point(k)
	if p.exclusive == h || p.place(h.Txn) >= 0 || slices.Contains(p.shared, h) {
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
	p := t.point(k)
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
	p.exclusive, p.ownedAt = h, t.now
	if i < 0 {
		h.keys = append(h.keys, k)
	}
	if len(p.chain) > 0 {
		h.chained = append(h.chained, k) // it goes on from the last value there
	}
	t.turn(p, h)
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

// point is the row's entry, made if there is none.
func (t *Table) point(k txn.Key) *point {
	if p, ok := t.points.Get(k); ok {
		return p
	}
	var p *point
	if n := len(t.sparePoints); n > 0 {
		p, t.sparePoints = t.sparePoints[n-1], t.sparePoints[:n-1]
	} else {
		p = &point{}
	}
	t.points.Set(k, p)
	return p
}

// tidy drops a row's entry that nobody needs.
func (t *Table) tidy(k txn.Key, p *point) {
	if p.hot != nil && p.queue.len() == 0 && len(p.chain) == 0 {
		delete(t.hot, k)
		p.hot = nil
	}
	if p.empty() {
		p.turnTakes = 0
		t.points.Delete(k)
		if len(t.sparePoints) < spares {
			t.sparePoints = append(t.sparePoints, p)
		}
	}
}

// spares bounds what is kept for later use.
const spares = 4096

func (t *Table) newHolder() *Holder {
	if n := len(t.spareHolders); n > 0 {
		h := t.spareHolders[n-1]
		t.spareHolders = t.spareHolders[:n-1]
		return h
	}
	return &Holder{}
}

// spare keeps a holder for later, empty.
func (t *Table) spare(h *Holder) {
	const most = 64 // beyond that its lists are not worth keeping
	if len(t.spareHolders) >= spares || cap(h.keys) > most {
		return
	}
	clear(h.keys)
	clear(h.written)
	*h = Holder{keys: h.keys[:0], spans: h.spans[:0], chained: h.chained[:0], written: h.written[:0]}
	t.spareHolders = append(t.spareHolders, h)
}

// Holder is the transaction's entry, nil if it holds nothing.
func (t *Table) Holder(id txn.ID) *Holder { return t.holders[id] }

// release frees all that the transaction holds at this time, and gives up its places in
// chains.
func (t *Table) release(now time.Duration, id txn.ID) {
	h := t.holders[id]
	if h == nil {
		return
	}
	delete(t.holders, id)
	for _, k := range h.keys {
		p, _ := t.points.Get(k)
		if p.exclusive == h {
			p.exclusive = nil
			if p.queue.len() > 0 {
				p.turnOver(now)
				t.warm(now, k, p)
			}
		} else {
			p.shared = remove(p.shared, h)
		}
		t.work.Locks++
		t.work.Beside += uint64(p.queue.len())
		t.open(k, p)
	}
	for _, k := range h.chained {
		if p, ok := t.points.Get(k); ok && p.place(id) >= 0 {
			p.chain = remove(p.chain, h)
			t.open(k, p)
		}
	}
	if len(h.spans) > 0 {
		t.spans = slices.DeleteFunc(t.spans, func(s spanLock) bool { return s.holder == h })
	}
	t.free(h)
	t.spare(h)
}

func remove(list []*Holder, h *Holder) []*Holder {
	if i := slices.Index(list, h); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// open says that something about a row has changed for those who wait for it.
func (t *Table) open(k txn.Key, p *point) {
	if p.queue.len() > 0 {
		t.opened = append(t.opened, opening{key: k})
		return
	}
	t.tidy(k, p)
}

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
