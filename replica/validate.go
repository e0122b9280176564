package replica

import (
	"isochron/coverage"
	"isochron/txn"
	"isochron/yield"
)

// validator validates attempts against the committed and the undecided transactions known here.
type validator struct {
	*member
	rows  committed
	holds *holds
}

// opine validates an attempt.
func (v *validator) opine(p *txn.Prepare) txn.ReplicaVote {
	o := txn.ReplicaVote{Shard: v.cfg.ID, Attempt: p.Attempt, Replica: v.cfg.Self, View: v.view(), At: p.At, Refused: txn.KindAborted}
	if v.cfg.Params.InjectedBugs.SkipValidation {
		o.Result = txn.ValidationOK
		return o
	}
	if !yield.Guarded(v.rows.row, p.SchemaChecks) {
		o.Result = txn.ValidationNo
		differs(&o, txn.ReasonSchemaChanged)
		return o
	}
	spans := p.Spans
	if v.cfg.Params.InjectedBugs.IgnoreRangeChecks {
		spans = nil
	}
	if reason := yield.StillValid(v.rows.row, v.rows.digest, p.Reads, spans); reason != txn.NotRefused {
		v.cfg.Params.Rules.HitIf(reason == txn.ReasonRowChanged, coverage.RowsChecked)
		v.cfg.Params.Rules.HitIf(reason == txn.ReasonRangeChanged, coverage.RangesChecked)
		o.Result = txn.ValidationNo
		differs(&o, reason)
		return o
	}
	if o.Result, o.Above = v.holds.timestamps.Judge(v.cfg.Spec.Yield, p.Attempt, p.At, lockSetOf(p)); o.Result != txn.ValidationOK {
		differs(&o, txn.ReasonUndecidedConflict)
	}
	if newest := v.rows.newest(p, v.cfg.Spec.Yield.ByTimestamp); o.Result != txn.ValidationAbstain && newest >= p.At {
		v.cfg.Params.Rules.Hit(coverage.BelowCommitted)
		o.Result, o.Above = txn.ValidationRetry, max(o.Above, newest)
	}
	if o.Result == txn.ValidationRetry {
		differs(&o, txn.ReasonTimestampTooLate)
	}
	return o
}

// differs sets the reason for which a result is not OK.
func differs(o *txn.ReplicaVote, reason txn.AbortReason) {
	o.Refused, o.Reason = reason.Refusal().Kind(), reason.Refusal().String()
}
