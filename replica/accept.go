package replica

import (
	"fmt"

	"isochron/store"
	"isochron/txn"
)

// The slow path: one proposes what counts, and a majority takes it in. In one
// view it is the leader that proposes, or the coordinator, as the row says, and
// it proposes one thing.

// proposal is what the leader of the view has proposed of an attempt.
type proposal struct {
	accept *txn.Accept
	have   map[txn.NodeID]bool
	voted  bool
}

// proposed is what waits here to be taken in.
type proposed struct {
	from txn.NodeID
	m    *txn.Accept
}

func (r *Replica) propose(p *txn.Prepare, yes bool) {
	if r.proposals[p.Attempt] != nil {
		return
	}
	r.counts.Proposals++
	m := &txn.Accept{Shard: r.cfg.ID, View: r.view(), Yes: yes, Prepare: p}
	r.proposals[p.Attempt] = &proposal{accept: m, have: map[txn.NodeID]bool{}}
	r.env.Trace("shard %d: proposes %s for %v", r.cfg.ID, yesNo(yes), p.Txn)
	r.toAll(txn.Message{Accept: m})
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// onDispute has the leader settle an attempt on which opinions differ: its own counts.
func (r *Replica) onDispute(m *txn.Dispute) {
	p := m.Prepare
	if p == nil || !r.leads() || m.View != r.view() || r.rec.isRetired(p.Attempt) {
		return
	}
	if _, over := r.rec.endings.Get(p.Attempt); over {
		return
	}
	if e, known := r.rec.entries.Get(p.Attempt); known {
		r.afterSync(func() { r.settle(e) })
		return
	}
	r.form(p, func(e txn.Entry, _ txn.Opinion) { r.settle(e) })
}

// settle proposes the leader's own opinion, or once more what it has proposed
// before a restart.
func (r *Replica) settle(e txn.Entry) {
	now, open := r.rec.entries.Get(e.Prepare.Attempt)
	if !open || !r.leads() || e.View != r.view() {
		return // it was decided while the disk was busy
	}
	yes := now.Answer == txn.AnswerOK || r.cfg.Params.Bugs.IgnoreAbort
	if now.Final {
		yes = now.Yes
	}
	r.propose(&now.Prepare, yes)
}

// onAccept takes in what is proposed.
func (r *Replica) onAccept(from txn.NodeID, m *txn.Accept) {
	p := m.Prepare
	switch {
	case p == nil || r.rec.isRetired(p.Attempt) || r.tellEnd(p.Attempt.Node, p.Attempt):
		return
	case m.View > r.view():
		r.ask(r.leaderOf(m.View))
		return
	case m.View < r.view() || !r.takesPart():
		return
	}
	e, known := r.rec.entries.Get(p.Attempt)
	switch {
	case known && e.Final && e.Yes != m.Yes:
		panic(fmt.Sprintf("shard %d: in view %d both %s and %s are proposed for %v", r.cfg.ID, m.View, yesNo(e.Yes), yesNo(m.Yes), p.Attempt))
	case known && e.Final:
	case m.Yes && r.clashes(p):
		r.await(from, m)
		return
	default:
		e = txn.Entry{Prepare: *p, Answer: e.Answer, View: m.View, Final: true, Yes: m.Yes}
		var b store.Batch
		r.rec.putEntry(&b, e)
		r.cfg.Engine.Apply(&b)
		r.enter(e)
		if !m.Yes {
			r.wake() // it may have been called OK before
		}
	}
	r.afterSync(func() {
		if r.stands(e) {
			r.env.Send(txn.Both(from, r.cfg.ID), txn.Message{Accepted: r.accepted(e)})
		}
	})
}

// What is proposed may rest on the end of another attempt, of which this replica
// has not heard yet. It takes in no Yes beside a Yes with which it clashes: so that
// of two attempts that clash and both came to count, whoever has taken in both
// knows how the first one ended. A change of views rests on that (merge.go).

// clashes reports whether an attempt cannot count beside what is held here.
func (r *Replica) clashes(p *txn.Prepare) bool {
	if l := r.local[p.Attempt]; l != nil && l.held {
		return false
	}
	return r.stamps.Clashes(r.cfg.Row.Yield, p.Attempt, p.At, claimOf(p))
}

// await keeps a proposal until what is in its way has ended.
func (r *Replica) await(from txn.NodeID, m *txn.Accept) {
	if r.waiting.Len() < maxWaiting { // else as if it had not come
		r.waiting.Set(m.Prepare.Attempt, proposed{from, m})
	}
}

// wake looks again at all that waits for the end of an attempt.
func (r *Replica) wake() {
	r.wakeReaders()
	if r.waiting.Len() == 0 {
		return
	}
	var list []proposed
	r.waiting.All(func(_ txn.Attempt, p proposed) bool {
		list = append(list, p)
		return true
	})
	r.waiting = txn.NewByAttempt[proposed]()
	for _, p := range list {
		r.onAccept(p.from, p.m)
	}
}

// onAccepted counts, and votes when a majority has taken in what this leader
// had proposed.
func (r *Replica) onAccepted(m *txn.Accepted) {
	p := r.proposals[m.Attempt]
	if p == nil || p.accept.View != m.View || p.voted {
		return
	}
	p.have[m.Replica] = true
	if len(p.have) < r.majority() {
		return
	}
	p.voted = true
	v := &txn.Vote{Shard: r.cfg.ID, Attempt: m.Attempt, Yes: m.Yes, Proposed: m.At, AwaitsDecision: true}
	if !m.Yes {
		v.Refused, v.Reason = txn.WhyOtherMet.Refusal().Kind(), txn.WhyOtherMet.Refusal().String()
	}
	r.env.Send(txn.Coordinator(m.Attempt.Node), txn.Message{Vote: v})
}

// onDecide hears how an attempt ended.
func (r *Replica) onDecide(from txn.NodeID, d *txn.Decide) {
	a := d.Attempt
	ack := func() {
		r.afterSync(func() {
			r.env.Send(txn.Coordinator(from), txn.Message{DecideAck: &txn.DecideAck{Shard: r.cfg.ID, Attempt: a}})
		})
	}
	if _, over := r.rec.endings.Get(a); over || r.rec.isRetired(a) {
		ack()
		return
	}
	p := d.Prepare
	if e, open := r.rec.entries.Get(a); open && known(&e.Prepare) {
		p = &e.Prepare
	}
	if d.Commit && p == nil {
		r.ask(r.leaderOf(r.view())) // it has missed what is to be committed
		return
	}
	end := txn.Ending{Attempt: a, Result: txn.OutcomeAborted}
	if d.Commit {
		end.Result, end.At, end.Prepare = txn.OutcomeCommitted, d.At, p
	}
	r.end(end)
	ack()
}

// end takes in how an attempt ended.
func (r *Replica) end(end txn.Ending) {
	var b store.Batch
	e, open := r.rec.entries.Get(end.Attempt)
	commit := end.Result == txn.OutcomeCommitted
	if open {
		r.rec.dropEntry(&b, end.Attempt)
	}
	r.rec.putEnding(&b, end)
	r.cfg.Engine.Apply(&b)
	if open && commit && !known(&e.Prepare) {
		e.Prepare = *end.Prepare // only its name was known
	}
	switch {
	case open:
		r.leave(&e.Prepare, commit)
	case commit:
		r.leave(end.Prepare, true)
	}
	if commit {
		r.env.Trace("shard %d: %v is committed, its writes can be read", r.cfg.ID, end.Prepare.Txn)
		r.env.Applied(r.cfg.ID, end.Prepare.Writes)
	}
	r.wake()
}
