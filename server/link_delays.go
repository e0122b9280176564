package server

import (
	"time"

	"isochron/estimate"
	"isochron/node"
	"isochron/server/peer"
	"isochron/txn"
)

// reportDistances tells the node what its links measure, until it ends. Where delays are
// emulated the links are all short, and the map says what they stand for.
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

// waysOf are those of the links that have measured any.
func waysOf(links []peer.LinkState) map[txn.NodeID]estimate.Way {
	out := map[txn.NodeID]estimate.Way{}
	for _, l := range links {
		if way, ok := l.Delay.Way(); ok && l.Up {
			out[l.Peer] = way
		}
	}
	return out
}
