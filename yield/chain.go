package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// Chains (TXSQL sections 3.3, 4.2 to 4.6). Whoever has written a hot row
// publishes the value and lets go of the row; the next goes on from there. They
// commit in the order of the chain, and if one is undone all after it are.
//
// A group is a leader and those who went on after it, up to a bound; a new one
// begins when the leader has left. Without anybody waiting nothing is held back.
//
// Invariant: a transaction has a place in one chain only (but under Retire, where
// chains are in the order of ages), so no two wait for each other to commit.

// Bounds are when a row is hot and how large its groups are.
type Bounds struct {
	HotWaiters int // more than so many waiters make a row hot; 32
	// HotDelay: fewer do, but two at least, if the last of them is further than this
	// from the row by what its turns take; 32 ms. A turn that costs a sync of the disk
	// leaves 32 as the threshold, one that costs a wide-area round trip makes it two.
	// Negative: waiters alone count.
	HotDelay  time.Duration
	GroupSize int // 10
	// RollbackPercent of the last rollbackSample places in the chain of a row: if
	// more were undone, the row is held to the end for PlainFor. 95: of a group of ten
	// not even one commits, so groups do no more than holding would; 1 s.
	RollbackPercent int
	PlainFor        time.Duration
	Off             bool // no row is hot
}

// rollbackSample is some 25 groups: whole groups are undone together, and of a few
// groups most may be by chance.
const rollbackSample = 256

func (b Bounds) withDefaults() Bounds {
	set := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	set(&b.HotWaiters, 32)
	if b.HotDelay == 0 {
		b.HotDelay = 32 * time.Millisecond
	}
	set(&b.GroupSize, 10)
	set(&b.RollbackPercent, 95)
	if b.PlainFor == 0 {
		b.PlainFor = time.Second
	}
	return b
}

// Rebound changes the bounds from now on.
func (t *Table) Rebound(b Bounds) { t.bounds = b.withDefaults() }

// HotRow is what is known of a row for which many wait.
type HotRow struct {
	Key     txn.Key
	Since   time.Duration
	Updates uint64 // turns that were given out
	Undone  uint64 // places in the chain that were undone
	Queue   int    // who waits
	Group   int    // places in the chain

	leader     txn.ID
	granted    int // turns of this group
	ended, bad int // of the sample
	plainUntil time.Duration
}

// hotRows lists them in the order of their keys.
func (t *Table) hotRows() []HotRow {
	var out []HotRow
	for k, h := range t.hot { // order: sorted below
		row := *h
		p, _ := t.points.Get(k)
		row.Key, row.Queue, row.Group = k, p.queue.len(), len(p.chain)
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b HotRow) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return out
}

// warm makes a row hot for which too many wait.
func (t *Table) warm(now time.Duration, k txn.Key, p *point) {
	if p.hot != nil || !t.policy.Hot.waits() || t.bounds.Off {
		return
	}
	if t.bounds.tooMany(p.queue.len(), p.turnAt(now)) {
		p.hot = &HotRow{Key: k, Since: now}
		t.hot[k] = p.hot
	}
}

// tooMany reports whether so many wait for turns that take so long that the row is hot.
func (b Bounds) tooMany(waiters int, turn time.Duration) bool {
	return waiters > b.HotWaiters || b.HotDelay > 0 && waiters >= 2 && time.Duration(waiters)*turn > b.HotDelay
}

// turnAt is how long a turn of the row takes: on average so far, or what the present
// one has taken already if that is more.
func (p *point) turnAt(now time.Duration) time.Duration {
	if p.exclusive == nil {
		return p.turnTakes
	}
	return max(p.turnTakes, now-p.ownedAt)
}

// turnOver counts how long a turn took that is over. The average leans on the last one,
// for what a turn takes changes with the leader's region.
func (p *point) turnOver(now time.Duration) {
	took := now - p.ownedAt
	if p.turnTakes == 0 {
		p.turnTakes = took
		return
	}
	p.turnTakes = (p.turnTakes + took) / 2
}

// inWaitQueue reports whether the claim is for hot rows alone: who holds nothing waits there
// in its queue without a walk, for nobody waits for it.
func (t *Table) inWaitQueue(c *Claim) bool {
	if !t.policy.Hot.waits() || len(c.Shared)+len(c.Spans) > 0 {
		return false
	}
	for _, k := range c.Exclusive {
		if p, ok := t.points.Get(k); !ok || p.hot == nil {
			return false
		}
	}
	return true
}

// place is where in the chain a transaction stands, -1 if it does not.
func (p *point) place(id txn.ID) int {
	return slices.IndexFunc(p.chain, func(h *Holder) bool { return h.Txn == id })
}

// joins reports whether a transaction may go on from uncommitted values of rows:
// in execution, of one row only, unless ages keep the chains in order.
func (t *Table) joins(phase Phase, id txn.ID, exclusive []txn.Key) bool {
	if phase != Execute || !t.policy.Hot.Publishes() {
		return false
	}
	if t.policy.Hot == Retire {
		return true
	}
	chains := 0
	if h := t.holders[id]; h != nil {
		chains = len(h.chained)
	}
	for _, k := range exclusive {
		if p, ok := t.points.Get(k); ok && len(p.chain) > 0 && (p.exclusive == nil || p.exclusive.Txn != id) {
			chains++
		}
	}
	return chains <= 1
}

// closed reports whether nobody can go on from the last of the chain now: the
// group is full, or an older one waits for the chain to end.
func (t *Table) closed(p *point, age txn.Age, fresh bool) bool {
	if p.hot == nil || t.policy.Hot == Retire || !fresh && !t.policy.Detect {
		return false
	}
	if len(p.queue.ws) > 0 && p.queue.ws[0].Age.Older(age) && p.exclusive == nil {
		return true
	}
	return p.hot.granted >= t.bounds.GroupSize && p.place(p.hot.leader) >= 0
}

// turn counts that a row is given to a transaction.
func (t *Table) turn(p *point, h *Holder) {
	r := p.hot
	if r == nil {
		return
	}
	r.Updates++
	if r.granted++; r.granted > t.bounds.GroupSize || p.place(r.leader) < 0 {
		r.leader, r.granted = h.Txn, 1
	}
}

// Last is the uncommitted value from which a transaction would go on that asks
// for the row exclusively; ok is false if there is none.
func (t *Table) Last(k txn.Key, id txn.ID) (row txn.Row, ok bool) {
	if !t.policy.Hot.Publishes() {
		return txn.Row{}, false
	}
	p, found := t.points.Get(k)
	if !found || len(p.chain) == 0 {
		return txn.Row{}, false
	}
	last := p.chain[len(p.chain)-1]
	if at := p.place(id); at >= 0 {
		if at == 0 {
			return txn.Row{}, false
		}
		last = p.chain[at-1]
	}
	return last.value(k), true
}

func (h *Holder) value(k txn.Key) txn.Row {
	for _, row := range h.written {
		if row.Key == k {
			return row
		}
	}
	panic("yield: one in a chain has not written its row")
}

// Hot reports whether a transaction that writes the rows has a part in a hot one
// that is passed on.
func (t *Table) Hot(id txn.ID, written []txn.Key) bool {
	if len(t.hot) == 0 {
		return false
	}
	if h := t.holders[id]; h != nil && len(h.chained) > 0 {
		return true
	}
	return slices.ContainsFunc(written, func(k txn.Key) bool {
		p, ok := t.points.Get(k)
		return ok && t.passes(p.hot)
	})
}

// passes reports whether a row is hot, and not one of which too much is undone.
func (t *Table) passes(r *HotRow) bool { return r != nil && !t.bounds.Off && t.now >= r.plainUntil }

// wanted reports whether a row that the transaction holds exclusively should be
// published as soon as it is written.
func (t *Table) wanted(k txn.Key, id txn.ID) bool {
	if t.policy.Hot != Retire && len(t.hot) == 0 {
		return false // nothing else is passed on
	}
	p, ok := t.points.Get(k)
	if !ok || p.exclusive == nil || p.exclusive.Txn != id {
		return false
	}
	switch t.policy.Hot {
	case Retire:
		return true
	case HotGroup:
		if len(p.chain) > 0 {
			return true
		}
		others := slices.ContainsFunc(p.exclusive.chained, func(o txn.Key) bool { return o != k })
		return t.passes(p.hot) && !others
	}
	return false
}

// publish passes on what a transaction has written, as the attempt that it will
// commit under, and lets go of the row. It reports whether it did.
func (t *Table) publish(id txn.ID, w txn.Row) bool {
	h := t.holders[id]
	if h == nil || h.Voted || !t.wanted(w.Key, id) {
		return false
	}
	p, _ := t.points.Get(w.Key)
	p.exclusive = nil
	p.chain = append(p.chain, h)
	h.written = append(h.written, w)
	t.renew(h)
	h.keys = slices.DeleteFunc(h.keys, func(k txn.Key) bool { return k == w.Key })
	if !slices.Contains(h.chained, w.Key) {
		h.chained = append(h.chained, w.Key)
	}
	t.open(w.Key, p)
	return true
}

// unpublish takes back what a transaction has passed on: it holds the row again.
// Nobody may stand behind it.
func (t *Table) unpublish(id txn.ID, k txn.Key) {
	h, p := t.holders[id], t.point(k)
	if p.exclusive != nil || len(p.chain) == 0 || p.chain[len(p.chain)-1] != h {
		panic("yield: a value is taken back from which another has gone on: " + id.String())
	}
	p.chain = p.chain[:len(p.chain)-1]
	h.written = slices.DeleteFunc(h.written, func(row txn.Row) bool { return row.Key == k })
	if len(p.chain) == 0 {
		h.chained = slices.DeleteFunc(h.chained, func(o txn.Key) bool { return o == k })
	}
	p.exclusive = h
	h.keys = append(h.keys, k)
	t.renew(h)
}

// ahead is one who must commit before the transaction may vote, nil if there is
// none: the one before it in a chain, or the last of a chain whose value it has read.
func (t *Table) ahead(id txn.ID) *Holder {
	h := t.holders[id]
	if h == nil {
		return nil
	}
	for _, k := range h.chained {
		p, ok := t.points.Get(k)
		if !ok || len(p.chain) == 0 {
			continue
		}
		at := p.place(id)
		if at < 0 {
			return p.chain[len(p.chain)-1]
		}
		if at > 0 {
			return p.chain[at-1]
		}
	}
	return nil
}

// behind lists who has gone on from what the transaction has published of the
// row, newest first: if it is undone, so are they. An empty key asks for all rows.
func (t *Table) behind(id txn.ID, key txn.Key) []txn.ID {
	h := t.holders[id]
	if h == nil {
		return nil
	}
	var out []txn.ID
	for _, k := range h.chained {
		p, ok := t.points.Get(k)
		at := -1
		if ok {
			at = p.place(id)
		}
		if at < 0 || key != "" && k != key {
			continue
		}
		if p.exclusive != nil {
			out = append(out, p.exclusive.Txn)
		}
		for i := len(p.chain) - 1; i > at; i-- {
			out = append(out, p.chain[i].Txn)
		}
	}
	return out
}

// follower is one of the holders in the way who stands behind the transaction in
// a chain: to wait for it would be to wait for oneself.
func (t *Table) follower(id txn.ID, conflicts []*Holder) *Holder {
	if h := t.holders[id]; h == nil || len(h.chained) == 0 {
		return nil
	}
	behind := t.behind(id, "")
	for _, h := range conflicts {
		if !h.Voted && slices.Contains(behind, h.Txn) {
			return h
		}
	}
	return nil
}

// ended counts how a place in a chain ended, before its Release: rows whose
// places are undone too often are not passed on for a while.
func (t *Table) ended(id txn.ID, committed bool) {
	h := t.holders[id]
	if h == nil {
		return
	}
	for _, k := range h.chained {
		p, ok := t.points.Get(k)
		if !ok || p.hot == nil {
			continue
		}
		r := p.hot
		r.ended++
		if !committed {
			r.bad++
			r.Undone++
		}
		if r.ended >= rollbackSample {
			if r.bad*100 > t.bounds.RollbackPercent*r.ended {
				r.plainUntil = t.now + t.bounds.PlainFor
			}
			r.ended, r.bad = 0, 0
		}
	}
}
