package shard

import (
	"time"

	"isochron/txn"
	"isochron/yield"
)

// patrol is how a leader finds transactions that nobody will end: it asks after those that
// hold locks for long and have not voted, watches over their gateways, and tells which
// votes are undecided for too long. It says what is to be done, and its leader does it.
type patrol struct {
	cfg      *Config
	gateways gateways
	probes   map[txn.ID]*probe
	orphanAt map[txn.Attempt]time.Duration // when a vote is an orphan
}

type probe struct {
	at    time.Duration
	tries int
}

// maxProbes without an answer mean that the coordinator is gone.
const maxProbes = 4

func newPatrol(cfg *Config) patrol {
	return patrol{cfg, gateways{}, map[txn.ID]*probe{}, map[txn.Attempt]time.Duration{}}
}

// visit takes in whose transactions have something here: those without a vote, and the votes
// of the log. It lists the gateways that are to be asked whether they live, in order.
func (p *patrol) visit(now time.Duration, unvoted []txn.ID, votes []*prepared) (ask []txn.NodeID) {
	lasts, self := p.cfg.Params.GatewayLease, p.cfg.Self
	for _, id := range unvoted {
		if id.Node != self {
			p.gateways.sees(now, lasts, id.Node)
		}
	}
	for _, v := range votes {
		if v.Txn.Node != self {
			p.gateways.sees(now, lasts, v.Txn.Node)
		}
	}
	p.gateways.forget(now, lasts)
	return p.gateways.list()
}

// suspects tells of a holder whether its coordinator is to be asked, or is taken to be gone.
func (p *patrol) suspects(now time.Duration, h *yield.Holder) (ask, gone bool) {
	if h.Voted || now-h.Since < p.cfg.Params.ProbeAfter {
		return false, false
	}
	pr := p.probes[h.Txn]
	if pr == nil {
		pr = &probe{}
		p.probes[h.Txn] = pr
	}
	if now < pr.at {
		return false, false
	}
	if pr.tries++; pr.tries > maxProbes {
		return false, true
	}
	pr.at = now + p.cfg.Params.ProbeAfter
	return true, false
}

// orphaned reports whether somebody has to find out how a vote of the log ended, and that not
// again for a while. deciding: this leader knows.
func (p *patrol) orphaned(now time.Duration, v *prepared, deciding bool) bool {
	at, ok := p.orphanAt[v.Attempt]
	if !ok {
		at = time.Duration(v.since) + p.cfg.Params.RecoverAfter
		if p.gateways.gone(now, v.Txn.Node) {
			at = now
		}
	}
	if deciding || now < at {
		return false
	}
	p.votes(v.Attempt, now)
	return true
}

// votes takes in that an attempt has voted here, or is looked after by another from now on.
func (p *patrol) votes(a txn.Attempt, now time.Duration) {
	p.orphanAt[a] = now + p.cfg.Params.RecoverAfter
}

// ended forgets a vote.
func (p *patrol) ended(a txn.Attempt) { delete(p.orphanAt, a) }

// freed forgets a holder.
func (p *patrol) freed(id txn.ID) { delete(p.probes, id) }

// lives hears that the coordinator of a holder lives.
func (p *patrol) lives(id txn.ID) {
	if pr := p.probes[id]; pr != nil {
		pr.tries = 0
	}
}

// gatewayLives hears from a gateway. One of an older version sends no stamp back.
func (p *patrol) gatewayLives(now time.Duration, n txn.NodeID, stampNanos int64) {
	asked := time.Duration(stampNanos)
	if asked == 0 {
		asked = now
	}
	p.gateways.heard(asked, p.cfg.Params.GatewayLease, n)
}
