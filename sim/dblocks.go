package sim

import (
	"context"
	"slices"
	"time"

	"isochron/source"
)

// The lock manager of a database: shared, exclusive and intention locks, each with a queue.

type dbMode uint8

const (
	lockIX dbMode = 1 << iota // on a table, to write rows of it
	lockS
	lockX
)

// conflicts reports whether two transactions cannot hold these modes at the same time.
func (m dbMode) conflicts(o dbMode) bool {
	return m&lockX != 0 || o&lockX != 0 || m&lockS != 0 && o&lockIX != 0 || m&lockIX != 0 && o&lockS != 0
}

type dbClaim struct {
	key  string
	mode dbMode
}

type dbHold struct {
	x    *dbTxn
	mode dbMode
}

type dbLock struct {
	key   string
	holds []dbHold
	queue []*dbWait
}

// dbWait is a transaction that waits for a lock.
type dbWait struct {
	x    *dbTxn
	lock *dbLock
	mode dbMode
	done func(*source.Error)
	over bool
}

// lock acquires a lock, now or when it is granted.
func (d *database) lock(ctx context.Context, x *dbTxn, c dbClaim, done func(*source.Error)) {
	l := d.locks[c.key]
	if l == nil {
		l = &dbLock{key: c.key}
		d.locks[c.key] = l
	}
	have := l.mode(x)
	if have&c.mode != 0 || have&lockX != 0 {
		done(nil)
		return
	}
	w := &dbWait{x: x, lock: l, mode: c.mode, done: done}
	if l.free(w, l.queue) {
		l.grant(w)
		return
	}
	d.waits++
	x.wait = w
	if have != 0 {
		l.queue = slices.Insert(l.queue, 0, w)
	} else {
		l.queue = append(l.queue, w)
	}
	if d.deadlockAfter > 0 {
		d.w.After(d.deadlockAfter, func() { d.detect(w) })
	} else if d.detect(w) {
		return
	}
	d.watch(ctx, w, d.w.now+lockWaitOf(ctx, d))
}

// detect ends a wait that is part of a deadlock.
func (d *database) detect(w *dbWait) bool {
	if w.over || !w.x.waitsFor(w.x, map[*dbTxn]bool{}) {
		return false
	}
	d.dead++
	w.end(dbDeadlock())
	return true
}

// watch ends a wait that lasts too long or was cancelled.
func (d *database) watch(ctx context.Context, w *dbWait, until time.Duration) {
	const every = 2 * time.Millisecond
	d.w.After(min(every, max(until-d.w.now, 0)), func() {
		switch {
		case w.over:
		case ctx.Err() != nil:
			w.end(&source.Error{Code: 1317, State: "70100", Text: "query execution was interrupted", Ends: true})
		case d.w.now >= until:
			w.end(d.timeout())
		default:
			d.watch(ctx, w, until)
		}
	})
}

type lockWaitKey struct{}

func lockWaitOf(ctx context.Context, d *database) time.Duration {
	if t, ok := ctx.Value(lockWaitKey{}).(time.Duration); ok && t > 0 {
		return t
	}
	return d.lockWait
}

// mode returns the mode in which a transaction holds a lock.
func (l *dbLock) mode(x *dbTxn) dbMode {
	for _, h := range l.holds {
		if h.x == x {
			return h.mode
		}
	}
	return 0
}

// free reports whether neither a holder nor an earlier waiter conflicts.
func (l *dbLock) free(w *dbWait, before []*dbWait) bool {
	for _, h := range l.holds {
		if h.x != w.x && h.mode.conflicts(w.mode) {
			return false
		}
	}
	for _, o := range before {
		if o != w && o.mode.conflicts(w.mode) && l.mode(w.x) == 0 {
			return false
		}
	}
	return true
}

func (l *dbLock) grant(w *dbWait) {
	w.over, w.x.wait = true, nil
	if i := slices.IndexFunc(l.holds, func(h dbHold) bool { return h.x == w.x }); i >= 0 {
		l.holds[i].mode |= w.mode
	} else {
		l.holds = append(l.holds, dbHold{w.x, w.mode})
		w.x.held = append(w.x.held, l)
	}
	w.done(nil)
}

// end ends a wait without a lock; an error that requires it also ends the transaction.
func (w *dbWait) end(err *source.Error) {
	if w.over {
		return
	}
	w.over, w.x.wait = true, nil
	w.lock.queue = slices.DeleteFunc(w.lock.queue, func(o *dbWait) bool { return o == w })
	if err.Ends {
		w.x.db.end(w.x, false)
	}
	w.lock.next()
	w.done(err)
}

// next grants what can be granted, in order.
func (l *dbLock) next() {
	for i := 0; i < len(l.queue); {
		w := l.queue[i]
		if !l.free(w, l.queue[:i]) {
			i++
			continue
		}
		l.queue = slices.Delete(l.queue, i, i+1)
		l.grant(w)
		i = 0
	}
}

// waitsFor reports whether a transaction waits, directly or through others, for goal. Each
// transaction is visited once.
func (x *dbTxn) waitsFor(goal *dbTxn, seen map[*dbTxn]bool) bool {
	if x.wait == nil || seen[x] {
		return false
	}
	seen[x] = true
	for _, o := range x.wait.ahead() {
		if o == goal || o.waitsFor(goal, seen) {
			return true
		}
	}
	return false
}

// ahead returns the transactions for which a wait waits.
func (w *dbWait) ahead() (out []*dbTxn) {
	for _, h := range w.lock.holds {
		if h.x != w.x && h.mode.conflicts(w.mode) {
			out = append(out, h.x)
		}
	}
	for _, o := range w.lock.queue {
		if o == w {
			break
		}
		if o.mode.conflicts(w.mode) {
			out = append(out, o.x)
		}
	}
	return out
}

// release releases all locks of a transaction.
func (d *database) release(x *dbTxn) {
	held := x.held
	x.held = nil
	for _, l := range held {
		l.holds = slices.DeleteFunc(l.holds, func(h dbHold) bool { return h.x == x })
	}
	for _, l := range held {
		l.next()
	}
}

// reads reports whether a transaction holds locks on rows it has only read.
func (x *dbTxn) reads() bool {
	return slices.ContainsFunc(x.held, func(l *dbLock) bool { m := l.mode(x); return m&lockS != 0 && m&lockX == 0 })
}

// dropReads releases the locks of prepared transactions on rows they have only read, as MariaDB and
// MySQL do at a restart.
func (d *database) dropReads() {
	for _, x := range d.open {
		for _, l := range x.held {
			for i := range l.holds {
				if h := &l.holds[i]; h.x == x && h.mode&lockX == 0 {
					h.mode &^= lockS
				}
			}
			l.holds = slices.DeleteFunc(l.holds, func(h dbHold) bool { return h.mode == 0 })
		}
		x.held = slices.DeleteFunc(x.held, func(l *dbLock) bool { return l.mode(x) == 0 })
	}
}
