package yield

import (
	"slices"

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

// chains are who has gone on from whose uncommitted values.
type chains struct {
	rule    HotRule
	detect  bool // the policy detects deadlocks
	rows    *rows
	holders *holders
	hot     *hotRows
	waits   *waits
}

// joins reports whether a transaction may go on from uncommitted values of rows:
// in execution, of one row only, unless ages keep the chains in order.
func (c *chains) joins(phase Phase, id txn.ID, exclusive []txn.Key) bool {
	if phase != Execute || !c.rule.Publishes() {
		return false
	}
	if c.rule == Retire {
		return true
	}
	chains := 0
	if h := c.holders.get(id); h != nil {
		chains = len(h.chained)
	}
	for _, k := range exclusive {
		if p, ok := c.rows.Get(k); ok && len(p.chain) > 0 && (p.exclusive == nil || p.exclusive.Txn != id) {
			chains++
		}
	}
	return chains <= 1
}

// closed reports whether nobody can go on from the last of the chain now: the
// group is full, or an older one waits for the chain to end.
func (c *chains) closed(p *lockState, age txn.Age, fresh bool) bool {
	if p.hot == nil || c.rule == Retire || !fresh && !c.detect {
		return false
	}
	if len(p.queue.ws) > 0 && p.queue.ws[0].Age.Older(age) && p.exclusive == nil {
		return true
	}
	return c.hot.full(p.hot) && p.chainIndex(p.hot.leader) >= 0
}

// before lists those of a row's chain who must leave it before the waiter gets the row.
func (c *chains) before(p *lockState, w *Waiter) []*Holder {
	if len(p.chain) == 0 {
		return nil
	}
	if !w.Exclusive || w.CommittedOnly || !c.joins(Execute, w.Txn, []txn.Key{w.Key}) {
		return p.chain
	}
	if c.rule == Retire {
		var younger []*Holder
		for _, h := range p.chain {
			if w.Age.Older(h.Age) {
				younger = append(younger, h)
			}
		}
		return younger
	}
	if p.hot == nil || !c.hot.full(p.hot) || !w.HoldsNothing && !c.detect {
		return nil
	}
	if at := p.chainIndex(p.hot.leader); at >= 0 {
		return p.chain[at : at+1]
	}
	return nil
}

// last is the uncommitted value from which a transaction would go on that asks
// for the row exclusively; ok is false if there is none.
func (c *chains) last(k txn.Key, id txn.ID) (row txn.Row, ok bool) {
	if !c.rule.Publishes() {
		return txn.Row{}, false
	}
	p, found := c.rows.Get(k)
	if !found || len(p.chain) == 0 {
		return txn.Row{}, false
	}
	last := p.chain[len(p.chain)-1]
	if at := p.chainIndex(id); at >= 0 {
		if at == 0 {
			return txn.Row{}, false
		}
		last = p.chain[at-1]
	}
	return last.value(k), true
}

// part reports whether a transaction that writes the rows has a part in a hot one
// that is passed on.
func (c *chains) part(id txn.ID, written []txn.Key) bool {
	if len(c.hot.byKey) == 0 {
		return false
	}
	if c.holders.get(id).inChain() {
		return true
	}
	return slices.ContainsFunc(written, func(k txn.Key) bool {
		p, ok := c.rows.Get(k)
		return ok && c.hot.passes(p.hot)
	})
}

// wanted reports whether a row that the transaction holds exclusively should be
// published as soon as it is written.
func (c *chains) wanted(k txn.Key, id txn.ID) bool {
	if c.rule != Retire && len(c.hot.byKey) == 0 {
		return false // nothing else is passed on
	}
	p, ok := c.rows.Get(k)
	if !ok || p.exclusive == nil || p.exclusive.Txn != id {
		return false
	}
	switch c.rule {
	case Retire:
		return true
	case HotGroup:
		if len(p.chain) > 0 {
			return true
		}
		others := slices.ContainsFunc(p.exclusive.chained, func(o txn.Key) bool { return o != k })
		return c.hot.passes(p.hot) && !others
	}
	return false
}

// publish passes on what a transaction has written, as the attempt that it will
// commit under, and lets go of the row. It reports whether it did.
func (c *chains) publish(id txn.ID, w txn.Row) bool {
	h := c.holders.get(id)
	if h == nil || h.Voted || !c.wanted(w.Key, id) {
		return false
	}
	p, _ := c.rows.Get(w.Key)
	p.exclusive = nil
	p.chain = append(p.chain, h)
	h.written = append(h.written, w)
	c.holders.renew(h)
	h.keys = slices.DeleteFunc(h.keys, func(k txn.Key) bool { return k == w.Key })
	if !slices.Contains(h.chained, w.Key) {
		h.chained = append(h.chained, w.Key)
	}
	c.waits.open(w.Key, p)
	return true
}

// unpublish withdraws what a transaction has passed on: it holds the row again.
// Nobody may stand behind it.
func (c *chains) unpublish(id txn.ID, k txn.Key) {
	h, p := c.holders.get(id), c.rows.entry(k)
	if p.exclusive != nil || len(p.chain) == 0 || p.chain[len(p.chain)-1] != h {
		panic("yield: a value is withdrawn from which another has gone on: " + id.String())
	}
	p.chain = p.chain[:len(p.chain)-1]
	h.written = slices.DeleteFunc(h.written, func(row txn.Row) bool { return row.Key == k })
	if len(p.chain) == 0 {
		h.chained = slices.DeleteFunc(h.chained, func(o txn.Key) bool { return o == k })
	}
	p.exclusive = h
	h.keys = append(h.keys, k)
	c.holders.renew(h)
}

// ahead is one who must commit before the transaction may vote, nil if there is
// none: the one before it in a chain, or the last of a chain whose value it has read.
func (c *chains) ahead(id txn.ID) *Holder {
	h := c.holders.get(id)
	if h == nil {
		return nil
	}
	for _, k := range h.chained {
		p, ok := c.rows.Get(k)
		if !ok || len(p.chain) == 0 {
			continue
		}
		at := p.chainIndex(id)
		if at < 0 {
			return p.chain[len(p.chain)-1]
		}
		if at > 0 {
			return p.chain[at-1]
		}
	}
	return nil
}

// dependents lists who has gone on from what the transaction has published of the
// row, newest first: if it is undone, so are they. An empty key asks for all rows.
func (c *chains) dependents(id txn.ID, key txn.Key) []txn.ID {
	h := c.holders.get(id)
	if h == nil {
		return nil
	}
	var out []txn.ID
	for _, k := range h.chained {
		p, ok := c.rows.Get(k)
		at := -1
		if ok {
			at = p.chainIndex(id)
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
func (c *chains) follower(id txn.ID, conflicts []*Holder) *Holder {
	if !c.holders.get(id).inChain() {
		return nil
	}
	behind := c.dependents(id, "")
	for _, h := range conflicts {
		if !h.Voted && slices.Contains(behind, h.Txn) {
			return h
		}
	}
	return nil
}

// ended counts how a place in a chain ended, before its Release: rows whose
// places are undone too often are not passed on for a while.
func (c *chains) ended(id txn.ID, committed bool) {
	h := c.holders.get(id)
	if h == nil {
		return
	}
	for _, k := range h.chained {
		p, ok := c.rows.Get(k)
		if !ok || p.hot == nil {
			continue
		}
		c.hot.ended(p.hot, committed)
	}
}
