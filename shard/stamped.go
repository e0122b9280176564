package shard

import (
	"time"

	"isochron/rulebook"
	"isochron/txn"
	"isochron/yield"
)

// Declared transactions with a stamp are voted on when it passes here, in the order of their stamps
// (yield/instants.go; Natto section 3.2).

// holdMost bounds how long a vote is held back, whatever its stamp and the clocks say.
const holdMost = 2 * time.Second

// stamped reports whether a Prepare is to wait for its instant.
func (o *voter) stamped(p *txn.Prepare) bool {
	return o.cfg.Row.Yield.Stamped && p.Declared != nil && p.Declared.Stamp != 0
}

// holdBack has one wait for it.
func (o *voter) holdBack(from txn.NodeID, p *txn.Prepare, began arrival) {
	now := o.cfg.Env.Now()
	i := o.stampedVote(from, p, &began)
	until := time.Duration(p.Declared.Stamp - now.WallNanos)
	i.Late, i.Due = until < 0 || o.instants.Passed(i), now.Mono+min(max(until, 0), holdMost)
	if i.Late {
		o.counts.Late++
		if o.cfg.Env.Tracing() {
			o.cfg.Env.Trace("shard %d: %v comes too late for its stamp", o.cfg.ID, p.Txn)
		}
	}
	o.instants.Enter(i)
	o.instants.Go(now.Mono)
}

// stampedVote is a Prepare as the queue knows it, from its arrival on.
func (o *voter) stampedVote(from txn.NodeID, p *txn.Prepare, began *arrival) *yield.StampedVote {
	i := &yield.StampedVote{
		Attempt: p.Attempt, Txn: p.Txn, LockSet: yield.LockSet{Shared: p.Declared.Reads}, Due: began.Mono,
		Deadline: began.Mono + holdMost + o.cfg.Params.LockWait,
		Refuse:   func(why txn.Refusal) { o.refuse(from, p, why) },
	}
	stampFrom(i, p.Age, p.Declared)
	for _, w := range p.Writes {
		i.LockSet.Exclusive = append(i.LockSet.Exclusive, w.Key)
	}
	began.stamped = i
	came := *began
	i.Ask = func() { o.askedAtInstant(from, p, came) }
	return i
}

// stampFrom enters what a declaration says of a vote.
func stampFrom(i *yield.StampedVote, age txn.Age, d *txn.Declared) {
	i.Stamp, i.Ends, i.High, i.Elsewhere = d.Stamp, d.Ends, age.Priority >= txn.PriorityHigh, d.Parts
}

// stampOf is a vote as the queue remembers it, without its lock set; d is what its Prepare declared, or
// what the log has of that.
func stampOf(v *voteCmd, d *txn.Declared) yield.StampedVote {
	i := yield.StampedVote{Attempt: v.Attempt, Txn: v.Txn}
	if d != nil {
		stampFrom(&i, v.Age, d)
	}
	return i
}

// loggedOf is what the log has of a declaration: not what its transaction does elsewhere. A later leader
// has no vote rest on the abort of one that it has from the log.
func loggedOf(d *txn.Declared) *txn.Declared {
	if d == nil || d.Parts == nil {
		return d
	}
	logged := *d
	logged.Parts = nil
	return &logged
}

// askedAtInstant goes on with one whose turn has come, unless it has ended meanwhile.
func (o *voter) askedAtInstant(from txn.NodeID, p *txn.Prepare, began arrival) {
	if !o.known.over(p.Attempt) {
		o.prepare(from, p, began)
	}
}

// waitsByStamp has a vote of high priority wait whose rows are held by votes, or are waited for by
// one with a smaller stamp, and one of low priority give way; false: it may ask for its rows.
// Whoever holds rows and has not voted is no reason to wait: he may wait for others himself.
func (o *voter) waitsByStamp(from txn.NodeID, p *txn.Prepare, v *voteCmd, q *yield.Request, began arrival) bool {
	if !o.cfg.Row.Yield.Stamped {
		return false
	}
	i := began.stamped
	if i != nil && o.cfg.Row.Yield.Conditional {
		v.MadeWay = i.MadeWay
	}
	if o.goesBetween(from, p, q, i) {
		return true
	}
	behind, waits := o.behindWhom(q, i)
	switch {
	case !waits, o.rests(v, q, i):
		return false
	case i == nil || !i.High:
		o.refuse(from, p, txn.Refusal{Why: txn.WhyGivesWay, Who: behind})
		return true
	}
	o.cfg.Params.Rules.Bite(rulebook.HighWaits)
	o.counts.LockWaits++
	o.cfg.Env.Trace("shard %d: %v waits for %v, by its stamp", o.cfg.ID, p.Txn, behind)
	next := began.behind(behind)
	i.Ask = func() { o.askedAtInstant(from, p, next) }
	o.instants.Wait(i)
	o.forward(i, p.Declared)
	return true
}

// votersOf are those who have voted and hold some of a lock set.
func (k *locks) votersOf(i *yield.StampedVote) (out []txn.ID) {
	for _, h := range k.HeldBy(i.Txn, txn.Age{}, &i.LockSet) {
		if h.Voted {
			out = append(out, h.Txn)
		}
	}
	return out
}

// behindWhom is who has voted and holds some of a lock set, or waits for it and goes before.
func (o *voter) behindWhom(q *yield.Request, i *yield.StampedVote) (txn.ID, bool) {
	for _, h := range o.locks.HeldBy(q.Txn, q.Age, &q.LockSet) {
		if h.Voted {
			if i != nil && i.High {
				o.instants.MustFollow(i, h.Txn)
			}
			return h.Txn, true
		}
	}
	if w := o.instants.InTheWay(&q.LockSet, i); w != nil {
		o.cfg.Params.Rules.Bite(rulebook.WaiterFirst)
		return w.Txn, true
	}
	return txn.ID{}, false
}
