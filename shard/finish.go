package shard

import (
	"fmt"

	"isochron/txn"
)

// OnDecide hears how an attempt ended. A commit is revealed and its locks are
// released at once, before the log has the decision: it follows from logged
// votes, and whoever comes after this leader will find the same.
func (r *Replica) OnDecide(from txn.NodeID, d *txn.Decide) {
	if !r.Serving() {
		r.notLeader(from, txn.NotLeader{Attempt: d.Attempt})
		return
	}
	r.lead.decide(from, d)
}

func (l *leadership) decide(from txn.NodeID, d *txn.Decide) {
	r, a := l.r, d.Attempt
	ack := func() {
		r.env.Send(txn.Coordinator(from), txn.Message{DecideAck: &txn.DecideAck{Shard: r.cfg.ID, Attempt: a}})
	}
	if dec := l.known.deciding[a]; dec != nil {
		dec.to = addNode(dec.to, from)
		return
	}
	v := l.known.undecided(a)
	if _, known := r.state.outcomes.Get(a); known || v == nil && l.known.isRetired(a) {
		ack()
		return
	}
	if v == nil {
		if d.Commit && !r.group.Leased() {
			return // deposed, it seems: told again, where the vote is
		}
		if d.Commit {
			panic(fmt.Sprintf("shard %d: told to commit %v, for which the log has no vote", r.cfg.ID, a))
		}
		l.abortUnvoted(d)
		// Whoever acknowledges an end because there is no vote speaks for the log. A leader
		// that may be deposed does not know what its successor has in it.
		l.certain.then(ack)
		return
	}
	if !r.propose(command{Decide: &decideCmd{Attempt: a, Commit: d.Commit, At: d.At}}) {
		return // told again later
	}
	l.known.deciding[a] = &decidingVote{commit: d.Commit, at: d.At, to: []txn.NodeID{from}}
	l.depends.ended(v, d.Commit)
	if d.Commit {
		// The vote may still be on its way through the log here: others know of a
		// majority that has it, and the decision follows it in the log.
		r.clock.Observe(d.At)
		r.env.Trace("shard %d: commits %v, its writes are revealed and its locks released", r.cfg.ID, v.Txn)
	} else {
		r.env.Trace("shard %d: aborts %v", r.cfg.ID, v.Txn)
	}
	// Whoever is granted these locks now votes after the decision in the log, so
	// no log has both votes undecided, whether this one is applied yet or not.
	l.release(v.Txn, d.Commit)
}

// abortUnvoted ends an attempt that has no vote here, and sees to it that it
// never gets one in this term, the only one in which its Prepare is good.
func (l *leadership) abortUnvoted(d *txn.Decide) {
	l.known.refused[d.Attempt] = true
	l.known.stopWaiting(l.locks.Table, d.Attempt)
	l.endUnvoted(d.Txn)
}

// OnInquire tells what the log says of an attempt, and fences it off if the log
// says nothing.
func (r *Replica) OnInquire(from txn.NodeID, q *txn.Inquire) {
	if !r.Serving() {
		r.notLeader(from, txn.NotLeader{Attempt: q.Attempt})
		return
	}
	l, a := r.lead, q.Attempt
	if v := l.known.voting[a]; v != nil {
		v.inquirers = addNode(v.inquirers, from)
		return
	}
	if l.find(from, a) {
		return
	}
	l.known.stopWaiting(l.locks.Table, a)
	if r.cfg.Params.Bugs.ForgetFence {
		r.env.Send(txn.Coordinator(from), txn.Message{Finding: &txn.Finding{Shard: r.cfg.ID, Attempt: a, Result: txn.OutcomeNo}})
		return
	}
	l.known.refused[a] = true
	if to := l.known.fencing[a]; to != nil {
		l.known.fencing[a] = addNode(to, from)
		return
	}
	if r.propose(command{Fence: &fenceCmd{Attempt: a}}) {
		l.known.fencing[a] = []txn.NodeID{from}
		r.env.Trace("shard %d: knows no vote of %v and fences it off", r.cfg.ID, a)
	}
	l.endUnvoted(q.Txn)
}

// find answers from the state; false if it says nothing of the attempt.
func (l *leadership) find(to txn.NodeID, a txn.Attempt) bool {
	f, ok := l.known.finding(a)
	if ok {
		f.Shard = l.r.cfg.ID
		l.r.env.Send(txn.Coordinator(to), txn.Message{Finding: &f})
	}
	return ok
}

// applied hears what the log has just done, on the leader.
func (l *leadership) applied(e effect) {
	if e.barrier != 0 {
		l.certain.applied(e.barrier, l.r.state.applied.Term)
		return
	}
	switch {
	case e.voted != nil || e.void:
		l.appliedVote(e)
	case e.ended != nil:
		l.appliedDecision(e)
	case e.fenced:
		for _, to := range l.known.fencing[e.attempt] {
			l.find(to, e.attempt)
		}
		delete(l.known.fencing, e.attempt)
		l.ackDecision(e.attempt)
	}
}

func (l *leadership) appliedVote(e effect) {
	v := l.known.voting[e.attempt]
	if v == nil {
		return // of an earlier leader; maybeServe deals with it
	}
	delete(l.known.voting, e.attempt)
	vote := txn.Vote{Attempt: e.attempt, Yes: !e.void, WaitedNanos: v.waitedNanos, WaitedFor: v.waitedFor}
	if e.void {
		refused(&vote, txn.WhyEndedByOthers.Refusal())
	} else {
		vote.Proposed, vote.AwaitsDecision = e.voted.Proposed, !e.voted.OnePhase
		vote.Open, vote.Doomed = l.known.conditional(e.attempt)
	}
	switch {
	case e.void:
		l.depends.ended(v.cmd, false)
	case e.voted.OnePhase:
		l.early.Applied(e.attempt, v.cmd.Proposed, v.cmd.Writes)
		l.early.Settle(e.attempt, true)
	}
	if e.void || e.voted.OnePhase {
		l.patrol.ended(e.attempt)
		l.release(v.id, !e.void)
	}
	for _, to := range v.to {
		l.sendVote(to, vote)
	}
	for _, to := range v.inquirers {
		l.find(to, e.attempt)
	}
}

func (l *leadership) appliedDecision(e effect) {
	if l.known.deciding[e.attempt] == nil { // an earlier leader logged the decision
		l.depends.ended(&e.ended.voteCmd, e.commit)
	}
	if e.commit {
		l.early.Applied(e.attempt, e.ended.Proposed, e.ended.Writes)
	}
	l.patrol.ended(e.attempt)
	l.release(e.ended.Txn, e.commit) // if an earlier leader decided it
	l.ackDecision(e.attempt)
}

func (l *leadership) ackDecision(a txn.Attempt) {
	d := l.known.deciding[a]
	if d == nil {
		return
	}
	delete(l.known.deciding, a)
	for _, to := range d.to {
		l.r.env.Send(txn.Coordinator(to), txn.Message{DecideAck: &txn.DecideAck{Shard: l.r.cfg.ID, Attempt: a}})
	}
}
