package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// GatewayLeases is a leader's knowledge of which gateways are alive whose transactions hold, or
// wait for, something here without a vote: only the gateway can end them, and others wait for them.
//
// A leader asks the coordinator about a transaction that holds locks for long; without a reply to
// several queries it is gone. That alone would be slow after a lost gateway. A gateway that is
// lost, paused, or cut off in either direction can end none of its transactions, so gateways have
// leases.
//
// A leader pings each gateway whose transactions have something here, some six times in a lease,
// with a timestamp of its own clock. The reply returns the timestamp, and the lease is extended
// from it: both directions of the link work. When a lease expires, all that the gateway's
// transactions hold here without a vote is released, and recovery of the attempts they have voted
// on starts immediately. That is safe if the gateway is alive: a transaction whose locks are gone
// is refused at its vote, and recovery decides from the same logs.
//
// Invariant: the leader's own gateway has no lease; both fail together.
type GatewayLeases struct {
	self          txn.NodeID
	waitMax       time.Duration // hold time after which a coordinator is asked
	lasts         time.Duration // length of a lease
	gateways      map[txn.NodeID]*gatewayLease
	statusQueries map[txn.ID]*gatewayQuery
}

type gatewayLease struct {
	until time.Duration
	here  time.Duration // when a transaction of it was last here
}

type gatewayQuery struct {
	at    time.Duration
	tries int
}

// maxProbes unanswered queries mean that the coordinator is gone.
const maxProbes = 4

// NewGatewayLeases returns the leases at one leader: the coordinator of a transaction that holds
// locks for patience is asked, and a gateway's lease lasts for lease.
func NewGatewayLeases(self txn.NodeID, patience, lease time.Duration) *GatewayLeases {
	return &GatewayLeases{self, patience, lease, map[txn.NodeID]*gatewayLease{}, map[txn.ID]*gatewayQuery{}}
}

// Has notes that a transaction has something here.
func (p *GatewayLeases) Has(now time.Duration, id txn.ID) {
	if id.Node == p.self {
		return
	}
	lease := p.gateways[id.Node]
	if lease == nil {
		lease = &gatewayLease{until: now + p.lasts}
		p.gateways[id.Node] = lease
	}
	lease.here = now
}

// Gateways lists the gateways to ping, in the order of their ids. It drops those without a
// transaction here for as long as a lease.
func (p *GatewayLeases) Gateways(now time.Duration) []txn.NodeID {
	out := make([]txn.NodeID, 0, len(p.gateways))
	for n, lease := range p.gateways { // order: sorted below
		if now-lease.here > p.lasts {
			delete(p.gateways, n)
		} else {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// Lost reports whether a gateway's lease has expired.
func (p *GatewayLeases) Lost(now time.Duration, n txn.NodeID) bool {
	lease := p.gateways[n]
	return lease != nil && now >= lease.until
}

// Answers records a gateway's reply to a ping sent at asked, on this clock. A gateway of an older
// version returns 0.
func (p *GatewayLeases) Answers(now, asked time.Duration, n txn.NodeID) {
	if asked == 0 {
		asked = now
	}
	if lease := p.gateways[n]; lease != nil {
		lease.until = max(lease.until, asked+p.lasts)
	}
}

// Judge reports whether a holder's coordinator is to be asked, or is taken to be gone.
func (p *GatewayLeases) Judge(now time.Duration, h *Holder) (ask, gone bool) {
	if h.Voted || now-h.Since < p.waitMax {
		return false, false
	}
	pr := p.statusQueries[h.Txn]
	if pr == nil {
		pr = &gatewayQuery{}
		p.statusQueries[h.Txn] = pr
	}
	if now < pr.at {
		return false, false
	}
	if pr.tries++; pr.tries > maxProbes {
		return false, true
	}
	pr.at = now + p.waitMax
	return true, false
}

// Renewed notes a reply of a holder's coordinator.
func (p *GatewayLeases) Renewed(id txn.ID) {
	if pr := p.statusQueries[id]; pr != nil {
		pr.tries = 0
	}
}

// Freed drops a holder.
func (p *GatewayLeases) Freed(id txn.ID) { delete(p.statusQueries, id) }
