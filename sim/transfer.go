package sim

import (
	"context"

	"isochron/coordinator"
	"isochron/routing"
	"isochron/txn"
)

// transfer requests that another replica leads a shard; that stays desired.
func (n *nemesis) transfer() {
	shards := n.w.cfg.Directory.Shards
	id := shards[n.rand.IntN(len(shards))].ID
	pick := n.rand.IntN(1 << 20)
	n.w.Go(n.anyHost().id, func(c *Client) {
		for range replaceTries {
			if !n.active {
				return // too late: the request is void
			}
			_, err := coordinator.ChangeDirectory(context.Background(), c.DB(), func(d *routing.Directory) error {
				s, _ := d.Shard(id)
				return d.Prefer(id, s.Replicas[pick%len(s.Replicas)])
			})
			if err == nil {
				n.counts["leader transfers"]++
				return
			}
			c.Sleep(n.unit)
		}
	})
}

// drains is a node that can be asked to lead nothing.
type drains interface {
	SetDraining(now txn.Now, on bool)
}

// drain makes a node transfer all leaderships immediately, and take them back later. A restart in
// between ends it as well.
func (n *nemesis) drain() {
	h := n.anyLeader()
	d, can := h.node.(drains)
	if !can {
		return // it is down
	}
	n.counts["drained nodes"]++
	n.w.log(h, "is to lead nothing")
	h.run(func() { d.SetDraining(h.now(), true) })
	h.later(n.between(2, 24), func() { h.run(func() { d.SetDraining(h.now(), false) }) })
}

// skewMax bounds the initial error of a wall clock, in units.
const skewMax = 40

// skewClocks gives every wall clock a small error: timestamps of different leaders then always
// disagree, and not only after a jump.
func (n *nemesis) skewClocks() {
	if n.rand.IntN(2) == 0 {
		return
	}
	n.counts["skewed clocks"]++
	for _, h := range n.w.hosts {
		h.wallShift = n.between(-skewMax, skewMax)
	}
}
