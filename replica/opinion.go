package replica

import (
	"isochron/rulebook"
	"isochron/store"
	"isochron/txn"
)

// onPrepare validates, writes the opinion down and tells it.
func (r *Replica) onPrepare(from txn.NodeID, p *txn.Prepare) {
	a := p.Attempt
	r.forget(p)
	if r.rec.isRetired(a) || r.tellEnd(from, a) || !r.takesPart() {
		r.cfg.Params.Rules.BiteIf(!r.takesPart(), rulebook.LeftView)
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
	o := r.validator.opine(p)
	o.Leads = r.leads()
	e := txn.Entry{Prepare: *p, Answer: o.Answer, View: r.view()}
	var b store.Batch
	r.rec.putEntry(&b, e)
	r.cfg.Engine.Apply(&b)
	r.holds.enter(e)
	if o.Answer != txn.AnswerOK {
		r.refusals++
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
	r.slow.repeat(a)
}

// forget lets go of what the coordinator knows to be finished everywhere. Not in a change of
// views: what others have told may be from before they knew of it.
func (r *Replica) forget(p *txn.Prepare) {
	if !r.takesPart() {
		return
	}
	var b store.Batch
	r.rec.retire(&b, p.Attempt.Incarnation(), p.Retired)
	if !b.Empty() {
		r.cfg.Engine.Apply(&b)
	}
}
