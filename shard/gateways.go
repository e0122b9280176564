package shard

import (
	"slices"
	"time"

	"isochron/txn"
)

// gateways are the leases of those gateways whose transactions have, or wait for,
// something at this leader. A gateway that is lost, paused, or cut off in either
// direction can end none of its transactions, and others wait for them; so its leader
// does not wait for a connection to break, nor for each transaction to be found silent.
//
// It asks each of these gateways, some six times in a lease, with a stamp of its own clock. An
// answer carries the stamp back, and the lease goes on from there: the way there and the
// way back both work. When a lease has run out, all that the gateway's transactions have
// here without a vote is free, and what they have voted on is taken over at once. That
// the gateway may live does no harm: a transaction whose locks are gone is
// refused at its vote, and whoever takes over decides from the same logs.
//
// Invariant: the leader's own gateway is not among them; it ends with it.
type gateways map[txn.NodeID]*gatewayLease

type gatewayLease struct {
	until time.Duration
	here  time.Duration // when it last had something here
}

// gone reports whether a gateway's lease has run out.
func (g gateways) gone(now time.Duration, n txn.NodeID) bool {
	lease := g[n]
	return lease != nil && now >= lease.until
}

// sees takes in that a gateway has something here.
func (g gateways) sees(now, lasts time.Duration, n txn.NodeID) {
	lease := g[n]
	if lease == nil {
		lease = &gatewayLease{until: now + lasts}
		g[n] = lease
	}
	lease.here = now
}

// heard takes in an answer to what was asked at a moment of this clock.
func (g gateways) heard(asked, lasts time.Duration, n txn.NodeID) {
	if lease := g[n]; lease != nil {
		lease.until = max(lease.until, asked+lasts)
	}
}

// forget drops those that have had nothing here for as long as a lease.
func (g gateways) forget(now, lasts time.Duration) {
	for n, lease := range g { // order: each is dropped by itself
		if now-lease.here > lasts {
			delete(g, n)
		}
	}
}

// list is in the order of their numbers.
func (g gateways) list() []txn.NodeID {
	out := make([]txn.NodeID, 0, len(g))
	for n := range g { // order: sorted below
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
