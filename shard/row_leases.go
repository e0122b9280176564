package shard

import (
	"isochron/coverage"
	"isochron/txn"
	"isochron/yield"
)

// Where rows have leases (yield.Leases) a vote renews those of what it has read, and holds what it
// writes alone.

// leasesStand is why a vote cannot be at its timestamp, if it cannot; least is one that would do
// here, if that is why.
func (o *prepareHandler) leasesStand(p *txn.Prepare) (reason txn.AbortReason, least txn.Timestamp) {
	if o.cfg.Params.InjectedBugs.IgnoreRangeChecks {
		points := *p
		points.Spans = nil
		p = &points
	}
	return o.leases.StillValid(p, o.leases.At(p, o.rows.row), o.rows.row, func(s txn.Scan) txn.ScanRows { return o.rows.scan(s, nil) })
}

// renews is what nobody else may have locked, for a vote to renew its leases.
func (o *prepareHandler) renews(p *txn.Prepare, at txn.Timestamp) (keys []txn.Key, spans []txn.Span) {
	if o.cfg.Params.InjectedBugs.RenewLockedLease {
		return nil, nil
	}
	if keys, spans = o.leases.Renews(p, at); o.cfg.Params.InjectedBugs.IgnoreRangeChecks {
		spans = nil
	}
	return keys, spans
}

// countLocked counts a vote that others' locks have kept from renewing its leases.
func (o *prepareHandler) countLocked(q *yield.LockRequest) {
	if o.leases == nil || !o.cfg.Params.Rules.On() {
		return
	}
	look := *q
	look.Exclusive, look.DryRun = nil, true
	e := o.locks.Acquire(o.cfg.Env.Now().Mono, &look)
	o.cfg.Params.Rules.HitIf(!e.Granted(), coverage.LeaseLocked)
}
