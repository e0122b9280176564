package yield

import "isochron/txn"

// circle reports whether the asker, if it waited for these holders, would wait
// for itself: it walks over who waits for whom at this shard. In the line of a row
// one waits for those before one as well as for who holds it.
func (t *Table) circle(asker txn.ID, conflicts []*Holder) bool {
	seen := map[txn.ID]bool{}
	var todo []txn.ID
	visit := func(id txn.ID) {
		t.work.Steps++
		if !seen[id] {
			seen[id] = true
			todo = append(todo, id)
		}
	}
	for _, h := range conflicts {
		visit(h.Txn)
	}
	for len(todo) > 0 { // bounded: each transaction is visited once
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if id == asker {
			return true
		}
		t.ahead(id, visit)
	}
	return false
}

// ahead calls visit for everybody whom a transaction waits for here.
func (t *Table) ahead(id txn.ID, visit func(txn.ID)) {
	for _, w := range t.byTxn[id] {
		if w.on != nil {
			visit(w.on.Txn)
			continue
		}
		p, ok := t.points.Get(w.Key)
		if !ok {
			continue
		}
		if p.exclusive != nil {
			visit(p.exclusive.Txn)
		}
		for _, h := range p.shared {
			visit(h.Txn)
		}
		if n := len(p.chain); n > 0 && p.exclusive == nil {
			visit(p.chain[n-1].Txn)
		}
		for _, o := range p.queue.ws {
			if o != w && o.before(w) {
				visit(o.Txn)
			}
		}
	}
}
