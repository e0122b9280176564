package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// LockRequest is one question to the table: what a transaction wants to hold here, and how it
// waits if it must.
type LockRequest struct {
	Phase Phase
	Txn   txn.ID
	Age   txn.Age
	LockSet
	// NoWait: in execution, it is refused where it would wait or have others give way.
	NoWait bool
	// RejectWith, if set, is why it is refused when nothing else is in its way.
	RejectWith txn.AbortReason
	// DryRun: the answer is what would come of it, and nothing changes.
	DryRun bool
	// ReadsPass, of a vote: what it reads is looked at and not held. Its log orders it before
	// whoever writes that later.
	ReadsPass bool
	// Writes, of a vote, are passed on as the attempt, before the rest is locked: those of
	// rows that the transaction has already and for which others wait (chain.go).
	Writes  []txn.Write
	Attempt txn.Attempt
	// AssumedAborted are those who have voted on whose abort a vote rests: they are not in its way, and it
	// takes over what it wants of theirs.
	AssumedAborted []txn.ID

	// Since is when the request came, Deadline until when it waits, and Number what it has at this
	// leader, the same when it asks again. Request is its number at its gateway, if that sends it
	// again while nobody answers. Alone: its transaction waits nowhere else.
	Since         time.Duration
	Deadline      time.Duration
	Number        uint64
	Request       uint64
	WaitsOnlyHere bool
}

// LockResult are what came of a request: it is refused, or it waits, or others had to give way and
// it asks again, or nothing is in its way and it holds what it has claimed. What becomes of others
// meanwhile the World has heard, in order: whoever is let in is so when all of them have given way.
type LockResult struct {
	// Again: others had to give way, and nothing was granted. The request asks anew, for what there
	// is to be read by now. That ends: each turn removes its victims.
	Again bool
	// Refused is why it gets nothing and does not wait.
	Refused txn.Refusal
	// Waits is its place among those who wait: the caller says there how it asks again and what
	// becomes of it if the wait ends without its lock.
	Waits *Waiter
	// BlockedBy is for whom it waits, or to whom it gives way.
	BlockedBy txn.ID
	// Pass are rows of the lock set to be passed on as soon as they are written.
	Pass []txn.Key
}

// Granted reports whether nothing is in the way, and the lock set is held.
func (e *LockResult) Granted() bool {
	return !e.Again && !e.Refused.Refused() && e.Waits == nil
}

// Acquire asks for a lock set: it is granted as a whole or not at all, but that who waits may hold
// what is free of it meanwhile (rowbyrow.go).
func (t *Table) Acquire(now time.Duration, r *LockRequest) (e LockResult) {
	if r.Phase == ChainOrder {
		return t.inTurn(now, r)
	}
	if no, owner := t.reserved.stop(r); owner != nil {
		return t.waitBehind(now, owner, r)
	} else if no.Refused() {
		return LockResult{Refused: no, BlockedBy: no.ConflictingTxn}
	}
	conflicts := t.rules.conflicts(r.Phase, r.Txn, r.Age, &r.LockSet)
	if len(r.AssumedAborted) > 0 {
		conflicts = slices.DeleteFunc(conflicts, func(h *Holder) bool { return slices.Contains(r.AssumedAborted, h.Txn) })
	}
	if len(conflicts) > 0 {
		if e, met := t.meets(now, r, conflicts); met {
			return e
		}
	}
	switch {
	case r.DryRun:
	case r.RejectWith != txn.NotRefused:
		e.Refused = r.RejectWith.Refusal()
	case r.Phase.holds():
		r.LockSet = t.TakeOver(now, r.Txn, r.AssumedAborted, r.LockSet)
		e.Pass = t.grantTo(now, r)
	case r.Phase == Reserving:
		t.reserved.Reserve(now, r.Txn, r.Age, r.Shared, r.Spans)
	}
	return e
}

// meets is what comes of a request that meets others, oldest first; met is false if none of them
// is in its way.
func (t *Table) meets(now time.Duration, r *LockRequest, conflicts []*Holder) (e LockResult, met bool) {
	v := t.rules.judge(r.Phase, r.Txn, r.Age, &r.LockSet, conflicts)
	if v.granted() {
		return e, false
	}
	return t.stops(now, r, v), true
}

// stops is what comes of a request that the rules do not grant.
func (t *Table) stops(now time.Duration, r *LockRequest, v verdict) LockResult {
	switch {
	case r.DryRun:
		return LockResult{Refused: TimedOut.refusal(r.Phase, txn.ID{})}
	case r.NoWait && r.Phase == Execute:
		return LockResult{Refused: txn.ReasonNoWait.Refusal()}
	case len(v.victims) > 0:
		t.abortAll(now, v.victims, r.Txn)
		return LockResult{Again: true}
	case v.die != nil:
		return LockResult{Refused: txn.Refusal{Reason: t.rules.policy.lossReason(r.Phase), ConflictingTxn: v.die.Txn}, BlockedBy: v.die.Txn}
	}
	return t.waitBehind(now, v.wait, r)
}

// waitBehind has a request wait for a holder, if it may.
func (t *Table) waitBehind(now time.Duration, on *Holder, r *LockRequest) LockResult {
	e := LockResult{BlockedBy: on.Txn, Waits: t.queue(now, on, r)}
	if e.Waits == nil { // too many wait
		e.Refused = TimedOut.refusal(r.Phase, e.BlockedBy)
	} else if t.rules.policy.IncrementalLocking && r.Phase == Execute {
		if free := t.rules.free(r); len(free.Shared)+len(free.Exclusive) > 0 {
			t.locks.give(now, r.Txn, r.Age, &free)
		}
	}
	return e
}

// grantTo gives a request what it has claimed, and names the rows to be passed on once written.
func (t *Table) grantTo(now time.Duration, r *LockRequest) (pass []txn.Key) {
	if t.rules.policy.Hot.Publishes() && len(r.Writes) > 0 {
		t.passOn(now, r.Txn, r.Attempt, r.Writes)
	}
	lockSet := r.LockSet
	if r.ReadsPass {
		lockSet.Shared, lockSet.Spans = nil, nil
	}
	h := t.locks.give(now, r.Txn, r.Age, &lockSet)
	if r.Phase == Prepare {
		h.Voted = true
		return nil
	}
	if t.rules.policy.Hot != Retire && len(t.hot.byKey) == 0 {
		return nil // nothing is passed on
	}
	for _, k := range r.Exclusive {
		if t.chains.wanted(k, r.Txn) {
			pass = append(pass, k)
		}
	}
	return pass
}

// queue has a request wait behind a holder, nil if too many wait already. In execution whoever
// wants one row alone waits in its queue.
func (t *Table) queue(now time.Duration, on *Holder, r *LockRequest) *Waiter {
	w := &Waiter{Txn: r.Txn, Age: r.Age, Deadline: r.Deadline, Since: r.Since, Number: r.Number, Request: r.Request,
		Exclusive: len(r.Exclusive) > 0, HoldsNothing: r.HoldsNothing, WaitsOnlyHere: r.WaitsOnlyHere || r.HoldsNothing, CommittedOnly: r.CommittedOnly, phase: r.Phase, blockedBy: on.Txn}
	w.Near = t.rows.near(on, r.Exclusive, r.Shared)
	if r.Phase == Execute && len(r.Spans) == 0 && len(r.Shared)+len(r.Exclusive) == 1 {
		w.Key = w.Near
	}
	if !t.waits.enter(now, on, w) {
		return nil
	}
	return w
}

// Restore gives a vote of the log the locks back that it has had, of a new leader. early,
// if votes may let go of theirs before they are decided, is called with each holder in the way and
// releases it: that the log has both votes proves that the earlier had let go.
func (t *Table) Restore(now time.Duration, id txn.ID, age txn.Age, c LockSet, early func(txn.ID)) {
	if early != nil {
		for _, h := range t.rules.conflicts(Prepare, id, age, &c) {
			early(h.Txn)
		}
	}
	t.locks.give(now, id, age, &c).Voted = true
}

// lossReason is why a request is refused that gives way: in execution it closed a cycle of waits,
// unless nobody waits in cycles by the rule of who meets whom.
func (p Policy) lossReason(phase Phase) txn.AbortReason {
	if p.OnConflict != ConflictWoundWait {
		return txn.ReasonLockConflict
	}
	return waitResults[phase].gives
}

// waitResults are why a request is refused that gives way, and one whose wait ends without its lock.
var waitResults = [...]struct{ gives, timedOut, aborted txn.AbortReason }{
	UnlockedRead: {txn.ReasonLockConflict, txn.ReasonLockTimeout, txn.ReasonWounded},
	ReadOnly:     {txn.ReasonLockConflict, txn.ReasonWriterTimeout, txn.ReasonWriterTimeout},
	Execute:      {txn.ReasonDeadlock, txn.ReasonLockTimeout, txn.ReasonWounded},
	Prepare:      {txn.ReasonLockConflict, txn.ReasonPrepareTimeout, txn.ReasonPrepareTimeout},
	Reserving:    {txn.ReasonLockConflict, txn.ReasonLockTimeout, txn.ReasonWounded},
	ChainOrder:   {txn.ReasonChainDeadlock, txn.ReasonChainTimeout, txn.ReasonChainAborted},
}

// refusal is why a request is refused whose wait for somebody has ended like this.
func (e WaitResult) refusal(p Phase, behind txn.ID) txn.Refusal {
	no := txn.Refusal{Reason: waitResults[p].timedOut, ConflictingTxn: behind}
	switch e {
	case Cancelled:
		no.Reason = waitResults[p].aborted
	case Deadlocked:
		no.Reason = txn.ReasonDistributedDeadlock
	}
	return no
}
