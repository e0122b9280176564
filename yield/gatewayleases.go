package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// GatewayLeases is what a leader knows of whether those still live who hold, or wait for, something
// and have not voted: nobody else can end them, and others wait for them.
//
// After a transaction that holds locks for long its coordinator is asked; if nobody answers a few
// times, it is gone. That alone would be slow for whatever a lost gateway has left behind. A
// gateway that is lost, paused, or cut off in either direction can end none of its
// transactions, so gateways have leases.
//
// A leader asks each of the gateways whose transactions have something here, some six times in a
// lease, with a stamp of its own clock. An answer carries the stamp back, and the lease goes on
// from there: the way there and the way back both work. When a lease has run out, all that the
// gateway's transactions have here without a vote is free, and what they have voted on is taken
// over at once. That the gateway may live does no harm: a transaction whose locks are gone is
// refused at its vote, and whoever takes over decides from the same logs.
//
// Invariant: the leader's own gateway has no lease; it ends with it.
type GatewayLeases struct {
	self          txn.NodeID
	waitMax       time.Duration // with one who holds locks
	lasts         time.Duration // a lease
	gateways      map[txn.NodeID]*gatewayLease
	statusQueries map[txn.ID]*gatewayQuery
}

type gatewayLease struct {
	until time.Duration
	here  time.Duration // when it last had something here
}

type gatewayQuery struct {
	at    time.Duration
	tries int
}

// maxProbes without an answer mean that the coordinator is gone.
const maxProbes = 4

// NewGatewayLeases are those at one leader: who holds locks for as long as patience is asked after, and a
// gateway's lease lasts for so long.
func NewGatewayLeases(self txn.NodeID, patience, lease time.Duration) *GatewayLeases {
	return &GatewayLeases{self, patience, lease, map[txn.NodeID]*gatewayLease{}, map[txn.ID]*gatewayQuery{}}
}

// Has takes in that a transaction has something here.
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

// Gateways lists those that are to be asked whether they live, in the order of their numbers. It
// forgets those that have had nothing here for as long as a lease.
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

// Lost reports whether the lease of a gateway has run out.
func (p *GatewayLeases) Lost(now time.Duration, n txn.NodeID) bool {
	lease := p.gateways[n]
	return lease != nil && now >= lease.until
}

// Answers takes in that a gateway has answered to what it was asked at a moment of this clock. One
// of an older version does not say when: 0.
func (p *GatewayLeases) Answers(now, asked time.Duration, n txn.NodeID) {
	if asked == 0 {
		asked = now
	}
	if lease := p.gateways[n]; lease != nil {
		lease.until = max(lease.until, asked+p.lasts)
	}
}

// Judge tells of a holder whether its coordinator is to be asked, or is taken to be gone.
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

// Renewed hears that the coordinator of a holder lives.
func (p *GatewayLeases) Renewed(id txn.ID) {
	if pr := p.statusQueries[id]; pr != nil {
		pr.tries = 0
	}
}

// Freed forgets a holder.
func (p *GatewayLeases) Freed(id txn.ID) { delete(p.statusQueries, id) }
