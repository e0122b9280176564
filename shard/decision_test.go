package shard

import (
	"testing"
	"time"

	"isochron/txn"
)

// A deposed leader does not know of a vote that its successor has logged. If it acknowledged that
// the attempt is over, the coordinator would drop the attempt, and the vote would hold its locks
// permanently.
func TestADeposedLeaderDoesNotReportThatNothingIsUndecided(t *testing.T) {
	abort := &txn.Decide{Attempt: txn.Attempt{Node: 2, Seq: 7}, Txn: txn.ID{Node: 2, Seq: 7}}
	w, l := newTrio(t)
	w.now += time.Minute // its lease has expired, and it does not know whether it leads
	before := l.proposed()
	l.decisions.decide(2, abort)
	if w.acks() != 0 || l.proposed() != before+1 {
		t.Errorf("without a lease it acknowledges the end of an attempt that it does not know, or does not ask: %d commands", l.proposed()-before)
	}
	w.drain()
	if n := w.acks(); n != 1 {
		t.Errorf("once a majority has confirmed it, it acknowledged %d times", n)
	}
	w, l = newTrio(t)
	before = l.proposed()
	l.decisions.decide(2, abort)
	if n := w.acks(); n != 1 || l.proposed() != before {
		t.Errorf("with its lease it acknowledged %d times, and proposed %d commands", n, l.proposed()-before)
	}
}

// A vote in the log is ended by its decision, whatever was answered about the attempt.
func TestAVoteIsEndedThoughItsAttemptIsRetired(t *testing.T) {
	a := txn.Attempt{Node: 2, Seq: 7}
	w, l := newTrio(t)
	l.r.state.prepared[a] = &prepared{voteCmd: voteCmd{Attempt: a, Txn: txn.ID{Node: 2, Seq: 7}}}
	l.known.retired[a.Incarnation()] = 100
	before := l.proposed()
	l.decisions.decide(2, &txn.Decide{Attempt: a})
	if n := l.proposed() - before; n != 1 || w.acks() != 0 {
		t.Errorf("%d decisions are proposed, %d acknowledged", n, w.acks())
	}
}

// A decision releases the locks immediately, is logged once however many senders it has, and is
// acknowledged to each of them when it is logged.
func TestADecisionIsAcknowledgedWhenItIsLogged(t *testing.T) {
	for _, commit := range []bool{true, false} {
		c := newHarness(t, "d2pc+occ")
		p := asksFor(1, "old")
		c.prepares(p)
		v := c.paper.commands[0].Vote
		c.prepareHandler.known.state.prepared[p.Attempt] = &prepared{voteCmd: *v}
		c.decisionHandler.applied(effect{attempt: p.Attempt, voted: v})
		d := &txn.Decide{Attempt: p.Attempt, Txn: p.Txn, Commit: commit, At: 70}
		for _, from := range []txn.NodeID{2, 3, 2} {
			c.decisionHandler.decide(from, d)
		}
		if len(c.paper.commands) != 2 || c.paper.commands[1].Decide == nil || c.prepareHandler.locks.Holder(p.Txn) != nil || len(c.world.all) != 1 {
			t.Fatalf("%+v is logged, %+v said", c.paper.commands, c.world.all)
		}
		if row := c.prepareHandler.rows.row("old"); (string(row.Value) == "w") != commit {
			t.Errorf("commit %v: it shows %q", commit, row.Value)
		}
		delete(c.prepareHandler.known.state.prepared, p.Attempt)
		c.decisionHandler.applied(effect{attempt: p.Attempt, ended: &prepared{voteCmd: *v}, commit: commit})
		if len(c.world.all) != 3 || c.world.all[1].DecideAck == nil || c.world.all[2].DecideAck == nil || !c.decisionHandler.orphans.Due(0, p.Attempt, 0, true) {
			t.Errorf("then it replies %+v", c.world.all[1:])
		}
	}
}

// An inquiry about an unknown attempt fences the attempt first: no vote of it can follow. An
// inquiry while the vote is being logged receives that vote.
func TestAnAttemptIsFencedOffBeforeItIsDenied(t *testing.T) {
	c := newHarness(t, "d2pc+occ")
	p := asksFor(1, "old")
	for _, from := range []txn.NodeID{2, 3} {
		c.decisionHandler.inquire(from, &txn.Inquire{Attempt: p.Attempt, Txn: p.Txn})
	}
	if len(c.paper.commands) != 1 || c.paper.commands[0].Fence == nil || len(c.world.all) != 0 || !c.prepareHandler.known.over(p.Attempt) {
		t.Fatalf("%+v is logged, %+v said", c.paper.commands, c.world.all)
	}
	c.prepareHandler.known.state.outcomes.Set(p.Attempt, outcome{Result: txn.OutcomeNo})
	c.decisionHandler.applied(effect{attempt: p.Attempt, fenced: true})
	if len(c.world.all) != 2 || c.world.all[0].InquireReply == nil || c.world.all[1].InquireReply.Result != txn.OutcomeNo {
		t.Fatalf("it replies %+v", c.world.all)
	}
	q := asksFor(2, "new")
	c.prepares(q)
	c.decisionHandler.inquire(3, &txn.Inquire{Attempt: q.Attempt, Txn: q.Txn})
	v := c.paper.commands[1].Vote
	c.prepareHandler.known.state.prepared[q.Attempt] = &prepared{voteCmd: *v}
	c.decisionHandler.applied(effect{attempt: q.Attempt, voted: v})
	if len(c.paper.commands) != 2 || len(c.world.all) != 4 || c.world.all[3].InquireReply == nil || c.world.all[3].InquireReply.Result != txn.OutcomeYes {
		t.Errorf("it replies %+v", c.world.all[2:])
	}
}

// A pre-commit releases the locks of a vote and reveals its writes, unless the transaction has read
// a write that was aborted.
func TestAPreCommitRevealsWritesThatAreNotDoomed(t *testing.T) {
	for _, doomed := range []bool{false, true} {
		c := newHarness(t, "d2pc+occ")
		p := asksFor(1, "old")
		c.prepares(p)
		if doomed {
			c.prepareHandler.known.early.Condition(p.Attempt, nil, true, nil)
		}
		c.decisionHandler.preCommit(p.Attempt, 60)
		c.decisionHandler.preCommit(txn.Attempt{Seq: 99}, 60)
		shown, held := string(c.prepareHandler.rows.row("old").Value) == "w", c.prepareHandler.locks.Holder(p.Txn) != nil
		if shown == doomed || held != doomed {
			t.Errorf("doomed %v: shown %v, its locks held %v", doomed, shown, held)
		}
	}
}

// Where a commit keeps its locks until it is logged, an abort releases them immediately, except
// with AbortsLikeCommits.
func TestAnAbortReleasesItsLocksImmediately(t *testing.T) {
	for _, c := range []struct {
		spec         string
		commit, like bool
		held         bool
	}{
		{"carousel-basic", true, false, true}, {"carousel-basic", false, false, false}, {"carousel-basic", false, true, true},
		{"d2pc+occ", false, true, false}, {"d2pc+occ", true, true, false},
	} {
		court := newHarness(t, c.spec)
		court.decisionHandler.cfg.Params.AbortsLikeCommits = c.like
		p := asksFor(1, "old")
		court.prepares(p)
		v := court.paper.commands[0].Vote
		court.prepareHandler.known.state.prepared[p.Attempt] = &prepared{voteCmd: *v}
		court.decisionHandler.applied(effect{attempt: p.Attempt, voted: v})
		court.decisionHandler.decide(2, &txn.Decide{Attempt: p.Attempt, Txn: p.Txn, Commit: c.commit, At: 70})
		if held := court.prepareHandler.locks.Holder(p.Txn) != nil; held != c.held {
			t.Errorf("%+v: its locks are held: %v", c, held)
		}
		delete(court.prepareHandler.known.state.prepared, p.Attempt)
		court.decisionHandler.applied(effect{attempt: p.Attempt, ended: &prepared{voteCmd: *v}, commit: c.commit})
		if court.prepareHandler.locks.Holder(p.Txn) != nil {
			t.Errorf("%+v: the log has its end, and its locks are held", c)
		}
	}
}
