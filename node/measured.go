package node

import (
	"time"

	"isochron/estimate"
	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// distances are the round trips from this node, as far as they are known: those that were
// measured, and the map's where nothing was.
type distances struct {
	wan      geo.WAN
	own      geo.Region
	measured map[txn.NodeID]time.Duration
	ways     map[txn.NodeID]estimate.Way
}

// roundTrip is the round trip to a node of a region; ok is false if nothing is known of it.
func (d *distances) roundTrip(n txn.NodeID, region geo.Region) (rtt time.Duration, ok bool) {
	if rtt, ok = d.measured[n]; ok {
		return rtt, true
	}
	return d.wan.RTT(d.own, region), d.wan.Has(d.own) && d.wan.Has(region)
}

// way is how long a message to a node takes by both wall clocks, 95 of 100 times; where that was not
// measured, half of the round trip.
func (d *distances) way(n txn.NodeID, region geo.Region) (way estimate.Way, ok bool) {
	if way, ok = d.ways[n]; ok {
		return way, true
	}
	rtt, ok := d.roundTrip(n, region)
	return estimate.Way{OneWay: rtt / 2, RoundTrip: rtt}, ok
}

// MeasuredWays tells the node what was measured of the ways to others. What is left out is forgotten.
func (n *Node) MeasuredWays(ways map[txn.NodeID]estimate.Way) { n.directoryView.distances.ways = ways }

// nearerBy is by how much another replica must be nearer than the one that is read from
// for it to be read from instead, in parts of its distance: measurements waver, and a
// transaction that reads here and there sees more of time running apart.
const nearerBy = 5

// Measured tells the node the round trips to other nodes that were measured since its
// start; what was told before and is left out is forgotten. It reads from the nearest
// replicas by them.
func (n *Node) Measured(now txn.Now, roundTrips map[txn.NodeID]time.Duration) {
	n.now = now
	n.directoryView.distances.measured = roundTrips
	n.directoryView.measure(true)
}

// measure finds the nearest replica of each shard; keep: that of before is kept unless
// another is clearly nearer.
func (p *directoryView) measure(keep bool) {
	before := p.nearest
	p.nearest = map[txn.ShardID]txn.NodeID{}
	for _, s := range p.dir.Shards {
		soFar := txn.NodeID(0)
		if keep {
			soFar = before[txn.ShardID(s.ID)]
		}
		p.nearest[txn.ShardID(s.ID)] = p.nearestOf(s, soFar)
	}
}

// nearestOf is the replica of a shard with the shortest round trip, this node's own first,
// the one so far unless another is clearly nearer. What nothing is known of comes last.
func (p *directoryView) nearestOf(s routing.Shard, soFar txn.NodeID) txn.NodeID {
	if s.Holds(uint32(p.self)) {
		return p.self
	}
	best, bestRTT := txn.NodeID(0), time.Duration(0)
	for _, v := range s.Replicas {
		id := txn.NodeID(v)
		rtt, ok := p.distances.roundTrip(id, geo.Region(p.dir.RegionOf(v)))
		switch {
		case !ok:
			rtt = txn.Never
		case id == soFar:
			rtt -= rtt / nearerBy
		}
		if best == 0 || rtt < bestRTT {
			best, bestRTT = id, rtt
		}
	}
	return best
}
