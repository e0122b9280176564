package source

import (
	"context"
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// Votes and ends.

// branchEnder has branches vote, and ends them as is decided.
type branchEnder struct{ *state }

// prepare is asked for a vote.
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
		e.voteNo(from, p.Attempt, "the source does not have the transaction's branch any more", nil, txn.CauseLeader)
	case b.phase == prepared:
		e.voteYes(from, b)
	case b.decided != nil || b.last != nil: // it votes when it has come so far, or is ended already
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

// isPrepared votes Yes for a branch, and answers who has asked.
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

// failed ends a branch whose prepare has failed.
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

// commit commits a branch that is its transaction's only one, without a prepare.
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

// decide takes in how an attempt ends.
func (e *branchEnder) decide(from txn.NodeID, m *txn.Decide) {
	b := e.branches[m.Attempt]
	if b == nil { // what is prepared there was found: it has ended, or its start may come yet
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

// isGone says that a branch that was not found is not prepared any more. An agent that has died
// may have had its source end it: while the source still writes that to its disk the branch is
// listed, although it is not found, and it is prepared again if the source dies before.
func isGone(ctx context.Context, db Driver, n Name) error {
	names, err := db.Prepared(ctx, n.Cluster)
	if err == nil && slices.ContainsFunc(names, func(o Name) bool { return o.Attempt == n.Attempt && o.Source == n.Source }) {
		err = &Error{Text: "another has it end there now", Again: true}
	}
	return err
}

// finish ends a prepared branch as it was decided.
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
			e.trace("source %d: %v cannot be ended now: %v", e.id, name, err)
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

// outcome is a decision's word for it.
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
	b.phase = preparing // nothing else is begun
	e.begin(b, func(ctx context.Context) any { return asError(handle.Rollback(ctx)) }, func(any) {
		e.trace("source %d: rolls back %v", e.id, b.name.Attempt)
		e.forget(b, txn.OutcomeAborted)
	})
}

// inquire is asked what becomes of an attempt. One that is not prepared never will be.
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

// validate is asked, when all of the transaction is prepared, whether what was read here stands.
// What it has said once it says again: what comes after the commit may change what was read. If it
// does not stand there is no commit, which needs this Yes: so the branch is rolled back at once.
func (e *branchEnder) validate(from txn.NodeID, b *branch) {
	b.lastContact = e.now()
	reads, rules := b.reads, e.at.Params.Rules
	switch {
	case b.busy || b.decided != nil && b.decided.Commit: // it is asked again, or was long ago
	case b.phase != prepared || b.decided != nil || reads == nil:
		e.voteNo(from, b.name.Attempt, endedByOthers, nil, txn.CauseOther)
	case b.checked:
		rules.Hit(coverage.SaidOnce)
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
			rules.HitIf(err.Again, coverage.ReadsStand)
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
