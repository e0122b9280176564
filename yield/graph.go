package yield

import (
	"slices"

	"isochron/txn"
)

// graph is the wait-for graph of this shard. It is not stored: each edge is computed from the
// holders, the chain and the queue of a row.
type graph struct {
	rows   *rows
	chains *chains
	waits  *waits
	steps  uint64 // holders and waiters visited in walks over it
}

// holdersBefore visits the holders that conflict with a waiter, each with its tenure. Of a full
// group that is the leader, whose end opens the group.
func (g *graph) holdersBefore(w *Waiter, visit func(h *Holder, tenure uint64)) {
	if w.on != nil {
		visit(w.on, w.seq)
		return
	}
	p, ok := g.rows.Get(w.Key)
	if !ok {
		return
	}
	one := func(h *Holder) {
		if h != nil && h.Txn != w.Txn {
			visit(h, h.tenure)
		}
	}
	if at := p.chainIndex(w.Txn); at >= 0 { // successors in the chain wait for it
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
	for _, h := range g.chains.before(p, w) {
		one(h)
	}
}

// edges visits the wait edges of a waiter: to holders and, in a queue, to its first and to those
// before it that may wait elsewhere too. alone: the transaction waited for waits here and at no
// other shard.
func (g *graph) edges(w *Waiter, here txn.WaitEdge, visit func(e txn.WaitEdge, of txn.Age, alone bool)) {
	here.Txn, here.Request = w.Txn, w.Number
	g.holdersBefore(w, func(h *Holder, tenure uint64) {
		e := here
		e.For, e.Tenure, e.Cascades = h.Txn, tenure, slices.Contains(g.chains.dependents(h.Txn, ""), w.Txn)
		visit(e, h.Age, g.waits.hereAlone(h.Txn))
	})
	g.queueBefore(w, func(o *Waiter) {
		if o.place > 1 && o.WaitsOnlyHere {
			return
		}
		e := here
		e.For, e.Tenure = o.Txn, o.Number
		visit(e, o.Age, o.WaitsOnlyHere)
	})
}

// queueBefore visits the waiters that precede w in its queue.
func (g *graph) queueBefore(w *Waiter, visit func(o *Waiter)) {
	if w.place <= 1 {
		return
	}
	p, _ := g.rows.Get(w.Key)
	for _, o := range p.queue.ws {
		if o.Txn != w.Txn && o.before(w) {
			visit(o)
		}
	}
}

// stillWaits reports whether a wait edge seen earlier still exists, and has existed without
// interruption.
func (g *graph) stillWaits(e txn.WaitEdge) bool {
	w := g.waits.numbered(e.Txn, e.Request)
	if w == nil {
		return false
	}
	still := false
	g.holdersBefore(w, func(h *Holder, tenure uint64) { still = still || h.Txn == e.For && tenure == e.Tenure })
	g.queueBefore(w, func(o *Waiter) { still = still || o.Txn == e.For && o.Number == e.Tenure })
	return still
}

// blocker is a transaction for which the waiter waits, nil if only its queue precedes it.
func (g *graph) blocker(w *Waiter) *Holder {
	if w.on != nil {
		return w.on
	}
	if p, ok := g.rows.Get(w.Key); ok {
		return p.blocker()
	}
	return nil
}
