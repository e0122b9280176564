package source

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// Deadlocks over several sources, or sources and shards. A database detects only its own waits. The
// agent finds out which branch waits for which at its source, as a leader does for its shard, and takes
// part in the search with probes (yield.Foreign).
//
// How waits are known. A batch names the records its statements lock (txn.Locked), and a branch keeps a
// lock until its end. A running statement that is to lock a record another branch has locked, one of
// both exclusively, cannot end before that branch does. This is a wait even if the statement has not
// reached the lock yet, and a cycle of such waits is certain to be a deadlock. For waits that do not
// follow from records (ranges, conditions) the source is queried, through a driver that is Waiting:
// PostgreSQL reports its waits to any account. Where the source does not report them, a deadlock by such
// a wait ends by the lock wait's bound.
//
// Nothing is done while statements are quick: the agent looks once a statement has run for half of
// SourceWaits, and again every half of it.

// Waiting is a Driver that can report waits.
type Waiting interface {
	// Waits lists the branches that the given ones, each with a statement under way, wait for now.
	// known is false if the account may not see them; the agent then asks again after refusedFor.
	Waits(ctx context.Context, of []Name) (list []Wait, known bool, err error)
}

// Wait is one branch's wait for the end of another at one source.
type Wait struct{ Name, For Name }

const (
	recordsMax = 1024             // records kept for one branch
	refusedFor = 30 * time.Second // how long a source that does not report waits is not queried
)

// progress counts the statements done of the batch under way; it is written outside the loop.
type progress struct{ done atomic.Int32 }

// waitings detects waits between an agent's branches.
type waitings struct {
	*state
	foreign  *yield.Foreign // nil: detection is off
	after    time.Duration
	lookAt   time.Duration
	asking   bool
	askAt    time.Duration // the source is not queried before
	reported []reportedWait
}

// reportedWait is a wait reported by the source, and the statement that waited.
type reportedWait struct {
	Wait
	step uint64
}

// newWaitings returns the detector, which is off without SourceWaits and over versions, where no
// statement waits.
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

// running reports whether a client's batch is under way for a branch.
func (b *branch) running() bool {
	return b.busy && b.phase == working && b.todo != nil && b.decided == nil && !b.txn.IsZero()
}

// statement returns the number of the statement under way, and since when it is known to be.
func (b *branch) statement(now time.Duration) (step uint64, since time.Duration) {
	done := uint64(b.progress.done.Load())
	step = b.step<<16 | done
	if b.lastSeen.step != step {
		b.lastSeen.step, b.lastSeen.since = step, now
		if done == 0 {
			b.lastSeen.since = b.workedAt
		}
	}
	return step, b.lastSeen.since
}

// nextWake returns when tick next has work.
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

// tick looks for waits if due.
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
		ws.reported = nil // not before: the earlier report holds while the source answers, which may take long
		if ws.asking = false; !a.known {
			ws.askAt = ws.now() + refusedFor
		}
		for _, w := range a.list {
			ws.reported = append(ws.reported, reportedWait{w, steps[w.Name.Attempt]})
		}
		ws.look()
	})
}

// answered is a source's report of waits.
type answered struct {
	list  []Wait
	known bool
}

// look refreshes the waits and sends probes for long ones.
func (ws *waitings) look() {
	ws.see()
	ws.foreign.Look(ws.now())
}

// see reports the present waits to the search.
func (ws *waitings) see() {
	now, holders := ws.now(), ws.holders()
	var list []yield.ForeignWait
	for _, b := range ws.long(now) {
		list = append(list, b.waitsFor(now, holders)...)
	}
	ws.foreign.Report(now, append(list, ws.fromReports(now, holders)...))
}

// long lists the branches whose batch has run for half of SourceWaits.
func (ws *waitings) long(now time.Duration) (out []*branch) {
	for _, b := range ws.branches.inOrder() {
		if b.running() && now >= b.workedAt+ws.after/2 {
			out = append(out, b)
		}
	}
	return out
}

// unexplained lists the long branches for which records explain no wait. Only these are queried at the
// source: for one in a lock queue it would report the waiter before it, and a waiter at the head of a
// queue, which holds no lock, must not be aborted in place of the lock's holder.
func (ws *waitings) unexplained(now time.Duration) []*branch {
	holders := ws.holders()
	return slices.DeleteFunc(ws.long(now), func(b *branch) bool { return len(b.waitsFor(now, holders)) > 0 })
}

// fromReports returns the reported waits whose ends and statements are still the same.
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

// holders returns the branches that have locked each record.
func (ws *waitings) holders() map[txn.Key][]*branch {
	out := map[txn.Key][]*branch{}
	for _, b := range ws.branches.inOrder() {
		if b.running() {
			b.hold(b.todo.Batch, int(b.progress.done.Load()))
		}
		for k := range b.locked { // order: each record by itself
			out[k] = append(out[k], b)
		}
	}
	return out
}

// waitsFor infers from records the waits of a branch's statement under way.
func (b *branch) waitsFor(now time.Duration, holders map[txn.Key][]*branch) (out []yield.ForeignWait) {
	step, since := b.statement(now)
	wants := b.locksUnderWay()
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

// locksUnderWay returns the locks of the statement under way.
func (b *branch) locksUnderWay() txn.Locked {
	if locks, i := b.todo.Batch.Locks, int(b.progress.done.Load()); i < len(locks) {
		return locks[i]
	}
	return txn.Locked{}
}

// hold notes the locks of the first done statements of a batch.
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

// probe forwards a probe along the waits at this source.
func (ws *waitings) probe(m *txn.DeadlockProbe) {
	if ws.foreign != nil && m.WellFormed() {
		ws.see()
		ws.foreign.Probe(m)
	}
}

// recheck checks a cycle's waits in the confirmation pass.
func (ws *waitings) recheck(m *txn.DeadlockConfirm) {
	if ws.foreign != nil && m.WellFormed() {
		ws.see()
		ws.foreign.Confirm(m)
	}
}

// deadlock is MySQL's error number of a deadlock.
const deadlock = 1213

// wideDeadlock is the victim's error.
func wideDeadlock() *Error {
	return &Error{Code: deadlock, State: "40001", Again: true, Ends: true,
		Text: "deadlock over several databases: the transaction was the youngest of the cycle and was rolled back; retry the transaction"}
}

// yields aborts a running branch to end a deadlock.
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

// detectorEnv sends the search's messages, and counts and traces its results.
type detectorEnv struct{ s *state }

// Send implements yield.DetectorEnv.
func (w detectorEnv) Send(to txn.Address, m txn.Message) { w.s.env.Send(to, m) }

// Probed implements yield.DetectorEnv.
func (w detectorEnv) Probed(id, waiter txn.ID) {
	w.s.trace("source %d: %v has blocked %v for long and is probed", w.s.id, id, waiter)
}

// CycleSeen implements yield.DetectorEnv.
func (w detectorEnv) CycleSeen(cycle []txn.WaitEdge) {
	w.s.trace("source %d: %s", w.s.id, txn.ReportCycle(cycle))
}

// NoDeadlock implements yield.DetectorEnv.
func (w detectorEnv) NoDeadlock(e txn.WaitEdge) {
	w.s.trace("source %d: %v no longer waits for %v: no deadlock", w.s.id, e.Txn, e.For)
}

// Broken implements yield.DetectorEnv.
func (w detectorEnv) Broken(victim txn.ID, _ bool) {
	w.s.counts.Deadlocks++
	w.s.trace("source %d: aborts %v to end the deadlock", w.s.id, victim)
}
