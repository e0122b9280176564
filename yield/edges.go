package yield

import (
	"slices"

	"isochron/txn"
)

// holdersBefore visits the holders that are in a waiter's way, with the number of what
// they have there. Of a group that is full it is the leader, whose end opens it.
func (t *Table) holdersBefore(w *Waiter, visit func(h *Holder, tenure uint64)) {
	if w.on != nil {
		visit(w.on, w.seq)
		return
	}
	p, ok := t.rows.Get(w.Key)
	if !ok {
		return
	}
	one := func(h *Holder) {
		if h != nil && h.Txn != w.Txn {
			visit(h, h.tenure)
		}
	}
	if at := p.place(w.Txn); at >= 0 { // whoever comes later waits for it
		for _, h := range p.chain[:at] {
			one(h)
		}
		return
	}
	one(p.exclusive)
	if w.Exclusive {
		for _, h := range p.shared {
			one(h)
		}
	}
	for _, h := range t.chainBefore(p, w) {
		one(h)
	}
}

// chainBefore lists those of a row's chain who must leave it before the waiter gets the row.
func (t *Table) chainBefore(p *point, w *Waiter) []*Holder {
	if len(p.chain) == 0 {
		return nil
	}
	if !w.Exclusive || w.Sure || !t.joins(Execute, w.Txn, []txn.Key{w.Key}) {
		return p.chain
	}
	if t.policy.Hot == Retire {
		var younger []*Holder
		for _, h := range p.chain {
			if w.Age.Older(h.Age) {
				younger = append(younger, h)
			}
		}
		return younger
	}
	if p.hot == nil || !t.hot.full(p.hot) || !w.Fresh && !t.policy.Detect {
		return nil
	}
	if at := p.place(p.hot.leader); at >= 0 {
		return p.chain[at : at+1]
	}
	return nil
}

// edges visits the waits of a waiter: for holders, and in a queue for the first of it and
// for those before it who may wait elsewhere too. alone: whom it waits for waits here and nowhere else.
func (t *Table) edges(w *Waiter, here txn.WaitEdge, visit func(e txn.WaitEdge, of txn.Age, alone bool)) {
	here.Txn, here.Request = w.Txn, w.Number
	t.holdersBefore(w, func(h *Holder, tenure uint64) {
		e := here
		e.For, e.Tenure, e.Undone = h.Txn, tenure, slices.Contains(t.behind(h.Txn, ""), w.Txn)
		visit(e, h.Age, t.waits.hereAlone(h.Txn))
	})
	t.queueBefore(w, func(o *Waiter) {
		if o.place > 1 && o.Alone {
			return
		}
		e := here
		e.For, e.Tenure = o.Txn, o.Number
		visit(e, o.Age, o.Alone)
	})
}

// queueBefore visits those in a queue who go before the waiter.
func (t *Table) queueBefore(w *Waiter, visit func(o *Waiter)) {
	if w.place <= 1 {
		return
	}
	p, _ := t.rows.Get(w.Key)
	for _, o := range p.queue.ws {
		if o.Txn != w.Txn && o.before(w) {
			visit(o)
		}
	}
}

// stands reports whether a wait that was seen here stands still, and has without a break.
func (t *Table) stands(e txn.WaitEdge) bool {
	w := t.waits.numbered(e.Txn, e.Request)
	if w == nil {
		return false
	}
	still := false
	t.holdersBefore(w, func(h *Holder, tenure uint64) { still = still || h.Txn == e.For && tenure == e.Tenure })
	t.queueBefore(w, func(o *Waiter) { still = still || o.Txn == e.For && o.Number == e.Tenure })
	return still
}
