package sim

import (
	"slices"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// planMove moves, in half of the runs that lose no node, one replica from a live node to a new one,
// and some time later back.
func (n *nemesis) planMove() {
	if n.moves.IntN(2) == 0 {
		return
	}
	n.w.After(n.units(1, 60), func() {
		if n.active {
			n.move()
		}
	})
}

// units draws a time from the chance of moves, so that runs without a move stay the same.
func (n *nemesis) units(lo, hi int) time.Duration {
	return n.unit * time.Duration(lo+n.moves.IntN(hi-lo))
}

// move begins a move; the other faults continue meanwhile.
func (n *nemesis) move() {
	shards := n.replicated()
	n.moveSome(shards[n.moves.IntN(len(shards))].ID, 1)
}

// moveTwo moves two replicas of one shard in one change, but not of the first shard: no history
// covers its directory.
func (n *nemesis) moveTwo() {
	shards := n.replicated()[1:]
	n.moveSome(shards[n.moves.IntN(len(shards))].ID, 2)
}

// replicated returns the participants whose replicas can be moved.
func (n *nemesis) replicated() []routing.Shard {
	return slices.DeleteFunc(slices.Clone(n.w.cfg.Directory.Shards), func(s routing.Shard) bool { return !s.Kind.Native() })
}

// moveSomeOf moves replicas of the place-th of the participants whose replicas can be moved.
func (n *nemesis) moveSomeOf(place, replicas int) {
	n.moveSome(n.replicated()[place].ID, replicas)
}

// moved is a move in progress.
type moved struct {
	shard txn.ShardID
	from  []txn.NodeID
}

// moveSome replaces some nodes that have a replica of a shard by new nodes.
func (n *nemesis) moveSome(id uint64, replicas int) {
	dir := n.w.cfg.Directory
	var from, to []uint32
	for _, i := range n.moves.Perm(len(dir.Nodes))[:replicas] {
		from, to = append(from, dir.Nodes[i].ID), append(to, uint32(n.w.add(n.w.host(1).region).id))
		n.counts["nodes added"]++
	}
	stay := n.units(5, 80)
	n.moving, n.moved = true, moved{shard: txn.ShardID(id)}
	for _, node := range from {
		n.moved.from = append(n.moved.from, txn.NodeID(node))
	}
	n.w.Go(n.w.hosts[n.moves.IntN(len(dir.Nodes))].id, func(c *Client) {
		n.changeDirectory(c, "replicas moved", func(d *routing.Directory) error {
			for _, fresh := range to {
				if err := d.AddNode(routing.Node{ID: fresh, Region: string(n.w.host(1).region)}); err != nil {
					return err
				}
			}
			return replaceAll(d, id, from, to)
		})
		c.Sleep(stay)
		n.changeDirectory(c, "replicas moved back", func(d *routing.Directory) error { return replaceAll(d, id, to, from) })
		n.moving = false
	})
}

func replaceAll(d *routing.Directory, shard uint64, from, to []uint32) error {
	for i := range from {
		if _, err := d.Replace(shard, from[i], to[i]); err != nil {
			return err
		}
	}
	return nil
}
