package replica

import (
	"isochron/rulebook"
	"isochron/txn"
	"isochron/yield"
)

// validator compares attempts with what is committed here and what is undecided.
type validator struct {
	*member
	rows  committed
	holds *holds
}

// opine compares an attempt with all that is known here.
func (v *validator) opine(p *txn.Prepare) txn.Opinion {
	o := txn.Opinion{Shard: v.cfg.ID, Attempt: p.Attempt, Replica: v.cfg.Self, View: v.view(), At: p.At, Refused: txn.KindAborted}
	if v.cfg.Params.Bugs.SkipValidation {
		o.Answer = txn.AnswerOK
		return o
	}
	if !yield.Guarded(v.rows.row, p.Guards) {
		o.Answer = txn.AnswerNo
		differs(&o, txn.WhySchemaChanged)
		return o
	}
	spans := p.Spans
	if v.cfg.Params.Bugs.IgnoreRangeChecks {
		spans = nil
	}
	if why := yield.Stands(v.rows.row, v.rows.scan, p.Reads, spans); why != txn.NotRefused {
		v.cfg.Params.Rules.BiteIf(why == txn.WhyRowChanged, rulebook.RowsChecked)
		v.cfg.Params.Rules.BiteIf(why == txn.WhyRangeChanged, rulebook.RangesChecked)
		o.Answer = txn.AnswerNo
		differs(&o, why)
		return o
	}
	if o.Answer, o.Above = v.holds.stamps.Judge(v.cfg.Row.Yield, p.Attempt, p.At, lockSetOf(p)); o.Answer != txn.AnswerOK {
		differs(&o, txn.WhyUndecidedMet)
	}
	if newest := v.rows.newest(p, v.cfg.Row.Yield.ByTimestamp); o.Answer != txn.AnswerAbstain && newest >= p.At {
		v.cfg.Params.Rules.Bite(rulebook.BelowCommitted)
		o.Answer, o.Above = txn.AnswerRetry, max(o.Above, newest)
	}
	if o.Answer == txn.AnswerRetry {
		differs(&o, txn.WhyStampTooLate)
	}
	return o
}

// differs says why an opinion is not yes.
func differs(o *txn.Opinion, why txn.Why) {
	o.Refused, o.Reason = why.Refusal().Kind(), why.Refusal().String()
}
