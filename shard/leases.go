package shard

import (
	"isochron/rulebook"
	"isochron/txn"
	"isochron/yield"
)

// Where rows have leases (yield.Leases) a vote renews those of what it has read, and holds what it
// writes alone.

// leasesStand is why a vote cannot be at its timestamp, if it cannot; least is one that would do
// here, if that is why.
func (o *voter) leasesStand(p *txn.Prepare) (why txn.Why, least txn.Timestamp) {
	if o.cfg.Params.Bugs.IgnoreRangeChecks {
		points := *p
		points.Spans = nil
		p = &points
	}
	return o.leases.Stands(p, o.leases.At(p, o.rows.row), o.rows.row, func(s txn.Scan) txn.ScanRows { return o.rows.scan(s, nil) })
}

// renews is what nobody else may have locked, for a vote to renew its leases.
func (o *voter) renews(p *txn.Prepare, at txn.Timestamp) (keys []txn.Key, spans []txn.Span) {
	if o.cfg.Params.Bugs.RenewLockedLease {
		return nil, nil
	}
	if keys, spans = o.leases.Renews(p, at); o.cfg.Params.Bugs.IgnoreRangeChecks {
		spans = nil
	}
	return keys, spans
}

// countLocked counts a vote that others' locks have kept from renewing its leases.
func (o *voter) countLocked(q *yield.Request) {
	if o.leases == nil || !o.cfg.Params.Rules.On() {
		return
	}
	look := *q
	look.Exclusive, look.Looks = nil, true
	e := o.locks.Acquire(o.cfg.Env.Now().Mono, &look)
	o.cfg.Params.Rules.BiteIf(!e.Granted(), rulebook.LeaseLocked)
}
