package server

import (
	"fmt"
	"strings"

	"isochron/routing"
	"isochron/txn"
)

// The other nodes notify a removed node: they end its connections and give the reason when it reconnects. It
// then serves no clients and refers them to other nodes.

// removedText returns the message to a removed node, and from it to its clients; "" if the directory does not
// show that the node was a member and was removed.
func removedText(d *routing.Directory, id txn.NodeID) string {
	if d == nil || d.Epoch == 0 || uint32(id) >= d.NextNode() {
		return "" // it may be a member that this directory does not have yet
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

// removedNames bounds the nodes listed.
const removedNames = 8

// OnRemoved registers f, which is called with the message for clients when the node learns of its removal, or
// immediately if it was removed before. f must not block.
func (p *Process) OnRemoved(f func(reason string)) {
	p.onRemoved.Store(&f)
	if reason := p.Removed(); reason != "" {
		f(reason)
	}
}

// Removed returns the message for clients of a removed node; "" if the node does not know of a removal.
func (p *Process) Removed() string {
	if reason := p.removed.Load(); reason != nil {
		return *reason
	}
	return ""
}

// wasRemoved records the first notice of the removal and reports it.
func (p *Process) wasRemoved(reason string) {
	p.leaving.Do(func() {
		p.reportRemoved(reason) // newcomers are refused before others are notified
		p.removed.Store(&reason)
		p.reportRemoved(reason) // a callback registered meanwhile
		close(p.left)
		p.runner.watch.quiet.Store(true)
		p.peers.SetPeers(nil)
		p.cfg.Log.Error("this node was removed from the cluster and serves no clients: stop it", "why", reason)
	})
}

func (p *Process) reportRemoved(reason string) {
	if f := p.onRemoved.Load(); f != nil {
		(*f)(reason)
	}
}
