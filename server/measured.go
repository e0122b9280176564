package server

import (
	"time"

	"isochron/estimate"
	"isochron/node"
	"isochron/server/peer"
	"isochron/txn"
)

// tellDistances tells the node what its links measure, until it ends. Where delays are
// emulated the links are all short, and the map says what they stand for.
func (p *Process) tellDistances() {
	tick := time.NewTicker(estimate.TellEvery)
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
		if trip, ok := l.Delay.Distance(); ok && l.Up {
			out[l.Peer] = trip
		}
	}
	return out
}
