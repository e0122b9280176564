package server

import (
	"time"

	"isochron/estimate"
	"isochron/node"
	"isochron/server/peer"
	"isochron/txn"
)

// reportDistances passes the links' measurements to the node until it ends. It is not used where delays are
// emulated: there all links are short, and the map has the distances.
func (p *Process) reportDistances() {
	every := p.cfg.Spec.Probing(p.cfg.Params.ProbeEvery)
	tick := time.NewTicker(time.Duration(every.ReportAfter) * every.Every)
	defer tick.Stop()
	for {
		select {
		case <-p.runner.ended:
			return
		case <-tick.C:
		}
		links := p.peers.Links()
		measured, ways := distancesOf(links), waysOf(links)
		p.runner.inLoop(func(n *node.Node) {
			n.Measured(p.runner.clock.now(), measured)
			n.MeasuredWays(ways)
		})
	}
}

// distancesOf returns the average round trips of the links that have measured any.
func distancesOf(links []peer.LinkState) map[txn.NodeID]time.Duration {
	out := map[txn.NodeID]time.Duration{}
	for _, l := range links {
		if trip, ok := l.Delay.Distance(); ok && l.Up {
			out[l.Peer] = trip
		}
	}
	return out
}

// waysOf returns the one-way measurements of the links that have any.
func waysOf(links []peer.LinkState) map[txn.NodeID]estimate.Way {
	out := map[txn.NodeID]estimate.Way{}
	for _, l := range links {
		if way, ok := l.Delay.Way(); ok && l.Up {
			out[l.Peer] = way
		}
	}
	return out
}
