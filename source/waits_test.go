package source

import (
	"context"
	"testing"
	"time"

	"isochron/txn"
)

const lookAfter = 100 * time.Millisecond

// looking is an agent that looks for deadlocks over several sources.
func looking(t *testing.T) *toy {
	w := serving(t)
	w.g.at.Params.SourceWaits = lookAfter
	w.g.waits = newWaitings(w.g.state)
	return w
}

// locks is a work whose one statement locks a record, exclusively or not; the transaction is as old as age says.
func locks(n, step int, age uint64, record string, writes bool) *txn.Message {
	m := access(n, step, false, record)
	m.Access.Age = txn.Age{Start: txn.Timestamp(age), ID: m.Access.Txn}
	m.Access.Batch.Locks = []txn.Locked{{Records: []txn.Key{txn.Key(record)}, Writes: writes}}
	return m
}

// stays has a statement be under way, for longer than it may be before somebody looks.
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

// elsewhere is a wait of an attempt for another at another source.
func elsewhere(n, of int) txn.WaitEdge {
	return txn.WaitEdge{Txn: txn.ID(attempt(n)), For: txn.ID(attempt(of)), Shard: 5, Leader: 4, Term: 1, Request: 8, Tenure: 9}
}

// Who is younger than somebody who waits for it is chased; who is older, and for whom nobody waits
// that locks the same, is not.
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
			t.Errorf("%s: it is chased: %v", c.name, m != nil)
			continue
		}
		if m != nil && (m.Start != txn.ID(attempt(1)) || m.Shard != 0 || len(m.Into) != 1 || m.Into[0].Txn != txn.ID(attempt(2)) || m.Into[0].Leader != 2 || m.Into[0].Term != toyTerm) {
			t.Errorf("%s: the chase is %+v", c.name, m)
		}
	}
}

// While nothing has run for long nobody looks, and an agent that is told to look for nothing never does.
func TestNobodyLooksWithoutNeed(t *testing.T) {
	w := looking(t)
	if w.receives(locks(1, 1, 20, "x", true)); w.g.waits.nextWake() != txn.Never {
		t.Error("nothing runs, and it is looked")
	}
	w.g.Deliver(gateway, locks(2, 1, 10, "x", true))
	if at := w.g.waits.nextWake(); at != w.now+lookAfter/2 {
		t.Errorf("a statement runs since %v; it is looked at %v", w.now, at)
	}
	if w.g.Tick(); w.g.waits.foreign.Waits() != 0 {
		t.Error("it is looked before its time")
	}
	w = serving(t)
	w.receives(locks(1, 1, 20, "x", true))
	w.stays(locks(2, 1, 10, "x", true))
	w.g.Deliver(4, &txn.Message{DeadlockProbe: &txn.DeadlockProbe{Shard: toySource, Txn: txn.ID(attempt(2)), Start: txn.ID(attempt(2))}})
	w.g.Deliver(4, &txn.Message{DeadlockConfirm: &txn.DeadlockConfirm{Shard: toySource, Cycle: []txn.WaitEdge{elsewhere(1, 2), elsewhere(2, 1)}}})
	if w.last.DeadlockProbe != nil || w.g.waits.nextWake() != txn.Never {
		t.Error("it looks although it was told not to")
	}
}

// cycled has attempt 2, which is younger, wait for attempt 1, and asks for whom it waits; 1 waits
// for it elsewhere. It is the second lap, as it comes back here.
func cycled(t *testing.T) (*toy, *txn.Message) {
	w := looking(t)
	w.receives(locks(1, 1, 10, "x", true))
	w.stays(locks(2, 1, 20, "x", true))
	w.sent = nil
	two := txn.ID(attempt(2))
	w.g.Deliver(4, &txn.Message{DeadlockProbe: &txn.DeadlockProbe{Shard: toySource, Txn: two, Start: two, Age: txn.Age{Start: 20, ID: two}, Into: []txn.WaitEdge{elsewhere(1, 2)}, Budget: 9}})
	m := w.last.DeadlockConfirm
	if m == nil || m.Shard != 5 || m.Cycle[m.Victim].Txn != two || len(m.Route) != 1 {
		t.Fatalf("the second lap begins elsewhere, and ends the younger here: %+v", m)
	}
	back := *m
	back.Shard, back.Route = toySource, nil
	w.sent = nil
	return w, &txn.Message{DeadlockConfirm: &back}
}

// The victim's statement is given up, its client is told of a deadlock and its other sources that it
// has ended; the other transaction has lost nothing.
func TestAVictimAtASource(t *testing.T) {
	w, recheck := cycled(t)
	w.did = nil
	w.g.Deliver(4, recheck)
	w.expect("the victim's other source", "4/5: decide commit=false")
	w.run()
	if r := w.last.AccessReply; r == nil || r.Batch == nil || r.Batch.Fault.Code != 1213 || r.Refused != txn.KindAborted {
		t.Errorf("the victim hears %+v", w.last)
	}
	w.has("it", "begin a9.1.2") // and its statement is interrupted
	if w.g.branches[attempt(2)] != nil || w.g.branches[attempt(1)] == nil || w.g.counts.Deadlocks != 1 {
		t.Error("the younger ends, and it alone:", w.g.Summary())
	}
}

// A wait of which one end is over, or that is one of another statement, is no part of a deadlock.
func TestAWaitThatIsOverEndsNobody(t *testing.T) {
	for name, happens := range map[string]func(w *toy){
		"the holder ends":          func(w *toy) { w.receivesAlso(decideOf(1, false)) },
		"it has the lock":          func(w *toy) { w.run() },
		"it is rolled back":        func(w *toy) { w.g.Deliver(gateway, decideOf(2, false)); w.run() },
		"it waits anew for it":     func(w *toy) { w.run(); w.stays(locks(2, 2, 20, "x", true)) },
		"and nothing has happened": nil,
	} {
		w, recheck := cycled(t)
		if happens != nil {
			happens(w)
		}
		was := w.g.counts.Deadlocks
		w.g.Deliver(4, recheck)
		if ended := w.g.counts.Deadlocks > was; ended != (happens == nil) {
			t.Errorf("%s: somebody is ended: %v", name, ended)
		}
	}
}

// receivesAlso runs what a message causes, and not what was under way before.
func (w *toy) receivesAlso(m *txn.Message) {
	stay := w.tasks
	w.tasks = nil
	w.receives(m)
	w.tasks = stay
}

// reportedToy is a source that tells who waits.
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

// Of statements that say nothing of records the source is asked; one that tells nothing is left alone for a while.
func TestASourceIsAskedWhoWaits(t *testing.T) {
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
			t.Errorf("the source tells: %v; it is asked %d times, and somebody is chased: %v", known, db.asked, chased)
		}
	}
}

// While a source is asked again, for its answer may take long, what it has said holds.
func TestWhatASourceHasSaidHolds(t *testing.T) {
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
	for range 4 { // the second question is not answered
		tick()
		if reported := w.g.waits.fromReports(w.now, w.g.waits.holders()); len(reported) != 1 {
			t.Fatalf("asked %d times, under way: %v, it is known that %v", db.asked, w.g.waits.asking, reported)
		}
	}
	db.list = nil
	w.run()
	if reported := w.g.waits.fromReports(w.now, w.g.waits.holders()); len(reported) != 0 || db.asked != 2 {
		t.Errorf("asked %d times, it is known that %v", db.asked, reported)
	}
}
