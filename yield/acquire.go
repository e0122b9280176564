package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// LockRequest is one request to the lock table: the lock set a transaction needs at this shard, and
// how the request waits.
type LockRequest struct {
	Phase Phase
	Txn   txn.ID
	Age   txn.Age
	LockSet
	// NoWait: in execution the request is refused where it would wait or wound.
	NoWait bool
	// RejectWith, if set, is the reason to refuse the request when nothing conflicts with it.
	RejectWith txn.AbortReason
	// DryRun: report the result and change nothing.
	DryRun bool
	// ReadsPass, of a vote: its reads are checked for conflicts and not locked. The log orders the
	// vote before any later writer of those rows.
	ReadsPass bool
	// Writes, of a vote, are published under Attempt before the rest is locked: those of rows that
	// the transaction already holds and for which others wait (chain.go).
	Writes  []txn.Write
	Attempt txn.Attempt
	// AssumedAborted are voted transactions whose abort the vote assumes. They do not conflict with
	// it, and it takes over the locks it needs from them.
	AssumedAborted []txn.ID

	// Since is when the request arrived, Deadline when its wait ends, Number its number at this
	// leader, the same when it is retried. Request is its number at its gateway, which resends it
	// while it has no reply. WaitsOnlyHere: the transaction waits at no other shard.
	Since         time.Duration
	Deadline      time.Duration
	Number        uint64
	Request       uint64
	WaitsOnlyHere bool
}

// LockResult is the result of a request: refused; or waiting; or Again, after other transactions
// were aborted for it; or granted. TableEvents has already received what happened to other
// transactions, in order: no waiter is granted anything before all victims have ended.
type LockResult struct {
	// Again: other transactions were aborted and nothing was granted. The caller retries, and reads
	// the rows as they are by then. That terminates: each pass removes its victims.
	Again bool
	// Refused is the reason if the request neither holds nor waits.
	Refused txn.Refusal
	// Waits is the request's entry among the waiters. The caller sets its Retry and Refuse.
	Waits *Waiter
	// BlockedBy is the transaction for which it waits, or because of which it is refused.
	BlockedBy txn.ID
	// Pass lists rows of the lock set to publish as soon as they are written.
	Pass []txn.Key
}

// Granted reports whether nothing conflicts and the lock set is held.
func (e *LockResult) Granted() bool {
	return !e.Again && !e.Refused.Refused() && e.Waits == nil
}

// Acquire requests a lock set. It is granted as a whole or not at all; under IncrementalLocking a
// waiting request holds the free rows meanwhile (incremental_locking.go).
func (t *Table) Acquire(now time.Duration, r *LockRequest) (e LockResult) {
	if r.Phase == ChainOrder {
		return t.waitInChain(now, r)
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

// meets is the result of a request with conflicting holders, oldest first; met is false if the
// rules grant it nevertheless.
func (t *Table) meets(now time.Duration, r *LockRequest, conflicts []*Holder) (e LockResult, met bool) {
	v := t.rules.judge(r.Phase, r.Txn, r.Age, &r.LockSet, conflicts)
	if v.granted() {
		return e, false
	}
	return t.stops(now, r, v), true
}

// stops is the result of a request that the rules do not grant.
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

// waitBehind makes a request wait for a holder, if there is room.
func (t *Table) waitBehind(now time.Duration, on *Holder, r *LockRequest) LockResult {
	e := LockResult{BlockedBy: on.Txn, Waits: t.queue(now, on, r)}
	if e.Waits == nil { // too many wait
		e.Refused = TimedOut.refusal(r.Phase, e.BlockedBy)
	} else if t.rules.policy.IncrementalLocking && r.Phase == Execute {
		if free := t.rules.free(r); len(free.Shared)+len(free.Exclusive)+len(free.Spans) > 0 {
			t.locks.give(now, r.Txn, r.Age, &free)
		}
	}
	return e
}

// grantTo gives a request its locks, and lists the rows to publish once written.
func (t *Table) grantTo(now time.Duration, r *LockRequest) (pass []txn.Key) {
	if t.rules.policy.Hot.Publishes() && len(r.Writes) > 0 {
		t.publishWrites(now, r.Txn, r.Attempt, r.Writes)
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
		return nil // nothing is published
	}
	for _, k := range r.Exclusive {
		if t.chains.wanted(k, r.Txn) {
			pass = append(pass, k)
		}
	}
	return pass
}

// queue enters a request behind a holder; nil if too many wait already. In execution a request for
// one row alone waits in that row's queue.
func (t *Table) queue(now time.Duration, on *Holder, r *LockRequest) *Waiter {
	w := &Waiter{Txn: r.Txn, Age: r.Age, Deadline: r.Deadline, Since: r.Since, Number: r.Number, Request: r.Request,
		Exclusive: len(r.Exclusive) > 0, HoldsNothing: r.HoldsNothing, WaitsOnlyHere: r.WaitsOnlyHere || r.HoldsNothing, CommittedOnly: r.CommittedOnly, phase: r.Phase, blockedBy: on.Txn}
	w.Near = t.rows.near(on, r.Exclusive, r.Shared)
	if r.Phase == Execute && len(r.Spans) == 0 && len(r.Shared)+len(r.Exclusive) == 1 {
		w.Key = w.Near
	}
	if w.Near == "" {
		w.Near = t.rows.nearSpan(on, r.Exclusive, r.Spans)
	}
	if !t.waits.enter(now, on, w) {
		return nil
	}
	return w
}

// Restore gives a vote of the log its locks back, at a new leader. early, if votes may release
// their locks before the decision, is called with each conflicting holder and releases it: that the
// log contains both votes proves that the earlier one had released its locks.
func (t *Table) Restore(now time.Duration, id txn.ID, age txn.Age, c LockSet, early func(txn.ID)) {
	if early != nil {
		for _, h := range t.rules.conflicts(Prepare, id, age, &c) {
			early(h.Txn)
		}
	}
	t.locks.give(now, id, age, &c).Voted = true
}

// lossReason is the reason of a request that loses to a holder. In execution that means that its
// wait would have closed a cycle, except under policies without wounds, which allow no cycles.
func (p Policy) lossReason(phase Phase) txn.AbortReason {
	if p.OnConflict != ConflictWoundWait {
		return txn.ReasonLockConflict
	}
	return waitResults[phase].gives
}

// waitResults are, by phase, the reasons of a request that loses to a holder (gives), whose wait
// times out, and whose transaction is aborted while it waits.
var waitResults = [...]struct{ gives, timedOut, aborted txn.AbortReason }{
	UnlockedRead: {txn.ReasonLockConflict, txn.ReasonLockTimeout, txn.ReasonWounded},
	ReadOnly:     {txn.ReasonLockConflict, txn.ReasonWriterTimeout, txn.ReasonWriterTimeout},
	Execute:      {txn.ReasonDeadlock, txn.ReasonLockTimeout, txn.ReasonWounded},
	Prepare:      {txn.ReasonLockConflict, txn.ReasonPrepareTimeout, txn.ReasonPrepareTimeout},
	Reserving:    {txn.ReasonLockConflict, txn.ReasonLockTimeout, txn.ReasonWounded},
	ChainOrder:   {txn.ReasonChainDeadlock, txn.ReasonChainTimeout, txn.ReasonChainAborted},
}

// refusal is the refusal of a request whose wait for a transaction has ended with e.
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
