package replica

import (
	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
)

// onPrepare validates, stores the result and sends it.
func (r *Replica) onPrepare(from txn.NodeID, p *txn.Prepare) {
	a := p.Attempt
	r.forget(p)
	if r.rec.isRetired(a) || r.sendEnd(from, a) || !r.takesPart() {
		r.cfg.Params.Rules.HitIf(!r.takesPart(), coverage.LeftView)
		return // during a change of views no replica answers: the coordinator asks again
	}
	if e, known := r.rec.entries.Get(a); known {
		r.answerAgain(from, e)
		return
	}
	r.form(p, func(e txn.Entry, o txn.ReplicaVote) {
		r.env.Send(txn.Coordinator(from), txn.Message{ReplicaVote: &o})
		if e.Result != txn.ValidationOK && !o.Leads && r.cfg.Spec.Decide.UsesSlowPath() {
			r.env.Send(txn.Participant(r.leaderOf(o.View), r.cfg.ID), txn.Message{SlowPathRequest: &txn.SlowPathRequest{Shard: r.cfg.ID, View: o.View, Prepare: p}})
		}
	})
}

// form validates, and calls reported when the result is on the disk. Where the leader
// proposes its own result anyway it does so then, and not earlier: after a crash it
// must not propose a different one.
func (r *Replica) form(p *txn.Prepare, reported func(txn.Entry, txn.ReplicaVote)) {
	if r.rec.entries.Len() >= maxEntries {
		return // treated as lost
	}
	o := r.validator.opine(p)
	o.Leads = r.leads()
	e := txn.Entry{Prepare: *p, Result: o.Result, View: r.view()}
	var b store.Batch
	r.rec.putEntry(&b, e)
	r.cfg.Engine.Apply(&b)
	r.holds.enter(e)
	if o.Result != txn.ValidationOK {
		r.refusals++
		r.env.Trace("shard %d: %v does not fit: %v, %s", r.cfg.ID, p.Txn, o.Result, o.Reason)
	}
	proposes := r.cfg.Spec.Decide.AlwaysProposes() || o.Result != txn.ValidationOK && r.cfg.Spec.Decide.LeaderProposes()
	r.afterSync(func() {
		if !r.stillValid(e) {
			return
		}
		if o.Leads && proposes {
			r.settle(e)
		}
		reported(e, o)
	})
}

// answerAgain sends the known state of an undecided attempt again.
func (r *Replica) answerAgain(to txn.NodeID, e txn.Entry) {
	a := e.Prepare.Attempt
	r.afterSync(func() { // the entry may not be durable yet
		if !r.stillValid(e) {
			return
		}
		if e.Final {
			r.env.Send(txn.Both(to, r.cfg.ID), txn.Message{Accepted: r.accepted(e)})
			return
		}
		r.env.Send(txn.Coordinator(to), txn.Message{ReplicaVote: &txn.ReplicaVote{Shard: r.cfg.ID, Attempt: a, Replica: r.cfg.Self, View: e.View,
			Leads: r.leaderOf(e.View) == r.cfg.Self, Result: e.Result, At: e.Prepare.At, Refused: txn.KindAborted, Reason: txn.ReasonAlreadyRefused.Refusal().String()}})
	})
	r.slow.repeat(a)
}

// forget drops decided entries that the coordinator reports as known everywhere. Not during a change of
// views: the others' records may be older than that report.
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
