package server

import (
	"time"

	"isochron/node"
	"isochron/server/peer"
	"isochron/txn"
)

// measureEvery is how often the node is told the round trips that its links have measured.
const measureEvery = 5 * time.Second

// tellDistances tells the node what its links measure, until it ends. Where delays are
// emulated the links are all short, and the map says what they stand for.
func (p *Process) tellDistances() {
	tick := time.NewTicker(measureEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.runner.ended:
			return
		case <-tick.C:
		}
		measured := distancesOf(p.peers.Links())
		p.runner.inLoop(func(n *node.Node) { n.Measured(p.runner.clock.now(), measured) })
	}
}

// distancesOf are the average round trips of the links that have measured any.
func distancesOf(links []peer.LinkState) map[txn.NodeID]time.Duration {
	out := map[txn.NodeID]time.Duration{}
	for _, l := range links {
		if l.Up && l.Delay.Samples > 0 {
			out[l.Peer] = l.Delay.RoundTrip
		}
	}
	return out
}
