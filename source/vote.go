package source

import (
	"context"
	"slices"

	"isochron/txn"
)

// Votes and ends.

// prepare is asked for a vote.
func (g *Agent) prepare(from txn.NodeID, p *txn.Prepare) {
	g.ended.retire(p.Attempt, p.Retired)
	b := g.branches[p.Attempt]
	switch {
	case p.Term != g.term:
		g.tell(from, txn.Message{NotLeader: &txn.NotLeader{Shard: g.id, Leader: g.at.Self, Term: g.term, Attempt: p.Attempt}})
	case b == nil && g.ended.how(p.Attempt) == txn.OutcomeCommitted:
		g.vote(from, p.Attempt, !p.OnePhase)
	case b == nil && p.OnePhase && g.ended.knows(p.Attempt) && g.ended.how(p.Attempt) == txn.OutcomeNone:
		g.voteUnknown(from, p.Attempt, nil)
	case b == nil:
		g.ended.note(p.Attempt, txn.OutcomeAborted)
		g.voteNo(from, p.Attempt, "the source does not have the transaction's branch any more", nil, txn.CauseLeader)
	case b.phase == prepared:
		g.vote(from, p.Attempt, true)
	case b.decided != nil || b.last != nil: // it votes when it has come so far, or is ended already
		b.heardAt = g.now()
	default:
		b.last, b.voter, b.heardAt = p, from, g.now()
		b.meets(p.Peers)
		g.goOn(b)
	}
}

// prepareThere has the source prepare a branch.
func (g *Agent) prepareThere(b *branch) {
	b.phase = preparing
	if g.at.Params.Bugs.VoteBeforePrepare {
		g.vote(b.voter, b.name.Attempt, true)
	}
	handle := b.handle
	g.begin(b, func(ctx context.Context) any { return asError(handle.Prepare(ctx)) }, func(result any) {
		b.handle = nil
		switch err := result.(*Error); {
		case err == nil:
			g.isPrepared(b)
		case err.Unknown:
			b.phase = unsure
			g.broke()
		default:
			g.failed(b, err)
		}
	})
}

// isPrepared votes Yes for a branch, and answers who has asked.
func (g *Agent) isPrepared(b *branch) {
	b.phase, b.since = prepared, g.now()
	if b.voter != 0 {
		g.vote(b.voter, b.name.Attempt, true)
	}
	for _, n := range b.inquirer {
		g.found(n, b.name.Attempt, txn.OutcomeYes)
	}
	b.inquirer = nil
}

// failed ends a branch whose prepare has failed.
func (g *Agent) failed(b *branch, err *Error) {
	if err.Gone {
		g.broke()
	}
	if b.voter != 0 {
		g.voteNo(b.voter, b.name.Attempt, err.Text, err.fault(), err.cause())
	}
	g.warn(b)
	g.forget(b, txn.OutcomeAborted)
}

// commit commits a branch that is its transaction's only one, without a prepare.
func (g *Agent) commit(b *branch) {
	b.phase = preparing
	handle := b.handle
	g.begin(b, func(ctx context.Context) any { return asError(handle.Commit(ctx)) }, func(result any) {
		b.handle = nil
		switch err := result.(*Error); {
		case err == nil:
			g.vote(b.voter, b.name.Attempt, false)
			g.forget(b, txn.OutcomeCommitted)
		case err.Unknown:
			g.broke()
			g.voteUnknown(b.voter, b.name.Attempt, err.fault())
			g.forget(b, txn.OutcomeNone)
		default:
			g.failed(b, err)
		}
	})
}

// decide takes in how an attempt ends.
func (g *Agent) decide(from txn.NodeID, m *txn.Decide) {
	b := g.branches[m.Attempt]
	if b == nil { // what is prepared there was found: it has ended, or its start may come yet
		if !g.ended.knows(m.Attempt) {
			g.ended.note(m.Attempt, outcome(m.Commit))
		}
		g.tell(from, txn.Message{DecideAck: &txn.DecideAck{Shard: g.id, Attempt: m.Attempt}})
		return
	}
	if !slices.Contains(b.waits, from) {
		b.waits = append(b.waits, from)
	}
	if b.decided == nil {
		b.decided = m
		if !m.Commit && b.phase == working {
			b.leash.pull()
		}
	}
	g.goOn(b)
}

// finished is what came of an end.
type finished struct {
	found bool
	err   *Error
}

// finish ends a prepared branch as it was decided.
func (g *Agent) finish(b *branch) {
	if g.now() < b.retryAt {
		return
	}
	commit, db, name := b.decided.Commit, g.db, b.name
	g.begin(b, func(ctx context.Context) any {
		found, err := db.Finish(ctx, name, commit)
		return finished{found, asError(err)}
	}, func(result any) {
		x := result.(finished)
		if x.err != nil {
			g.trace("source %d: %v cannot be ended now: %v", g.id, name, x.err)
			b.retryAt = g.now() + g.at.Params.ResendAfter
			if x.err.Gone {
				g.broke()
			}
			return
		}
		g.trace("source %d: %s %v", g.id, map[bool]string{true: "commits", false: "rolls back"}[commit], b.name.Attempt)
		g.forget(b, outcome(commit))
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
func (g *Agent) rollBack(b *branch) {
	b.last = nil
	if m := b.todo; m != nil {
		b.todo = nil
		g.refuse(b.gateway, m, txn.KindAborted, endedByOthers, nil, txn.CauseOther)
	}
	handle := b.handle
	if b.handle = nil; handle == nil {
		g.forget(b, txn.OutcomeAborted)
		return
	}
	b.phase = preparing // nothing else is begun
	g.begin(b, func(ctx context.Context) any { return asError(handle.Rollback(ctx)) }, func(any) {
		g.trace("source %d: rolls back %v", g.id, b.name.Attempt)
		g.forget(b, txn.OutcomeAborted)
	})
}

// inquire is asked what becomes of an attempt. One that is not prepared never will be.
func (g *Agent) inquire(from txn.NodeID, m *txn.Inquire) {
	b := g.branches[m.Attempt]
	switch {
	case b == nil && g.ended.knows(m.Attempt):
		g.found(from, m.Attempt, g.ended.how(m.Attempt))
	case b == nil:
		g.ended.note(m.Attempt, txn.OutcomeAborted)
		g.tell(from, txn.Message{Finding: &txn.Finding{Shard: g.id, Attempt: m.Attempt, Result: txn.OutcomeNo, Forgot: true}})
	case b.phase == prepared && (b.decided == nil || b.busy):
		g.found(from, m.Attempt, txn.OutcomeYes)
	default:
		if !slices.Contains(b.inquirer, from) {
			b.inquirer = append(b.inquirer, from)
		}
		if b.phase == working {
			g.abandoned(b)
		}
	}
}

// abandoned rolls back a branch that nobody will ask to prepare; a prepared one stays.
func (g *Agent) abandoned(b *branch) {
	if b.phase != working || b.decided != nil {
		return
	}
	b.decided = &txn.Decide{Shard: g.id, Attempt: b.name.Attempt, Txn: b.txn}
	b.leash.pull()
	g.goOn(b)
}
