package source

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// Deadlocks over several sources, or sources and shards. A database sees its own waits alone; so an
// agent finds out which branch waits for which at its source, as a leader knows it of its shard,
// and takes part in the search of yield/chase.go with that.
//
// What it goes by. Work says which records its statements lock (txn.Locked), and whoever has run a
// statement that locks a record keeps the lock until its end. So a statement that runs and is to
// lock the same, one of both exclusively, cannot end before: that is a wait, whether or not the
// statement has come to the lock yet, and a cycle of such is a deadlock at once.
// Of what does not follow so (ranges, conditions) the source is asked, by a driver that is Waiting:
// PostgreSQL tells it to any account. Where nobody tells, a deadlock by such a wait ends by its bound.
//
// Nothing is done while all statements are quick: it is looked once one has run for half of the
// time after which somebody may be in a deadlock, and so often from then on.

// Waiting is a Driver that can tell who waits for whom.
type Waiting interface {
	// Waits lists the branches for which some others, that have a statement under way, wait now.
	// known is false if the account may not know; it is not asked again soon then.
	Waits(ctx context.Context, of []Name) (list []Wait, known bool, err error)
}

// Wait is one branch that waits for the end of another, at one source.
type Wait struct{ Name, For Name }

const (
	recordsMax = 1024             // records of one branch that are kept
	refusedFor = 30 * time.Second // a source that does not tell is not asked
)

// retransmit is which statement of a work a branch has come to, told from outside the loop.
type retransmit struct{ done atomic.Int32 }

// waitings is what an agent knows of who waits at its source.
type waitings struct {
	*state
	foreign  *yield.Foreign // nil: nobody looks
	after    time.Duration
	lookAt   time.Duration
	asking   bool
	askAt    time.Duration // the source is not asked before
	reported []reportedWait
}

// reportedWait is what the source has said of a branch at one of its statements.
type reportedWait struct {
	Wait
	step uint64
}

// newWaitings looks for deadlocks, if that is asked for and anybody waits there.
func newWaitings(s *state) waitings {
	ws := waitings{state: s, after: s.at.Params.SourceWaits}
	if s.cfg.DetectAfter != nil {
		ws.after = s.cfg.DetectAfter(s.at.Shard, ws.after)
	}
	if ws.after <= 0 || s.at.Spec.Yield.Versions {
		return ws
	}
	ws.foreign = yield.NewForeign(yield.DetectorConfig{Here: txn.WaitEdge{Shard: s.id, Leader: s.at.Self, Term: s.term}, After: ws.after,
		SkipConfirmation: s.at.Params.InjectedBugs.SkipConfirmation}, detectorEnv{s}, func(id txn.ID) { s.yields(id) })
	return ws
}

// running reports whether statements of a branch are under way.
func (b *branch) running() bool {
	return b.busy && b.phase == working && b.todo != nil && b.decided == nil && !b.txn.IsZero()
}

// statement numbers the statement that is under way, and says since when it is known to be.
func (b *branch) statement(now time.Duration) (step uint64, since time.Duration) {
	done := uint64(b.retransmit.done.Load())
	step = b.step<<16 | done
	if b.stood.step != step {
		b.stood.step, b.stood.since = step, now
		if done == 0 {
			b.stood.since = b.workedAt
		}
	}
	return step, b.stood.since
}

// nextWake is when it is to be looked, if anything runs.
func (ws *waitings) nextWake() time.Duration {
	at := txn.Never
	if ws.foreign == nil || ws.asking {
		return at
	}
	for _, b := range ws.branches { // order: the least of all
		if b.running() {
			at = min(at, max(ws.lookAt, b.workedAt+ws.after/2))
		}
	}
	return at
}

// tick looks, if it is time.
func (ws *waitings) tick() {
	now := ws.now()
	if ws.nextWake() > now {
		return
	}
	ws.lookAt = now + max(ws.after/2, ws.at.Params.TickInterval)
	db, can := ws.db.(Waiting)
	of := ws.unexplained(now)
	if !can || now < ws.askAt || len(of) == 0 {
		ws.reported = nil
		ws.look()
		return
	}
	names, steps := make([]Name, len(of)), make(map[txn.Attempt]uint64, len(of))
	for i, b := range of {
		names[i] = b.name
		steps[b.name.Attempt], _ = b.statement(now)
	}
	ws.asking = true
	ws.runAsync(func(ctx context.Context) any {
		list, known, err := db.Waits(ctx, names)
		return answered{list, known && err == nil}
	}, func(result any) {
		a := result.(answered)
		ws.reported = nil // until now what it said before held: an answer may take long
		if ws.asking = false; !a.known {
			ws.askAt = ws.now() + refusedFor
		}
		for _, w := range a.list {
			ws.reported = append(ws.reported, reportedWait{w, steps[w.Name.Attempt]})
		}
		ws.look()
	})
}

// answered is what a source has said.
type answered struct {
	list  []Wait
	known bool
}

// look takes in who waits, and has those be chased who are waited for.
func (ws *waitings) look() {
	ws.see()
	ws.foreign.Look(ws.now())
}

// see takes in who waits now.
func (ws *waitings) see() {
	now, holders := ws.now(), ws.holders()
	var list []yield.ForeignWait
	for _, b := range ws.long(now) {
		list = append(list, b.waitsFor(now, holders)...)
	}
	ws.foreign.Report(now, append(list, ws.fromReports(now, holders)...))
}

// long lists the branches that run a statement for long.
func (ws *waitings) long(now time.Duration) (out []*branch) {
	for _, b := range ws.branches.inOrder() {
		if b.running() && now >= b.workedAt+ws.after/2 {
			out = append(out, b)
		}
	}
	return out
}

// unexplained lists those of which it does not follow from records for whom they wait. The source is
// asked of these alone: of one in a queue it says who is before it there, and who is first in a
// queue and holds nothing should not give way for who holds the row.
func (ws *waitings) unexplained(now time.Duration) []*branch {
	holders := ws.holders()
	return slices.DeleteFunc(ws.long(now), func(b *branch) bool { return len(b.waitsFor(now, holders)) > 0 })
}

// fromReports is what the source has said, without whom has ended or gone on since.
func (ws *waitings) fromReports(now time.Duration, holders map[txn.Key][]*branch) (out []yield.ForeignWait) {
	for _, w := range ws.reported {
		b, o := ws.branches[w.Name.Attempt], ws.branches[w.For.Attempt]
		if b == nil || o == nil || !b.running() || o.txn.IsZero() || len(b.waitsFor(now, holders)) > 0 {
			continue
		}
		if step, since := b.statement(now); step == w.step {
			out = append(out, waitOf(b, o, step, since))
		}
	}
	return out
}

func waitOf(b, o *branch, step uint64, since time.Duration) yield.ForeignWait {
	return yield.ForeignWait{Txn: b.txn, Age: b.age, Step: step, Since: since, For: o.txn, ForAge: o.age}
}

// holders are the branches that have locked each record.
func (ws *waitings) holders() map[txn.Key][]*branch {
	out := map[txn.Key][]*branch{}
	for _, b := range ws.branches.inOrder() {
		if b.running() {
			b.hold(b.todo.Batch, int(b.retransmit.done.Load()))
		}
		for k := range b.locked { // order: of each record by itself
			out[k] = append(out[k], b)
		}
	}
	return out
}

// waitsFor concludes for whom a branch waits with the statement that it has under way.
func (b *branch) waitsFor(now time.Duration, holders map[txn.Key][]*branch) (out []yield.ForeignWait) {
	step, since := b.statement(now)
	wants := b.wants()
	if !wants.Writes && b.options.Isolation != Serializable {
		return nil // it reads without locks
	}
	var of []*branch
	for _, k := range wants.Records {
		for _, o := range holders[k] {
			if o != b && (wants.Writes || o.locked[k]) && !o.txn.IsZero() && !slices.Contains(of, o) {
				of = append(of, o)
				out = append(out, waitOf(b, o, step, since))
			}
		}
	}
	return out
}

// wants is what the statement that is under way locks.
func (b *branch) wants() txn.Locked {
	if locks, i := b.todo.Batch.Locks, int(b.retransmit.done.Load()); i < len(locks) {
		return locks[i]
	}
	return txn.Locked{}
}

// hold notes what the first statements of a work have locked.
func (b *branch) hold(w *txn.StatementBatch, done int) {
	for _, l := range w.Locks[:min(done, len(w.Locks))] {
		if !l.Writes && b.options.Isolation != Serializable {
			continue
		}
		for _, k := range l.Records {
			if _, ok := b.locked[k]; !ok && len(b.locked) >= recordsMax {
				return
			}
			if b.locked == nil {
				b.locked = map[txn.Key]bool{}
			}
			b.locked[k] = b.locked[k] || l.Writes
		}
	}
}

// probe carries a chase on over the waits at this source.
func (ws *waitings) probe(m *txn.DeadlockProbe) {
	if ws.foreign != nil && m.WellFormed() {
		ws.see()
		ws.foreign.Probe(m)
	}
}

// recheck looks at waits of a cycle once more.
func (ws *waitings) recheck(m *txn.DeadlockConfirm) {
	if ws.foreign != nil && m.WellFormed() {
		ws.see()
		ws.foreign.Confirm(m)
	}
}

// deadlock is MySQL's number of one.
const deadlock = 1213

// wideDeadlock is what the client of a victim is told.
func wideDeadlock() *Error {
	return &Error{Code: deadlock, State: "40001", Again: true, Ends: true,
		Text: "deadlock over several databases: this transaction and others wait for each other, and it is the youngest; it was rolled back, begin it anew"}
}

// yields ends the statement that a branch has under way, and with it its transaction, to end a
// deadlock.
func (s *state) yields(id txn.ID) {
	for _, b := range s.branches.inOrder() {
		if b.txn == id && b.running() {
			b.victim = true
			b.decided = &txn.Decide{Shard: s.id, Attempt: b.name.Attempt, Txn: b.txn}
			s.warn(b)
			b.cancel.pull()
			return
		}
	}
}

// detectorEnv sends what the search has to say, and counts and tells what it does.
type detectorEnv struct{ s *state }

// Send implements yield.DetectorEnv.
func (w detectorEnv) Send(to txn.Address, m txn.Message) { w.s.env.Send(to, m) }

// Probed implements yield.DetectorEnv.
func (w detectorEnv) Probed(id, waiter txn.ID) {
	w.s.trace("source %d: %v is waited for by %v for long, and may wait itself", w.s.id, id, waiter)
}

// CycleSeen implements yield.DetectorEnv.
func (w detectorEnv) CycleSeen(cycle []txn.WaitEdge) {
	w.s.trace("source %d: %s", w.s.id, txn.ReportCycle(cycle))
}

// NoDeadlock implements yield.DetectorEnv.
func (w detectorEnv) NoDeadlock(e txn.WaitEdge) {
	w.s.trace("source %d: %v does not wait for %v any more: no deadlock", w.s.id, e.Txn, e.For)
}

// Broken implements yield.DetectorEnv.
func (w detectorEnv) Broken(victim txn.ID, _ bool) {
	w.s.counts.Deadlocks++
	w.s.trace("source %d: %v gives way, to end the deadlock", w.s.id, victim)
}
