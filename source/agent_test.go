package source

import (
	"testing"
	"time"

	"isochron/txn"
)

const second = time.Second

// A branch executes its statements in order, prepares with the last one, and ends by the decision.
func TestABranchPreparesWithItsLastStatement(t *testing.T) {
	w := serving(t)
	w.receives(access(1, 1, false, "a", "b"))
	w.expect("two statements", "9: 2 results")
	w.receives(access(1, 2, true, "c"))
	w.expect("the last", "9: 1 results", "9: yes")
	w.has("all", "begin a9.1.1", "a", "b", "c", "prepare a9.1.1")
	w.receives(decideOf(1, true), decideOf(1, true))
	w.expect("the decision, twice", "9: ack", "9: ack")
	w.has("the decision", "finish a9.1.1 true")
	if len(w.g.branches) != 0 || w.g.Holders() != 0 {
		t.Errorf("%v is left", w.g.Summary())
	}
}

// A repeated batch is answered again and executed once, also while it is under way.
func TestABatchIsExecutedOnce(t *testing.T) {
	w := serving(t)
	w.g.Deliver(gateway, access(1, 1, false, "a"))
	w.g.Deliver(gateway, access(1, 1, false, "a"))
	w.expect("under way", "9: going")
	w.run()
	w.receives(access(1, 1, false, "a"))
	w.expect("done", "9: 1 results", "9: 1 results")
	w.has("it", "begin a9.1.1", "a")
	w.receives(access(1, 3, false, "c"))
	w.expect("a gap", "9: refused")
}

// A batch for another incarnation is refused: an earlier one may have executed it.
func TestWorkForAnotherIncarnation(t *testing.T) {
	w := serving(t)
	m := access(1, 1, false, "a")
	m.Access.Batch.Term--
	w.receives(m)
	w.expect("an old term", "9: not leader, term 5")
	w.receives(access(1, 2, false, "b"))
	w.expect("an unknown branch", "9: refused")
	p := prepareOf(1)
	w.receives(p)
	w.expect("its vote", "9: no")
	w.has("nothing")
}

// A branch survives an error that does not end it. After one that does, the other sources are notified
// directly and no branch is begun under its name again.
func TestFailedStatements(t *testing.T) {
	w := serving(t)
	w.fails["dup"] = &Error{Code: 1062, Text: "twice"}
	w.fails["dead"] = &Error{Code: 1213, Text: "deadlock", Ends: true, Again: true}
	w.receives(access(1, 1, false, "a", "dup", "b"))
	w.expect("a duplicate", "9: 1 results, fault 1062")
	w.receives(access(1, 2, false, "c"))
	w.expect("it continues", "9: 1 results")
	w.did = nil
	w.receives(access(1, 3, false, "dead"))
	w.expect("a deadlock", "9: refused", "4/5: decide commit=false")
	w.has("nothing is rolled back that has ended")
	w.receives(access(1, 1, false, "a"), prepareOf(1), decideOf(1, false))
	w.expect("after its end", "9: refused", "9: no", "9: ack")

	w.receives(access(2, 1, true, "dup"))
	w.expect("the last fails", "9: refused", "4/5: decide commit=false")
	w.has("it is rolled back", "begin a9.1.2", "rollback a9.1.2")
}

// An abort that overtakes a branch's first statement keeps the branch from beginning.
func TestATombstone(t *testing.T) {
	w := serving(t)
	w.receives(decideOf(1, false), access(1, 1, true, "a"))
	w.expect("both", "9: ack", "9: refused")
	w.has("nothing is begun")

	w.g.at.Params.InjectedBugs.ForgetTombstone = true
	w.receives(access(1, 1, true, "a"))
	w.expect("the planted bug", "9: 1 results", "9: yes")
}

// An abort from a peer cancels the step under way, and rolls back a prepared branch.
func TestAnAbortOfAPeer(t *testing.T) {
	w := serving(t)
	w.g.Deliver(gateway, access(1, 1, false, "a"))
	w.g.Deliver(4, decideOf(1, false))
	w.run()
	w.expect("under way", "9: refused", "4: ack")
	w.has("it is interrupted", "begin a9.1.1")
	w.receives(access(2, 1, true, "a"))
	w.g.Deliver(4, decideOf(2, false))
	w.run()
	w.expect("prepared", "9: 1 results", "9: yes", "4: ack")
	w.has("it is rolled back", "begin a9.1.2", "a", "prepare a9.1.2", "finish a9.1.2 false")
}

// A sole participant commits in one phase. An unknown outcome is reported as unknown, also when the
// request is repeated.
func TestOnePhase(t *testing.T) {
	w := serving(t)
	w.fails["commit a9.1.2"] = &Error{Text: "broke", Unknown: true, Gone: true}
	for n := 1; n <= 2; n++ {
		p := prepareOf(n)
		p.Prepare.OnePhase = true
		w.receives(access(n, 1, false, "a"), p, p, inquireOf(n))
	}
	w.expect("both", "9: 1 results", "9: committed", "9: committed", "9: finding 3 forgot=false",
		"9: 1 results", "9: unknown", "9: unknown", "9: finding 2 forgot=true")
	w.receives(inquireOf(3))
	w.expect("an unknown one", "9: finding 2 forgot=true")
}

// onePhase is the last batch of a branch that commits in one phase.
func onePhase(n, step int, statements ...string) *txn.Message {
	m := access(n, step, true, statements...)
	m.Access.Batch.Last.OnePhase, m.Access.Batch.Last.Participants, m.Access.Batch.Peers = true, []txn.ShardID{toySource}, nil
	return m
}

// The only branch commits with its last statements, in one reply. A repeated request is never answered
// "rolled back" unless the branch was.
func TestStatementsWithTheirCommit(t *testing.T) {
	w := serving(t)
	w.g.Deliver(gateway, onePhase(1, 1, "a", "b"))
	next := w.tasks[0]
	w.tasks = nil
	next.done(next.work(t.Context()))
	w.g.Deliver(gateway, onePhase(1, 1, "a", "b"))
	w.expect("before the commit", "9: going")
	w.run()
	w.receives(onePhase(1, 1, "a", "b"), prepareOf(1), decideOf(1, false))
	w.expect("after it", "9: 2 results, committed", "9: unknown, refused", "9: yes", "9: ack")
	w.has("it", "begin a9.1.1", "a", "b", "commit a9.1.1")

	w.fails["commit a9.1.2"] = &Error{Text: "broke", Unknown: true, Gone: true}
	w.receives(onePhase(2, 1, "a"), onePhase(2, 1, "a"))
	w.expect("it broke", "9: unknown, refused", "9: unknown, refused")
	w.fails["commit a9.1.3"] = &Error{Code: 1213, Text: "serialization", Ends: true, Again: true}
	w.receives(onePhase(3, 1, "a"), onePhase(3, 1, "a"))
	w.expect("it failed", "9: refused", "9: refused")
	w.fails["dup"] = &Error{Code: 1062, Text: "twice"}
	w.did = nil
	w.receives(onePhase(4, 1, "dup"))
	w.expect("a statement fails", "9: refused")
	w.has("it is rolled back", "begin a9.1.4", "rollback a9.1.4")
	w.g.Deliver(gateway, onePhase(5, 1, "a"))
	w.g.Deliver(gateway, decideOf(5, false))
	w.run()
	w.expect("given up before", "9: refused", "9: ack")
}

// A prepare that fails is a No, and the other sources are notified.
func TestFailedPrepare(t *testing.T) {
	w := serving(t)
	w.fails["prepare a9.1.1"] = &Error{Code: 1213, Text: "serialization", Ends: true, Again: true}
	w.receives(access(1, 1, true, "a"))
	w.expect("the branch", "9: 1 results", "9: no", "4/5: decide commit=false")
	if w.last.Decide == nil || len(w.g.branches) != 0 {
		t.Error("the failed branch is still there")
	}
}

// When the connection breaks during a prepare, the source's list of prepared branches decides the vote.
func TestUnknownPrepareIsLookedUp(t *testing.T) {
	for _, there := range []bool{true, false} {
		w := serving(t)
		w.fails["prepare a9.1.1"] = &Error{Text: "broke", Unknown: true, Gone: true}
		w.fails["facts"] = &Error{Text: "down", Gone: true}
		w.receives(access(1, 1, true, "a"))
		w.pass(second)
		w.expect("while the outcome is unknown", "9: 1 results")
		w.receives(inquireOf(1))
		w.expect("an inquiry waits")
		delete(w.fails, "facts")
		if there {
			w.prepared = []Name{{Cluster: toyCluster, Attempt: attempt(1), Source: toySource, RecordShard: 2}}
		}
		w.pass(second)
		if there {
			w.expect("it is there", "9: yes", "9: finding 1 forgot=false")
		} else {
			w.expect("it is not there", "9: no", "4/5: decide commit=false", "9: finding 4 forgot=false")
		}
	}
}

// A prepared branch never ends by itself. Its decision is looked up repeatedly, but not while its gateway
// reports that the transaction is open.
func TestPreparedBranchWaitsForItsDecision(t *testing.T) {
	w := serving(t)
	w.receives(access(1, 1, true, "a"))
	w.did, w.sent = nil, nil
	alive := &txn.Message{TxnStatusReply: &txn.TxnStatusReply{Shard: toySource, Txn: txn.ID(attempt(1)), Alive: true}}
	for range 20 {
		w.pass(second)
		w.receives(alive)
	}
	if len(w.orphans) > 0 {
		t.Errorf("%v is reported as an orphan while its gateway lives", w.orphans)
	}
	w.pass(60 * second)
	if n := len(w.orphans); n < 5 || n > 60 || w.orphans[0].RecordShard != 2 || !w.orphans[0].Leftover || len(w.orphans[0].Participants) != 1 {
		t.Errorf("%d times: %+v", n, w.orphans)
	}
	for _, did := range w.did {
		if did != "facts" {
			t.Errorf("the database did %q", did)
		}
	}
}

// A branch that is not prepared is rolled back when its gateway is silent, reports the transaction as
// ended, or returns as another incarnation.
func TestLostGateway(t *testing.T) {
	for name, lost := range map[string]func(w *toy){
		"silent": func(w *toy) { w.pass(10 * second) },
		"ended": func(w *toy) {
			w.receives(&txn.Message{TxnStatusReply: &txn.TxnStatusReply{Shard: toySource, Txn: txn.ID(attempt(1))}})
		},
		"another": func(w *toy) {
			m := access(2, 1, false)
			m.Access.Batch.Attempt.Epoch++
			w.receives(m)
		},
	} {
		w := serving(t)
		w.receives(access(1, 1, false, "a"))
		lost(w)
		if w.g.branches[attempt(1)] != nil {
			t.Errorf("%s: the branch is still there", name)
		}
		w.sent = nil
		w.receives(access(1, 1, false, "a"))
		w.expect(name+": again", "9: refused")
	}
}

// Before an agent has listed the prepared branches it serves nothing. It ends those it finds as decided,
// and no foreign ones.
func TestRecovery(t *testing.T) {
	w := newToy(t, txn.InjectedBugs{})
	own := Name{Cluster: toyCluster, Attempt: attempt(1), Source: toySource, RecordShard: 2}
	other, beside := own, own
	other.Cluster, other.Attempt.Seq, beside.Source, beside.Attempt.Seq = 8, 2, 4, 3
	w.prepared = []Name{own, other, beside}
	w.g.Deliver(gateway, inquireOf(1))
	w.g.Deliver(gateway, access(4, 1, false, "a"))
	w.expect("before", "9: not leader, term 5", "9: not leader, term 5")
	if n, _ := w.g.Leader(); n != 0 {
		t.Error("the agent serves before it has listed the prepared branches")
	}
	w.run()
	w.receives(inquireOf(1), inquireOf(2), inquireOf(3), access(1, 1, true, "a"))
	w.expect("after", "9: finding 1 forgot=false", "9: finding 2 forgot=true", "9: finding 2 forgot=true", "9: refused")
	w.pass(10 * second)
	for _, o := range w.orphans {
		if o.Attempt != own.Attempt || o.RecordShard != 2 {
			t.Errorf("decision of %+v is looked up", o)
		}
	}
	w.receives(decideOf(1, false))
	if len(w.orphans) == 0 || len(w.prepared) != 2 {
		t.Errorf("%d decisions looked up, %v are prepared", len(w.orphans), w.prepared)
	}
}

// A branch prepared after its abort is found and rolled back.
func TestLatePrepareIsRolledBack(t *testing.T) {
	w := serving(t)
	w.receives(decideOf(1, false))
	w.prepared = []Name{{Cluster: toyCluster, Attempt: attempt(1), Source: toySource}}
	w.pass(queryDecisionEvery*w.g.at.Params.RecoverAfter + second)
	if len(w.prepared) != 0 {
		t.Errorf("%v is prepared", w.prepared)
	}
}

// A branch that is listed but not found is being ended on behalf of a crashed agent: it has ended only when
// it is no longer listed.
func TestNotFoundIsNoEnd(t *testing.T) {
	w := newToy(t, txn.InjectedBugs{})
	w.prepared = []Name{{Cluster: toyCluster, Attempt: attempt(1), Source: toySource}}
	w.busy = true
	w.run()
	w.receives(decideOf(1, true))
	w.pass(second)
	w.expect("while it is listed")
	w.prepared = nil
	w.pass(second)
	w.expect("when it is not", "9: ack")

	w = newToy(t, txn.InjectedBugs{TrustNotFound: true})
	w.prepared = []Name{{Cluster: toyCluster, Attempt: attempt(1), Source: toySource}}
	w.busy = true
	w.run()
	w.receives(decideOf(1, true))
	w.expect("the planted bug", "9: ack")
}

// After a restart of a source that loses read locks, a branch begins when the branches prepared before have
// ended, or is refused when that takes too long. At other sources it begins immediately.
func TestRestartBarrier(t *testing.T) {
	for _, drops := range []bool{true, false} {
		w := serving(t)
		w.facts = Facts{Incarnation: "1", ForgetsReads: drops}
		w.pass(queryDecisionEvery*w.g.at.Params.RecoverAfter + second)
		w.receives(access(1, 1, true, "a"))
		w.facts.Incarnation = "2"
		w.g.broke()
		w.pass(second)
		w.sent, w.did = nil, nil
		w.receives(access(2, 1, false, "b"))
		if !drops {
			w.expect("it has its locks", "9: 1 results")
			continue
		}
		w.expect("it waits")
		w.receives(decideOf(1, true))
		w.expect("the other has ended", "9: ack", "9: 1 results")
		w.has("in that order", "finish a9.1.1 true", "begin a9.1.2", "b")

		w.receives(access(3, 1, true, "c"))
		w.facts.Incarnation = "3"
		w.g.broke()
		w.pass(second)
		w.sent, w.did = nil, nil
		w.receives(access(4, 1, false, "d"))
		w.g.branches[attempt(4)].options.LockWait = second
		w.pass(2 * second)
		if w.g.branches[attempt(4)] != nil || len(w.g.branches) != 2 {
			t.Errorf("%v", w.g.Summary())
		}
		w.receives(decideOf(3, false))
		w.receives(access(5, 1, false, "e"))
		if w.g.barrier.open != 0 || w.g.branches[attempt(5)].blockedAt != 0 {
			t.Errorf("the barrier is still armed: %+v", w.g.barrier)
		}
		if c := w.g.Status().Source; c.FenceWaits != 2 || c.Fenced != 0 || c.Committed != 1 || c.Aborted != 2 || c.Works != 5 || c.Refused[txn.CauseLockTimeout] != 1 || c.HeldNanos == 0 {
			t.Errorf("counted %+v", c)
		}
	}
}

// Another database at the same address is not served.
func TestAnotherDatabaseAnswers(t *testing.T) {
	w := serving(t)
	w.identity = "two"
	w.pass(queryDecisionEvery*w.g.at.Params.RecoverAfter + second)
	w.receives(access(1, 1, false, "a"))
	w.expect("another", "9: not leader, term 5")
	w.identity = "one"
	w.pass(10 * second)
	w.sent = nil
	w.receives(access(1, 1, false, "a"))
	w.expect("the first", "9: 1 results")
	w.identity, w.facts.Expected = "two", true
	w.g.broke()
	w.pass(second)
	w.sent = nil
	w.receives(access(2, 1, false, "a"))
	w.expect("another that is expected", "9: 1 results")
}

// Branches and remembered outcomes are bounded. At the bound requests are refused; no attempt begins again.
func TestBounds(t *testing.T) {
	w := serving(t)
	for n := 1; n <= 9; n++ {
		w.receives(access(n, 1, false, "a"))
	}
	if w.g.Holders() != 8 || w.last.AccessReply.Refused != txn.KindUnavailable {
		t.Errorf("%d branches, %+v", w.g.Holders(), w.last.AccessReply)
	}
	m := newMemory()
	for n := 1; n <= endedMax+10; n++ {
		m.note(attempt(n), txn.OutcomeAborted)
	}
	if len(m.ender) > endedMax || len(m.order) > endedMax || !m.knows(attempt(1)) || !m.knows(attempt(endedMax+10)) || m.knows(attempt(endedMax+11)) {
		t.Errorf("%d outcomes are remembered", len(m.ender))
	}
	m.retire(attempt(1), endedMax+20)
	if len(m.ender) != 0 || !m.knows(attempt(endedMax+19)) || m.knows(attempt(endedMax+20)) {
		t.Errorf("%d outcomes of finished attempts are remembered", len(m.ender))
	}
}

// A task that Env does not accept is started later.
func TestTasksAreQueued(t *testing.T) {
	w := serving(t)
	w.full = true
	w.receives(access(1, 1, false, "a"), access(2, 1, false, "a"))
	w.full = false
	w.pass(second / 10)
	w.expect("both", "9: 1 results", "9: 1 results")
}

// Each injected bug breaks a rule that a test above checks.
func TestInjectedBugs(t *testing.T) {
	w := serving(t)
	w.g.at.Params.InjectedBugs = txn.InjectedBugs{AbortPrepared: true, VoteBeforePrepare: true}
	w.g.Deliver(gateway, access(1, 1, true, "a"))
	next := w.tasks[0]
	w.tasks = nil
	next.done(next.work(t.Context()))
	w.expect("before it is prepared", "9: 1 results", "9: yes")
	w.run()
	w.pass(30 * second)
	if len(w.prepared) != 0 || len(w.orphans) != 0 {
		t.Error("the branch still waits")
	}
	w = newToy(t, txn.InjectedBugs{TakeForeign: true})
	w.prepared = []Name{{Cluster: 8, Attempt: attempt(1), Source: toySource}}
	w.run()
	if w.g.Undecided() != 1 {
		t.Error("with the bug it leaves foreign branches alone")
	}
}
