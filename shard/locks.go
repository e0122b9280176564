package shard

import (
	"isochron/txn"
	"isochron/yield"
)

// What this leader does about the lock table's answers beside what its requests do themselves.

// acquire asks the lock table, and counts and tells what comes of it.
func (l *leadership) acquire(q *yield.Request) yield.Effects {
	e := l.locks.Acquire(l.r.env.Now().Mono, q)
	for range e.Passed {
		l.tellPassedOn(q.Txn)
	}
	switch {
	case e.Waits != nil:
		l.r.counts.LockWaits++
		l.r.env.Trace("shard %d: %v waits for %v", l.r.cfg.ID, q.Txn, e.Behind)
	case e.Refused.Why == txn.WhyDeadlock:
		l.r.counts.Deadlocks++
	}
	return e
}

// mayWait says for how long a request waits, from its beginning on: so many milliseconds, 0: as
// long as any.
func (l *leadership) mayWait(q *yield.Request, began arrival, millis int64) {
	bound := l.r.cfg.Params.LockWait
	if millis > 0 {
		bound = millisToDuration(millis)
	}
	q.Since, q.Deadline, q.Number = began.Mono, began.Mono+bound, began.number
}

// woundAll takes the locks of younger transactions that have not voted here.
func (l *leadership) woundAll(victims []txn.ID, by txn.ID) {
	for _, id := range victims {
		l.r.counts.Wounds++
		l.undo(id, by, false)
	}
}

func (l *leadership) tellPassedOn(id txn.ID) {
	l.r.env.Trace("shard %d: %v passes on what it has written of a hot row", l.r.cfg.ID, id)
}
