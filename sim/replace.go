package sim

import (
	"context"
	"slices"

	"isochron/coordinator"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// replaceTries bounds the tries of a client to add the new node to the directory: each try is one
// transaction of a broken cluster.
const replaceTries = 1000

// planReplacement loses, in half of the runs, one node permanently at some time.
func (n *nemesis) planReplacement() {
	if !n.faults.Replace {
		return
	}
	if n.rand.IntN(2) == 0 {
		n.planMove()
		return
	}
	n.w.After(n.between(1, 100), func() {
		if n.active {
			n.replace()
		}
	})
}

// replace loses a node and adds a new one, some time after, while the other faults continue.
func (n *nemesis) replace() {
	h := n.anyHost()
	if n.rand.IntN(2) == 0 {
		h = n.anyLeader()
	}
	if n.w.cfg.Params.InjectedBugs.EmptyReturns {
		n.counts["nodes that came back empty"]++
		h.crash(strictly)
		h.engine = store.NewMem()
		n.w.After(n.between(1, 4), h.restart)
		return
	}
	n.counts["nodes lost permanently"]++
	n.lost = h
	h.lose()
	n.w.After(n.between(0, 12), n.bringNew)
}

func (n *nemesis) bringNew() {
	n.fresh = n.w.add(n.lost.region)
	n.counts["nodes added"]++
	at := n.w.live()[0].id
	n.w.Go(at, n.replaceLost)
	n.w.After(n.between(2, 30), func() {
		if n.active {
			n.crash(n.fresh, "crashes of a new node", n.kind(), n.between(1, 6))
		}
	})
}

// replaceLost writes the desired members with the new node.
func (n *nemesis) replaceLost(c *Client) {
	lost, fresh := uint32(n.lost.id), n.fresh
	n.changeDirectory(c, "replacements written", func(d *routing.Directory) error {
		if err := d.AddNode(routing.Node{ID: uint32(fresh.id), Region: string(fresh.region)}); err != nil {
			return err
		}
		if _, err := d.Replace(0, lost, uint32(fresh.id)); err != nil {
			return err
		}
		return d.RemoveNode(lost)
	})
}

// changeDirectory writes a desired state, with as many tries as needed.
func (n *nemesis) changeDirectory(c *Client, what string, change func(*routing.Directory) error) {
	for range replaceTries {
		if _, err := coordinator.ChangeDirectory(context.Background(), c.DB(), change); err == nil {
			n.counts[what]++
			return
		}
		c.Sleep(n.unit)
	}
}

// settled reports whether every node has the members that the directory desires.
func (n *nemesis) settled() bool { return len(n.unsettled()) == 0 }

// unsettled describes what still differs from the directory's desired state.
func (n *nemesis) unsettled() []string {
	var out []string
	if n.moving {
		out = append(out, "a replica is being moved")
	}
	for _, h := range n.w.live() {
		if !h.up() || !h.node.Converged() {
			out = append(out, n.w.label(h.id)+" is not as the directory desires")
		} else if _, lost := h.node.Directory().Node(uint32(n.lostID())); lost {
			out = append(out, n.w.label(h.id)+" still knows the node that was lost")
		}
	}
	return out
}

func (n *nemesis) lostID() txn.NodeID {
	if n.lost == nil {
		return 0
	}
	return n.lost.id
}

// membership is the voters of a shard from a log entry on.
type membership struct {
	applied          uint64
	voters, outgoing []txn.NodeID
}

// noteMembers keeps the newest configuration that any node has applied: the one in which everything
// acknowledged now was committed, or a later one.
func (n *nemesis) noteMembers(s txn.ShardID) membership {
	newest := n.members[s]
	for _, h := range n.w.live() {
		if !h.up() {
			continue
		}
		for _, st := range h.node.Statuses() {
			if st.Shard == s && st.Applied >= newest.applied && len(st.Voters) > 0 {
				newest = membership{st.Applied, st.Voters, st.Outgoing}
			}
		}
	}
	n.members[s] = newest
	return newest
}

// witnesses counts the disks of these nodes with a record of a Yes.
func (n *nemesis) witnesses(nodes []txn.NodeID, s txn.ShardID, a txn.Attempt) int {
	out := 0
	for _, id := range nodes {
		if h := n.w.host(id); !h.lost && n.w.recorded(h.engine.CrashStrict(), s, a) {
			out++
		}
	}
	return out
}

// onMajority checks that a Yes is on a majority of the voters before a membership change, and once
// the change is committed on a majority of those after it; in between, a node's acknowledgement may
// still follow the former.
func (n *nemesis) onMajority(s txn.ShardID, a txn.Attempt) bool {
	m := n.noteMembers(s)
	lost := func(nodes []txn.NodeID) int { // a lost disk may have had it
		if slices.Contains(nodes, n.lostID()) {
			return 1
		}
		return 0
	}
	for _, nodes := range [][]txn.NodeID{m.voters, m.outgoing} {
		if len(nodes) > 0 && 2*(n.witnesses(nodes, s, a)+lost(nodes)) > len(nodes) {
			return true
		}
	}
	return len(m.voters) == 0
}
