package yield

import "isochron/txn"

// walk is one search of the wait-for graph of this shard.
type walk struct {
	g    *graph
	seen map[txn.ID]bool
	todo []txn.ID
	// queues are the queues visited, each with the last rank up to which it was.
	queues map[txn.Key]waitOrder
}

// closesCycle reports whether the requester would wait for itself if it waited for these holders
// and in the queues of these rows. In a queue a request waits for those before it and for the row's
// holders.
func (g *graph) closesCycle(asker txn.ID, age txn.Age, conflicts []*Holder, rows []txn.Key) bool {
	w := walk{g: g, seen: map[txn.ID]bool{}, queues: map[txn.Key]waitOrder{}}
	for _, h := range conflicts {
		w.visit(h.Txn)
	}
	for _, k := range rows {
		if p, ok := g.rows.Get(k); ok {
			w.along(k, p, waitOrder{p.shares(asker), age})
		}
	}
	for len(w.todo) > 0 { // bounded: each transaction is visited once
		id := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if id == asker {
			return true
		}
		for _, waiter := range g.waits.byTxn[id] {
			w.ahead(waiter)
		}
		if h := g.chains.ahead(id); h != nil {
			w.visit(h.Txn) // it will wait at its prepare, when no walk is made for others
		}
	}
	return false
}

func (w *walk) visit(id txn.ID) {
	w.g.steps++
	if !w.seen[id] {
		w.seen[id] = true
		w.todo = append(w.todo, id)
	}
}

// ahead visits all transactions for which a waiter waits here.
func (w *walk) ahead(waiter *Waiter) {
	if waiter.on != nil {
		w.visit(waiter.on.Txn)
		return
	}
	p, ok := w.g.rows.Get(waiter.Key)
	if !ok {
		return
	}
	if p.exclusive != nil {
		w.visit(p.exclusive.Txn)
	}
	for _, h := range p.shared {
		w.visit(h.Txn)
	}
	if n := len(p.chain); n > 0 && p.exclusive == nil {
		w.visit(p.chain[n-1].Txn)
	}
	w.along(waiter.Key, p, waiter.order())
}

// along visits the waiters of a queue that rank before r.
func (w *walk) along(k txn.Key, p *lockState, r waitOrder) {
	if done, ok := w.queues[k]; ok && !done.before(r) {
		return
	}
	w.queues[k] = r
	for _, o := range p.queue.ws {
		if o.order().before(r) {
			w.visit(o.Txn)
		}
	}
}
