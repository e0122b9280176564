package yield

import (
	"slices"

	"isochron/txn"
)

// reached is a transaction that a probe has reached at this shard.
type reached struct {
	id    txn.ID
	from  int // index of its predecessor; -1 for the probe's Txn
	edge  txn.WaitEdge
	alone bool
}

// follow extends a probe over the waits at this shard, where its Txn may wait. It returns the cycle
// that it closes or else the probes for the coordinators of transactions that may wait elsewhere.
func (c *DeadlockDetector) follow(m *txn.DeadlockProbe) (cycle []txn.WaitEdge, next []*txn.DeadlockProbe) {
	trail := []reached{{id: m.Txn, from: -1}}
	path := func(i int) []txn.WaitEdge {
		var back []txn.WaitEdge
		for ; trail[i].from >= 0; i = trail[i].from {
			back = append(back, trail[i].edge)
		}
		slices.Reverse(back)
		return append(slices.Clone(m.Path), back...)
	}
	known := func(id txn.ID) bool {
		return slices.ContainsFunc(trail, func(r reached) bool { return r.id == id }) ||
			slices.ContainsFunc(m.Path, func(e txn.WaitEdge) bool { return e.Txn == id })
	}
	for i := 0; i < len(trail) && cycle == nil; i++ {
		for _, w := range c.table.waits.byTxn[trail[i].id] {
			c.table.graph.edges(w, c.here, func(e txn.WaitEdge, of txn.Age, alone bool) {
				c.table.graph.steps++
				switch {
				case cycle != nil:
				case e.For == m.Start:
					cycle = append(path(i), e)
				case len(trail) >= followMax || m.Age.Older(of) || known(e.For):
				default:
					trail = append(trail, reached{e.For, i, e, alone})
					if into := slices.IndexFunc(m.Into, func(b txn.WaitEdge) bool { return b.Txn == e.For }); into >= 0 {
						cycle = append(path(len(trail)-1), m.Into[into])
					}
				}
			})
		}
	}
	if cycle != nil {
		return cycle, nil
	}
	return nil, onward(m, trail, path, c.here.Shard)
}

// onward makes the probes for transactions that may wait elsewhere, within the budget.
func onward(c *txn.DeadlockProbe, trail []reached, path func(int) []txn.WaitEdge, shard txn.ShardID) (next []*txn.DeadlockProbe) {
	var at []int
	for i := 1; i < len(trail); i++ {
		if !trail[i].alone {
			at = append(at, i)
		}
	}
	sent, each := c.Share(len(at))
	for i := range sent {
		j := at[(i+c.Round*sent)%len(at)]
		if p := path(j); len(p) <= txn.DeadlockProbePathMax {
			next = append(next, &txn.DeadlockProbe{
				Txn: trail[j].id, Start: c.Start, Age: c.Age, Path: p, Into: c.Into, Budget: each, VisitedShard: shard, Round: c.Round})
		}
	}
	return next
}
