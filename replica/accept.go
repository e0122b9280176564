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
	e, known := r.rec.entries.Get(p.Attempt)
	switch {
	case !known:
		r.form(p, func(e txn.Entry, _ txn.Opinion) { r.settle(e) })
	case !e.Final:
		r.afterSync(func() { r.settle(e) })
	}
}

func (r *Replica) settle(e txn.Entry) {
	if now, open := r.rec.entries.Get(e.Prepare.Attempt); !open || now.Final || !r.leads() || e.View != r.view() {
		return // it was settled while the disk was busy
	}
	r.propose(&e.Prepare, e.Answer == txn.AnswerOK || r.cfg.Params.Bugs.IgnoreAbort)
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
	if known && e.Final {
		if e.Yes != m.Yes {
			panic(fmt.Sprintf("shard %d: in view %d both %s and %s are proposed for %v", r.cfg.ID, m.View, yesNo(e.Yes), yesNo(m.Yes), p.Attempt))
		}
	} else {
		e = txn.Entry{Prepare: *p, Answer: e.Answer, View: m.View, Final: true, Yes: m.Yes}
		var b store.Batch
		r.rec.putEntry(&b, e)
		r.cfg.Engine.Apply(&b)
		r.enter(e)
		r.wakeReaders()
	}
	r.afterSync(func() {
		if r.stands(e) {
			r.env.Send(from, txn.Message{Accepted: r.accepted(e)})
		}
	})
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
	v := &txn.Vote{Shard: r.cfg.ID, Attempt: m.Attempt, Yes: m.Yes, Proposed: m.At, Told: true}
	if !m.Yes {
		v.Refused, v.Reason = txn.KindAborted, "it met another transaction"
	}
	r.env.Send(m.Attempt.Node, txn.Message{Vote: v})
}

// onDecide hears how an attempt ended.
func (r *Replica) onDecide(from txn.NodeID, d *txn.Decide) {
	a := d.Attempt
	ack := func() {
		r.afterSync(func() { r.env.Send(from, txn.Message{DecideAck: &txn.DecideAck{Shard: r.cfg.ID, Attempt: a}}) })
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
	r.wakeReaders()
}
