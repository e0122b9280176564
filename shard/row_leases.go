package shard

import (
	"isochron/coverage"
	"isochron/txn"
	"isochron/yield"
)

// In protocols with row leases (yield.Leases) a vote renews the leases of its reads, and locks only
// its writes.

// leasesStand returns the reason for which a vote cannot use its timestamp, if there is one; least is
// then a timestamp that would succeed here.
func (o *prepareHandler) leasesStand(p *txn.Prepare) (reason txn.AbortReason, least txn.Timestamp) {
	if o.cfg.Params.InjectedBugs.IgnoreRangeChecks {
		points := *p
		points.Spans = nil
		p = &points
	}
	return o.leases.StillValid(p, o.leases.At(p, o.rows.row), o.rows.row, o.rows.digest)
}

// renews returns the keys and spans that no other transaction may have locked, for a vote to renew its leases.
func (o *prepareHandler) renews(p *txn.Prepare, at txn.Timestamp) (keys []txn.Key, spans []txn.Span) {
	if o.cfg.Params.InjectedBugs.RenewLockedLease {
		return nil, nil
	}
	if keys, spans = o.leases.Renews(p, at); o.cfg.Params.InjectedBugs.IgnoreRangeChecks {
		spans = nil
	}
	return keys, spans
}

// countLocked counts a vote that could not renew its leases because of others' locks.
func (o *prepareHandler) countLocked(q *yield.LockRequest) {
	if o.leases == nil || !o.cfg.Params.Rules.On() {
		return
	}
	look := *q
	look.Exclusive, look.DryRun = nil, true
	e := o.locks.Acquire(o.cfg.Env.Now().Mono, &look)
	o.cfg.Params.Rules.HitIf(!e.Granted(), coverage.LeaseLocked)
}
