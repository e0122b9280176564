package yield

import (
	"slices"

	"isochron/txn"
)

// Chains (TXSQL sections 3.3, 4.2 to 4.6). A transaction that has written a hot row publishes the
// value and releases the row; the next reads that value and updates it. They commit in the order of
// the chain; if one aborts, all after it abort.
//
// A group is a leader and its followers, up to a bound; a new group begins when the leader has
// ended. With no waiters nothing is delayed.
//
// Invariant: a transaction is in one chain only (except under Retire, where ages order the chains),
// so no two wait for each other to commit.

// chains is the order of uncommitted updates of hot rows.
type chains struct {
	rule    HotRule
	detect  bool // the policy detects deadlocks
	rows    *rows
	holders *holders
	hot     *hotRows
	waits   *waits
}

// joins reports whether a transaction may read uncommitted values of rows: in execution, and of one
// row only unless ages order the chains.
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

// closed reports whether no transaction may follow the last of the chain now: the group is full, or
// an older one waits for the chain to end.
func (c *chains) closed(p *lockState, age txn.Age, fresh bool) bool {
	if p.hot == nil || c.rule == Retire || !fresh && !c.detect {
		return false
	}
	if len(p.queue.ws) > 0 && p.queue.ws[0].Age.Older(age) && p.exclusive == nil {
		return true
	}
	return c.hot.full(p.hot) && p.chainIndex(p.hot.leader) >= 0
}

// before lists the members of a row's chain that must end before the waiter gets the row.
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

// last is the uncommitted value that a transaction would read if it requested the row exclusively;
// ok is false if there is none.
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

// part reports whether a transaction that writes these rows is in a chain, or writes a hot row that
// is published.
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

// wanted reports whether a row that the transaction holds exclusively is to be published as soon as
// it is written.
func (c *chains) wanted(k txn.Key, id txn.ID) bool {
	if c.rule != Retire && len(c.hot.byKey) == 0 {
		return false // nothing else is published
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

// publish appends a written row to its chain, under the attempt that will commit it, and releases
// the row. It reports whether it did.
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

// unpublish withdraws a published value: the transaction holds the row again. It must be the last
// of the chain.
func (c *chains) unpublish(id txn.ID, k txn.Key) {
	h, p := c.holders.get(id), c.rows.entry(k)
	if p.exclusive != nil || len(p.chain) == 0 || p.chain[len(p.chain)-1] != h {
		panic("yield: a published value is withdrawn that another transaction has read: " + id.String())
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

// ahead is a transaction that must commit before this one may vote, nil if there is none: its
// predecessor in a chain, or the last of a chain whose value it has read.
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

// dependents lists the transactions that have read what this one has published of the row, newest
// first: they abort with it. An empty key means all rows.
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

// follower is a conflicting holder that follows the transaction in a chain: to wait for it would be
// to wait for itself.
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

// ended counts how a transaction left its chains, before its release: a row with too many aborts is
// not published for a while.
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
