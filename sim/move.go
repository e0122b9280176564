package sim

import (
	"time"

	"isochron/routing"
)

// planMove has, in half of the runs that lose no node, one replica moved from a
// node that lives to a new one, and some time after back to where it was.
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

// units is between, drawn from the chance of moves, so that runs without a move
// are as they were.
func (n *nemesis) units(lo, hi int) time.Duration {
	return n.unit * time.Duration(lo+n.moves.IntN(hi-lo))
}

// move begins one; other trouble goes on meanwhile.
func (n *nemesis) move() {
	dir := n.w.cfg.Directory
	id := dir.Shards[n.moves.IntN(len(dir.Shards))].ID
	from := dir.Nodes[n.moves.IntN(len(dir.Nodes))].ID
	to := n.w.add(n.w.host(1).region)
	stay := n.units(5, 80)
	n.counts["nodes added"]++
	n.moving = true
	n.w.Go(n.w.hosts[n.moves.IntN(len(dir.Nodes))].id, func(c *Client) {
		n.changeDirectory(c, "replicas moved", func(d *routing.Directory) error {
			if err := d.AddNode(routing.Node{ID: uint32(to.id), Region: string(to.region)}); err != nil {
				return err
			}
			_, err := d.Replace(id, from, uint32(to.id))
			return err
		})
		c.Sleep(stay)
		n.changeDirectory(c, "replicas moved back", func(d *routing.Directory) error {
			_, err := d.Replace(id, uint32(to.id), from)
			return err
		})
		n.moving = false
	})
}
