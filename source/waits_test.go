package source

import (
	"context"
	"testing"
	"time"

	"isochron/txn"
)

const lookAfter = 100 * time.Millisecond

// looking is an agent that searches for deadlocks.
func looking(t *testing.T) *toy {
	w := serving(t)
	w.g.at.Params.SourceWaits = lookAfter
	w.g.waits = newWaitings(w.g.state)
	return w
}

// locks is a batch whose one statement locks a record, exclusively or not; age is the transaction's age.
func locks(n, step int, age uint64, record string, writes bool) *txn.Message {
	m := access(n, step, false, record)
	m.Access.Age = txn.Age{Start: txn.Timestamp(age), ID: m.Access.Txn}
	m.Access.Batch.Locks = []txn.Locked{{Records: []txn.Key{txn.Key(record)}, Writes: writes}}
	return m
}

// stays keeps a statement under way until the agent looks for waits.
func (w *toy) stays(m *txn.Message) {
	w.g.Deliver(gateway, m)
	stay := w.tasks
	w.tasks = nil
	for range 4 {
		w.now += lookAfter / 2
		w.g.Tick()
	}
	w.tasks = append(stay, w.tasks...)
}

// elsewhere is a wait edge between two attempts at another source.
func elsewhere(n, of int) txn.WaitEdge {
	return txn.WaitEdge{Txn: txn.ID(attempt(n)), For: txn.ID(attempt(of)), Shard: 5, Leader: 4, Term: 1, Request: 8, Tenure: 9}
}

// A blocker that is younger than its waiter is probed. One that is older is not, nor one that no waiter's
// locks conflict with.
func TestWhichWaitsASourceProbes(t *testing.T) {
	for _, c := range []struct {
		name          string
		holder, asker *txn.Message
		probed        bool
	}{
		{"older waits for younger", locks(1, 1, 20, "x", true), locks(2, 1, 10, "x", true), true},
		{"what the younger reads", locks(1, 1, 20, "x", false), locks(2, 1, 10, "x", true), true},
		{"younger waits for older", locks(1, 1, 10, "x", true), locks(2, 1, 20, "x", true), false},
		{"both read", locks(1, 1, 20, "x", false), locks(2, 1, 10, "x", false), false},
		{"another record", locks(1, 1, 20, "x", true), locks(2, 1, 10, "y", true), false},
	} {
		w := looking(t)
		w.receives(c.holder)
		w.sent, w.last = nil, txn.Message{}
		w.stays(c.asker)
		m := w.last.DeadlockProbe
		if (m != nil) != c.probed {
			t.Errorf("%s: probed: %v", c.name, m != nil)
			continue
		}
		if m != nil && (m.Start != txn.ID(attempt(1)) || m.Shard != 0 || len(m.Into) != 1 || m.Into[0].Txn != txn.ID(attempt(2)) || m.Into[0].Leader != 2 || m.Into[0].Term != toyTerm) {
			t.Errorf("%s: the probe is %+v", c.name, m)
		}
	}
}

// The agent looks for waits only while a statement runs for long, and never when detection is off.
func TestWaitsAreSearchedOnlyWhenLong(t *testing.T) {
	w := looking(t)
	if w.receives(locks(1, 1, 20, "x", true)); w.g.waits.nextWake() != txn.Never {
		t.Error("no statement runs, but the agent looks")
	}
	w.g.Deliver(gateway, locks(2, 1, 10, "x", true))
	if at := w.g.waits.nextWake(); at != w.now+lookAfter/2 {
		t.Errorf("a statement runs since %v; the agent looks at %v", w.now, at)
	}
	if w.g.Tick(); w.g.waits.foreign.Waits() != 0 {
		t.Error("the agent looks too early")
	}
	w = serving(t)
	w.receives(locks(1, 1, 20, "x", true))
	w.stays(locks(2, 1, 10, "x", true))
	w.g.Deliver(4, &txn.Message{DeadlockProbe: &txn.DeadlockProbe{Shard: toySource, Txn: txn.ID(attempt(2)), Start: txn.ID(attempt(2))}})
	w.g.Deliver(4, &txn.Message{DeadlockConfirm: &txn.DeadlockConfirm{Shard: toySource, Cycle: []txn.WaitEdge{elsewhere(1, 2), elsewhere(2, 1)}}})
	if w.last.DeadlockProbe != nil || w.g.waits.nextWake() != txn.Never {
		t.Error("the agent looks although detection is off")
	}
}

// cycled has attempt 2, the younger, wait for attempt 1, and sends a probe; attempt 1 waits for it elsewhere.
// It returns the confirmation pass as it reaches this source again.
func cycled(t *testing.T) (*toy, *txn.Message) {
	w := looking(t)
	w.receives(locks(1, 1, 10, "x", true))
	w.stays(locks(2, 1, 20, "x", true))
	w.sent = nil
	two := txn.ID(attempt(2))
	w.g.Deliver(4, &txn.Message{DeadlockProbe: &txn.DeadlockProbe{Shard: toySource, Txn: two, Start: two, Age: txn.Age{Start: 20, ID: two}, Into: []txn.WaitEdge{elsewhere(1, 2)}, Budget: 9}})
	m := w.last.DeadlockConfirm
	if m == nil || m.Shard != 5 || m.Cycle[m.Victim].Txn != two || len(m.Route) != 1 {
		t.Fatalf("the confirmation starts elsewhere and names the younger as victim: %+v", m)
	}
	back := *m
	back.Shard, back.Route = toySource, nil
	w.sent = nil
	return w, &txn.Message{DeadlockConfirm: &back}
}

// The victim's statement is cancelled, its client receives a deadlock error and its other sources an abort;
// the other transaction keeps its locks.
func TestAVictimAtASource(t *testing.T) {
	w, recheck := cycled(t)
	w.did = nil
	w.g.Deliver(4, recheck)
	w.expect("the victim's other source", "4/5: decide commit=false")
	w.run()
	if r := w.last.AccessReply; r == nil || r.Batch == nil || r.Batch.Fault.Code != 1213 || r.Refused != txn.KindAborted {
		t.Errorf("the victim's gateway received %+v", w.last)
	}
	w.has("it", "begin a9.1.2") // its statement is cancelled
	if w.g.branches[attempt(2)] != nil || w.g.branches[attempt(1)] == nil || w.g.counts.Deadlocks != 1 {
		t.Error("only the younger must be aborted:", w.g.Summary())
	}
}

// A wait of which an end is over, or that is of another statement, is not part of a deadlock.
func TestEndedWaitAbortsNoTransaction(t *testing.T) {
	for name, happens := range map[string]func(w *toy){
		"the holder ends":          func(w *toy) { w.receivesAlso(decideOf(1, false)) },
		"it has the lock":          func(w *toy) { w.run() },
		"it is rolled back":        func(w *toy) { w.g.Deliver(gateway, decideOf(2, false)); w.run() },
		"it waits again for it":    func(w *toy) { w.run(); w.stays(locks(2, 2, 20, "x", true)) },
		"and nothing has happened": nil,
	} {
		w, recheck := cycled(t)
		if happens != nil {
			happens(w)
		}
		was := w.g.counts.Deadlocks
		w.g.Deliver(4, recheck)
		if ended := w.g.counts.Deadlocks > was; ended != (happens == nil) {
			t.Errorf("%s: a transaction is aborted: %v", name, ended)
		}
	}
}

// receivesAlso delivers a message and completes only the tasks it causes.
func (w *toy) receivesAlso(m *txn.Message) {
	stay := w.tasks
	w.tasks = nil
	w.receives(m)
	w.tasks = stay
}

// reportedToy is a source that reports waits.
type reportedToy struct {
	*toy
	list  []Wait
	known bool
	asked int
}

func (w *reportedToy) Waits(_ context.Context, of []Name) ([]Wait, bool, error) {
	w.asked++
	return w.list, w.known, nil
}

// The source is queried for statements that name no records; one that reports no waits is not queried for a while.
func TestSourceIsQueriedForUnexplainedWaits(t *testing.T) {
	for _, known := range []bool{true, false} {
		w := looking(t)
		db := &reportedToy{toy: w, known: known}
		w.g.db = db
		hold, ask := locks(1, 1, 20, "x", true), locks(2, 1, 10, "x", true)
		hold.Access.Batch.Locks, ask.Access.Batch.Locks = nil, nil
		w.receives(hold)
		w.g.Deliver(gateway, ask)
		stay := w.tasks
		w.tasks = nil
		if known {
			db.list = []Wait{{Name: w.g.branches[attempt(2)].name, For: w.g.branches[attempt(1)].name}}
		}
		for range 8 {
			w.now += lookAfter / 2
			w.g.Tick()
			w.run()
		}
		w.tasks = stay
		if chased := w.last.DeadlockProbe != nil; chased != known || known != (db.asked > 1) {
			t.Errorf("the source reports waits: %v; queried %d times; a transaction is probed: %v", known, db.asked, chased)
		}
	}
}

// A source's report holds while the source is queried again, since the reply may take long.
func TestReportedWaitsHoldDuringQuery(t *testing.T) {
	w := looking(t)
	db := &reportedToy{toy: w, known: true}
	w.g.db = db
	hold, ask := locks(1, 1, 20, "x", true), locks(2, 1, 10, "x", true)
	hold.Access.Batch.Locks, ask.Access.Batch.Locks = nil, nil
	w.receives(hold)
	w.g.Deliver(gateway, ask)
	w.tasks = nil
	db.list = []Wait{{Name: w.g.branches[attempt(2)].name, For: w.g.branches[attempt(1)].name}}
	tick := func() {
		w.now += lookAfter / 2
		w.g.Tick()
	}
	tick()
	w.run()
	for range 4 { // the second query is not answered
		tick()
		if reported := w.g.waits.fromReports(w.now, w.g.waits.holders()); len(reported) != 1 {
			t.Fatalf("queried %d times, under way: %v, reported %v", db.asked, w.g.waits.asking, reported)
		}
	}
	db.list = nil
	w.run()
	if reported := w.g.waits.fromReports(w.now, w.g.waits.holders()); len(reported) != 0 || db.asked != 2 {
		t.Errorf("queried %d times, reported %v", db.asked, reported)
	}
}
