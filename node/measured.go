package node

import (
	"time"

	"isochron/estimate"
	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// distances are the known round trips from this node: measured ones, and the map's where nothing
// was measured.
type distances struct {
	wan      geo.WAN
	own      geo.Region
	measured map[txn.NodeID]time.Duration
	ways     map[txn.NodeID]estimate.Way
}

// roundTrip returns the round trip to a node of a region; ok is false if it is unknown.
func (d *distances) roundTrip(n txn.NodeID, region geo.Region) (rtt time.Duration, ok bool) {
	if rtt, ok = d.measured[n]; ok {
		return rtt, true
	}
	return d.wan.RTT(d.own, region), d.wan.Has(d.own) && d.wan.Has(region)
}

// way returns the delay of a message to a node by both wall clocks, 95th percentile; if it was not
// measured, half of the round trip.
func (d *distances) way(n txn.NodeID, region geo.Region) (way estimate.Way, ok bool) {
	if way, ok = d.ways[n]; ok {
		return way, true
	}
	rtt, ok := d.roundTrip(n, region)
	return estimate.Way{OneWay: rtt / 2, RoundTrip: rtt}, ok
}

// MeasuredWays sets the measured delays to other nodes and replaces all earlier ones.
func (n *Node) MeasuredWays(ways map[txn.NodeID]estimate.Way) { n.directoryView.distances.ways = ways }

// nearerBy is the fraction (one in nearerBy) by which another replica must be nearer than the current
// one to replace it: measurements vary, and a transaction that alternates between replicas sees larger
// differences between them.
const nearerBy = 5

// Measured sets the round trips to other nodes measured since the node's
// start and replaces all earlier ones. Reads go to the nearest
// replicas by them.
func (n *Node) Measured(now txn.Now, roundTrips map[txn.NodeID]time.Duration) {
	n.now = now
	n.directoryView.distances.measured = roundTrips
	n.directoryView.measure(true)
}

// measure finds the nearest replica of each shard; keep: the present one is kept unless
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

// nearestOf returns the replica of a shard with the shortest round trip: this node's own first,
// soFar unless another is clearly nearer. Replicas with unknown round trips are last.
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
