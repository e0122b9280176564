package server

import (
	"fmt"
	"strings"

	"isochron/routing"
	"isochron/txn"
)

// A node that was removed is told so by the others: they end its connections, and
// when it comes again they say why. It serves nobody any more, and says where to go.

// removedText is what is said to a node, and by it to its clients, if a directory
// knows that it was of the cluster once and is no more; else "".
func removedText(d *routing.Directory, id txn.NodeID) string {
	if d == nil || d.Epoch == 0 || uint32(id) >= d.NextNode() {
		return "" // it may have been added, and not be known here yet
	}
	if _, ok := d.Node(uint32(id)); ok {
		return ""
	}
	var others []string
	for _, n := range d.Nodes {
		if len(others) == removedNames {
			others = append(others, "and so on")
			break
		}
		others = append(others, fmt.Sprintf("node %d in %s", n.ID, n.Region))
	}
	return fmt.Sprintf("node %d was removed from the cluster for good; connect to another: %s", id, strings.Join(others, ", "))
}

// removedNames bounds the nodes that are named.
const removedNames = 8

// OnRemoved has f called when the node learns that it was removed from the cluster,
// with what its clients are to be told. It must not wait. A node that was removed
// before is told at once.
func (p *Process) OnRemoved(f func(reason string)) {
	p.onRemoved.Store(&f)
	if reason := p.Removed(); reason != "" {
		f(reason)
	}
}

// Removed says that the node was removed from the cluster, for its clients; "" if it
// does not know of it.
func (p *Process) Removed() string {
	if reason := p.removed.Load(); reason != nil {
		return *reason
	}
	return ""
}

// wasRemoved keeps the first word of it, and passes it on.
func (p *Process) wasRemoved(reason string) {
	p.leaving.Do(func() {
		p.reportRemoved(reason) // newcomers are refused before anybody is told
		p.removed.Store(&reason)
		p.reportRemoved(reason) // whoever has just asked to be told
		close(p.left)
		p.runner.watch.quiet.Store(true)
		p.peers.SetPeers(nil)
		p.cfg.Log.Error("this node was removed from the cluster: it serves nobody any more, end it", "why", reason)
	})
}

func (p *Process) reportRemoved(reason string) {
	if f := p.onRemoved.Load(); f != nil {
		(*f)(reason)
	}
}
