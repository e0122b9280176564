package shard

import (
	"slices"
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
	i := o.stampedVote(from, p, began)
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

// stampedVote is a Prepare as the queue knows it.
func (o *voter) stampedVote(from txn.NodeID, p *txn.Prepare, began arrival) *yield.StampedVote {
	d := p.Declared
	i := &yield.StampedVote{
		Attempt: p.Attempt, Txn: p.Txn, Stamp: d.Stamp, Ends: d.Ends, High: p.Age.Priority >= txn.PriorityHigh,
		Claim: yield.Claim{Shared: d.Reads}, Deadline: began.Mono + holdMost + o.cfg.Params.LockWait,
		Ask:    func() { o.askedAtInstant(from, p, began) },
		Refuse: func(why txn.Refusal) { o.refuse(from, p, why) },
	}
	i.Due = began.Mono
	for _, w := range p.Writes {
		i.Claim.Exclusive = append(i.Claim.Exclusive, w.Key)
	}
	return i
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
func (o *voter) waitsByStamp(from txn.NodeID, p *txn.Prepare, q *yield.Request, began arrival) bool {
	if !o.cfg.Row.Yield.Stamped {
		return false
	}
	var i *yield.StampedVote
	if o.stamped(p) {
		i = o.stampedVote(from, p, began)
	}
	behind, waits := o.behindWhom(q, i)
	switch {
	case !waits:
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
	return true
}

// holdsVoted reports whether somebody who has voted holds some of a claim.
func (k *locks) holdsVoted(i *yield.StampedVote) bool {
	return slices.ContainsFunc(k.HeldBy(i.Txn, txn.Age{}, &i.Claim), func(h *yield.Holder) bool { return h.Voted })
}

// behindWhom is who has voted and holds some of a claim, or waits for it and goes before.
func (o *voter) behindWhom(q *yield.Request, i *yield.StampedVote) (txn.ID, bool) {
	for _, h := range o.locks.HeldBy(q.Txn, q.Age, &q.Claim) {
		if h.Voted {
			if i != nil && i.High {
				o.instants.MustFollow(i, h.Txn)
			}
			return h.Txn, true
		}
	}
	if w := o.instants.InTheWay(&q.Claim, i); w != nil {
		o.cfg.Params.Rules.Bite(rulebook.WaiterFirst)
		return w.Txn, true
	}
	return txn.ID{}, false
}
