package replica

import (
	"slices"

	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// onPrepare validates, writes the opinion down and tells it.
func (r *Replica) onPrepare(from txn.NodeID, p *txn.Prepare) {
	a := p.Attempt
	r.forget(p)
	if r.rec.isRetired(a) || r.tellEnd(from, a) || !r.takesPart() {
		return // in a change of views nobody answers: they are asked again
	}
	if e, known := r.rec.entries.Get(a); known {
		r.answerAgain(from, e)
		return
	}
	r.form(p, func(e txn.Entry, o txn.Opinion) {
		r.env.Send(txn.Coordinator(from), txn.Message{Opinion: &o})
		if e.Answer != txn.AnswerOK && !o.Leads && r.cfg.Row.Decide.DisputesOpinions() {
			r.env.Send(txn.Participant(r.leaderOf(o.View), r.cfg.ID), txn.Message{Dispute: &txn.Dispute{Shard: r.cfg.ID, View: o.View, Prepare: p}})
		}
	})
}

// form forms an opinion and calls told when it is on the disk. Where the leader
// proposes its own opinion anyway it does so then, and no sooner: after a crash it
// must not propose another.
func (r *Replica) form(p *txn.Prepare, told func(txn.Entry, txn.Opinion)) {
	if r.rec.entries.Len() >= maxEntries {
		return // as if it had not come
	}
	o := r.opine(p)
	o.Leads = r.leads()
	e := txn.Entry{Prepare: *p, Answer: o.Answer, View: r.view()}
	var b store.Batch
	r.rec.putEntry(&b, e)
	r.cfg.Engine.Apply(&b)
	r.enter(e)
	if o.Answer != txn.AnswerOK {
		r.counts.Refusals++
		r.env.Trace("shard %d: %v does not fit: %v, %s", r.cfg.ID, p.Txn, o.Answer, o.Reason)
	}
	proposes := r.cfg.Row.Decide.ProposesAtOnce() || o.Answer != txn.AnswerOK && r.cfg.Row.Decide.LeaderProposes()
	r.afterSync(func() {
		if !r.stands(e) {
			return
		}
		if o.Leads && proposes {
			r.settle(e)
		}
		told(e, o)
	})
}

// stands reports whether what is about to be told of an entry still holds here:
// that it is of this view, and not decided.
func (r *Replica) stands(e txn.Entry) bool {
	now, open := r.rec.entries.Get(e.Prepare.Attempt)
	return open && now.View == e.View && r.takesPart() && e.View == r.view()
}

// opine compares an attempt with all that is known here.
func (r *Replica) opine(p *txn.Prepare) txn.Opinion {
	o := txn.Opinion{Shard: r.cfg.ID, Attempt: p.Attempt, Replica: r.cfg.Self, View: r.view(), At: p.At, Refused: txn.KindAborted}
	if r.cfg.Params.Bugs.SkipValidation {
		o.Answer = txn.AnswerOK
		return o
	}
	if !yield.Guarded(r.row, p.Guards) {
		o.Answer = txn.AnswerNo
		differs(&o, txn.WhySchemaChanged)
		return o
	}
	spans := p.Spans
	if r.cfg.Params.Bugs.IgnoreRangeChecks {
		spans = nil
	}
	if why := yield.Stands(r.row, r.scan, p.Reads, spans); why != txn.NotRefused {
		o.Answer = txn.AnswerNo
		differs(&o, why)
		return o
	}
	if o.Answer, o.Above = r.stamps.Judge(r.cfg.Row.Yield, p.Attempt, p.At, claimOf(p)); o.Answer != txn.AnswerOK {
		differs(&o, txn.WhyUndecidedMet)
	}
	if newest := r.newest(p); o.Answer != txn.AnswerAbstain && newest >= p.At {
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

// newest is the timestamp of the newest version of what an attempt writes and, by
// timestamp, reads by key. What it reads in a range is below its timestamp: that
// comes after all that the replica had committed that was asked.
func (r *Replica) newest(p *txn.Prepare) (at txn.Timestamp) {
	for _, w := range p.Writes {
		at = max(at, r.rec.cache.NewestAt(r.cfg.Engine, w.Key))
	}
	if r.cfg.Row.Yield.ByTimestamp {
		for _, c := range slices.Concat(p.Reads, p.Guards) {
			at = max(at, r.rec.cache.NewestAt(r.cfg.Engine, c.Key))
		}
	}
	return at
}

// answerAgain repeats what is known of an attempt that is not decided.
func (r *Replica) answerAgain(to txn.NodeID, e txn.Entry) {
	a := e.Prepare.Attempt
	r.afterSync(func() { // it may be on its way to the disk
		if !r.stands(e) {
			return
		}
		if e.Final {
			r.env.Send(txn.Both(to, r.cfg.ID), txn.Message{Accepted: r.accepted(e)})
			return
		}
		r.env.Send(txn.Coordinator(to), txn.Message{Opinion: &txn.Opinion{Shard: r.cfg.ID, Attempt: a, Replica: r.cfg.Self, View: e.View,
			Leads: r.leaderOf(e.View) == r.cfg.Self, Answer: e.Answer, At: e.Prepare.At, Refused: txn.KindAborted, Reason: txn.WhyRefusedBefore.Refusal().String()}})
	})
	if p := r.proposals[a]; p != nil {
		r.toAll(txn.Message{Accept: p.accept})
	}
}

func (r *Replica) accepted(e txn.Entry) *txn.Accepted {
	return &txn.Accepted{Shard: r.cfg.ID, Attempt: e.Prepare.Attempt, View: e.View, Replica: r.cfg.Self, Yes: e.Yes, At: e.Prepare.At}
}

// tellEnd answers whoever asks about an attempt that is decided; false if it is not.
func (r *Replica) tellEnd(to txn.NodeID, a txn.Attempt) bool {
	end, known := r.rec.endings.Get(a)
	if !known {
		return false
	}
	r.afterSync(func() {
		r.env.Send(txn.Coordinator(to), txn.Message{Finding: &txn.Finding{Shard: r.cfg.ID, Attempt: a, Result: end.Result, At: end.At}})
	})
	return true
}

// forget lets go of what the coordinator knows to be finished everywhere.
func (r *Replica) forget(p *txn.Prepare) {
	var b store.Batch
	r.rec.retire(&b, p.Attempt.Incarnation(), p.Retired)
	if !b.Empty() {
		r.cfg.Engine.Apply(&b)
	}
}
