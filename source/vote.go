package source

import (
	"context"
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// Votes and ends.

// branchEnder prepares branches, votes for them, and ends them as decided.
type branchEnder struct{ *state }

// prepare handles a Prepare.
func (e *branchEnder) prepare(from txn.NodeID, p *txn.Prepare) {
	e.ended.retire(p.Attempt, p.Retired)
	b := e.branches[p.Attempt]
	switch {
	case p.Term != e.term:
		e.send(from, txn.Message{NotLeader: &txn.NotLeader{Shard: e.id, Leader: e.at.Self, Term: e.term, Attempt: p.Attempt}})
	case b != nil && p.Validate:
		e.validate(from, b)
	case b == nil && e.ended.how(p.Attempt) == txn.OutcomeCommitted:
		e.vote(from, p.Attempt, !p.OnePhase)
	case b == nil && p.OnePhase && e.ended.knows(p.Attempt) && e.ended.how(p.Attempt) == txn.OutcomeNone:
		e.voteUnknown(from, p.Attempt, brokeInCommit, nil)
	case b == nil:
		e.ended.note(p.Attempt, txn.OutcomeAborted)
		e.voteNo(from, p.Attempt, "the source has lost the transaction's branch; retry the transaction", nil, txn.CauseLeader)
	case b.phase == prepared:
		e.voteYes(from, b)
	case b.decided != nil || b.last != nil: // it votes once its steps are done, or is ended already
		b.lastContact = e.now()
	default:
		b.last, b.replies, b.lastContact = p, from, e.now()
		b.meets(p.Peers)
		e.proceed(b)
	}
}

// prepareThere has the source prepare a branch.
func (e *branchEnder) prepareThere(b *branch) {
	b.phase = preparing
	if b.began == 0 {
		b.began = e.now()
	}
	if e.at.Params.InjectedBugs.VoteBeforePrepare {
		e.vote(b.replies, b.name.Attempt, true)
	}
	handle := b.handle
	e.begin(b, func(ctx context.Context) any { return asError(handle.Prepare(ctx)) }, func(result any) {
		b.handle = nil
		b.reads, _ = handle.(*versioned)
		switch err := result.(*Error); {
		case err == nil:
			e.isPrepared(b)
		case err.Unknown:
			b.phase = prepareUnknown
			e.broke()
		default:
			e.failed(b, err)
		}
	})
}

// isPrepared votes Yes for a branch and replies to pending inquiries.
func (e *branchEnder) isPrepared(b *branch) {
	b.phase, b.since = prepared, e.now()
	if b.replies != 0 {
		e.voteYes(b.replies, b)
	}
	for _, n := range b.inquirer {
		e.found(n, b.name.Attempt, txn.OutcomeYes)
	}
	b.inquirer = nil
}

// failed aborts a branch whose prepare, or one-phase commit, has failed.
func (e *branchEnder) failed(b *branch, err *Error) {
	if err.Gone {
		e.broke()
	}
	switch r := b.held; {
	case r != nil:
		e.refuse(b.gateway, r.Request, txn.KindAborted, err.Text, err.fault(), err.cause())
	case b.replies != 0:
		e.voteNo(b.replies, b.name.Attempt, err.Text, err.fault(), err.cause())
	}
	e.warn(b)
	e.forget(b, txn.OutcomeAborted)
}

// commit commits the only branch of its transaction in one phase.
func (e *branchEnder) commit(b *branch) {
	b.phase = preparing
	handle := b.handle
	e.begin(b, func(ctx context.Context) any { return asError(handle.Commit(ctx)) }, func(result any) {
		b.handle = nil
		switch err := result.(*Error); {
		case err == nil:
			if r := b.held; r != nil {
				r.Batch.Committed = true
				e.send(b.gateway, txn.Message{AccessReply: r})
			} else {
				e.vote(b.replies, b.name.Attempt, false)
			}
			e.forget(b, txn.OutcomeCommitted)
		case err.Unknown:
			e.broke()
			if r := b.held; r != nil {
				e.refuse(b.gateway, r.Request, txn.KindUnknown, inCommit(err), err.fault(), txn.CauseUnavailable)
			} else {
				e.voteUnknown(b.replies, b.name.Attempt, inCommit(err), err.fault())
			}
			e.forget(b, txn.OutcomeNone)
		default:
			e.failed(b, err)
		}
	})
}

// decide processes an attempt's decision.
func (e *branchEnder) decide(from txn.NodeID, m *txn.Decide) {
	b := e.branches[m.Attempt]
	if b == nil { // no prepared branch, as recovery has listed all: it ended, or its first statement may still come
		if !e.ended.knows(m.Attempt) {
			e.ended.note(m.Attempt, outcome(m.Commit))
		}
		e.send(from, txn.Message{DecideAck: &txn.DecideAck{Shard: e.id, Attempt: m.Attempt}})
		return
	}
	if !slices.Contains(b.waits, from) {
		b.waits = append(b.waits, from)
	}
	if b.decided == nil {
		b.decided = m
		if !m.Commit && (b.phase == working || b.whole) {
			b.cancel.pull()
		}
	}
	e.proceed(b)
}

// isGone returns nil if a branch that Finish did not find is no longer prepared. After an agent's crash
// the source may still be executing the end that agent requested. Until the end is on the source's disk
// the branch is listed but not found, and if the source crashes before that, it is prepared again.
func isGone(ctx context.Context, db Driver, n Name) error {
	names, err := db.Prepared(ctx, n.Cluster)
	if err == nil && slices.ContainsFunc(names, func(o Name) bool { return o.Attempt == n.Attempt && o.Source == n.Source }) {
		err = &Error{Text: "the source is already ending the branch", Again: true}
	}
	return err
}

// finish ends a prepared branch as decided.
func (e *branchEnder) finish(b *branch) {
	if e.now() < b.retryAt {
		return
	}
	commit, db, name := b.decided.Commit, e.db, b.name
	trusts := e.at.Params.InjectedBugs.TrustNotFound
	e.begin(b, func(ctx context.Context) any {
		found, err := db.Finish(ctx, name, commit)
		if err == nil && !found && !trusts {
			err = isGone(ctx, db, name)
		}
		return asError(err)
	}, func(result any) {
		if err := result.(*Error); err != nil {
			e.trace("source %d: ending %v failed: %v", e.id, name, err)
			b.retryAt = e.now() + e.at.Params.ResendAfter
			if err.Gone {
				e.broke()
			}
			return
		}
		e.trace("source %d: %s %v", e.id, map[bool]string{true: "commits", false: "rolls back"}[commit], b.name.Attempt)
		e.forget(b, outcome(commit))
	})
}

// outcome returns the outcome of a decision.
func outcome(commit bool) txn.Outcome {
	if commit {
		return txn.OutcomeCommitted
	}
	return txn.OutcomeAborted
}

// rollBack ends a branch that is not prepared.
func (e *branchEnder) rollBack(b *branch) {
	b.last = nil
	if m := b.todo; m != nil {
		b.todo = nil
		e.refuse(b.gateway, m.Request, txn.KindAborted, endedByOthers, nil, txn.CauseOther)
	}
	handle := b.handle
	if b.handle = nil; handle == nil {
		e.forget(b, txn.OutcomeAborted)
		return
	}
	b.phase = preparing // no other step begins
	e.begin(b, func(ctx context.Context) any { return asError(handle.Rollback(ctx)) }, func(any) {
		e.trace("source %d: rolls back %v", e.id, b.name.Attempt)
		e.forget(b, txn.OutcomeAborted)
	})
}

// inquire handles an Inquire. A branch that is not prepared is aborted and never will be.
func (e *branchEnder) inquire(from txn.NodeID, m *txn.Inquire) {
	b := e.branches[m.Attempt]
	switch {
	case b == nil && e.ended.knows(m.Attempt):
		e.found(from, m.Attempt, e.ended.how(m.Attempt))
	case b == nil:
		e.ended.note(m.Attempt, txn.OutcomeAborted)
		e.send(from, txn.Message{InquireReply: &txn.InquireReply{Shard: e.id, Attempt: m.Attempt, Result: txn.OutcomeNo, Forgot: true}})
	case b.phase == prepared && (b.decided == nil || b.busy):
		e.found(from, m.Attempt, txn.OutcomeYes)
	default:
		if !slices.Contains(b.inquirer, from) {
			b.inquirer = append(b.inquirer, from)
		}
		if b.phase == working {
			e.abandoned(b)
		}
	}
}

// validate handles the second Prepare, sent once all of the transaction is prepared: are the branch's
// reads still valid? The answer is kept and repeated, because after the commit others may change those
// rows. After a No no commit is possible, so the branch is rolled back immediately.
func (e *branchEnder) validate(from txn.NodeID, b *branch) {
	b.lastContact = e.now()
	reads, rules := b.reads, e.at.Params.Rules
	switch {
	case b.busy || b.decided != nil && b.decided.Commit: // the request is repeated, or was answered long ago
	case b.phase != prepared || b.decided != nil || reads == nil:
		e.voteNo(from, b.name.Attempt, endedByOthers, nil, txn.CauseOther)
	case b.checked:
		rules.Hit(coverage.ReadsConfirmedOnce)
		e.voteYes(from, b)
	case !reads.unchecked() || e.at.Params.InjectedBugs.UncheckedReads:
		b.checked = true
		e.voteYes(from, b)
	default:
		e.begin(b, func(ctx context.Context) any { return asError(reads.validate(ctx)) }, func(result any) {
			err := result.(*Error)
			if b.checked = err == nil; b.checked {
				e.voteYes(from, b)
				return
			}
			rules.HitIf(err.Again, coverage.ReadsRevalidated)
			if err.Gone {
				e.broke()
			}
			e.voteNo(from, b.name.Attempt, err.Text, err.fault(), err.cause())
			e.warn(b)
			if b.decided == nil {
				b.decided = &txn.Decide{Shard: e.id, Attempt: b.name.Attempt, Txn: b.txn}
			}
		})
	}
}
