package shard

import (
	"slices"

	"isochron/txn"
	"isochron/yield"
)

// reader answers reads of the newest rows at a leader, and takes the requested
// locks.
//
// Invariant: after waiting for a conflicting transaction all rows are read again, so that an
// answer is of one time.
type reader struct {
	cfg   *Config
	term  uint64
	clock *txn.Clock

	rows      *latestRows
	locks     *locks
	written   *written
	depends   *dependencyTracker
	barrier   *leaderBarrier
	switching *switching
	gathering *prepareBatcher
	leases    *yield.Leases // nil: the protocol has no row leases
}

// access answers a read, has it wait, or refuses it. The caller excludes protocols not in force yet.
func (r *reader) access(from txn.NodeID, m *txn.Access, began arrival) {
	if m.Lock != txn.LockNone && r.switching.refuses(m.ProtocolSeq) {
		r.refuse(from, m, txn.ReasonProtocolSwitched.Refusal(), began)
		return
	}
	out, c := r.gather(m)
	if no := r.forbids(m, c); no.Refused() {
		r.refuse(from, m, no, began)
		return
	}
	q := r.asks(m, c, began)
	e := r.locks.acquire(&q)
	switch next := began.behind(e.BlockedBy); {
	case e.Again:
		r.access(from, m, began) // bounded: each round removes its victims
		return
	case e.Refused.Refused():
		r.refuse(from, m, e.Refused, next)
		return
	case e.Waits != nil:
		e.Waits.Retry = func() { r.access(from, m, next) }
		e.Waits.Refuse = func(reason txn.Refusal) { r.refuse(from, m, reason, next) }
		return
	}
	out.Publish, out.Warm = e.Pass, warm(r.cfg.Env, m)
	r.leases.FillReply(out)
	if m.Clock {
		out.At = r.clock.Next(r.cfg.Env.Now()) // above all revealed versions: their timestamps were observed
	}
	out.OnlyRead = m.OnlyRead && r.barrier.leased()
	r.gathering.reads(m)
	r.answer(from, m, out, c.Spans, began)
}

// forbids returns the reason for which a read cannot be answered, whatever locks are free.
func (r *reader) forbids(m *txn.Access, c yield.LockSet) txn.Refusal {
	if !yield.Guarded(r.rows.row, m.SchemaChecks) {
		return txn.ReasonSchemaChanged.Refusal()
	}
	return r.written.since(m.Txn, m.Since, slices.Concat(c.Shared, c.Exclusive), c.Spans)
}

// refuse answers a read with a refusal.
func (r *reader) refuse(from txn.NodeID, m *txn.Access, reason txn.Refusal, began arrival) {
	no := noRows(r.cfg.ID, m, reason)
	no.ProtocolSeq = r.switching.seq()
	no.WaitedNanos, no.WaitedFor = began.waited(r.cfg.Env.Now())
	r.cfg.Env.Send(txn.Coordinator(from), txn.Message{AccessReply: no})
}

func noRows(s txn.ShardID, m *txn.Access, reason txn.Refusal) *txn.AccessReply {
	return &txn.AccessReply{Shard: s, Request: m.Request, Refused: reason.Kind(), Reason: reason.String(), Cause: reason.Cause()}
}

// asks returns the lock request of a read.
func (r *reader) asks(m *txn.Access, c yield.LockSet, began arrival) yield.LockRequest {
	q := yield.LockRequest{Phase: yield.UnlockedRead, Txn: m.Txn, Age: m.Age, LockSet: c, Request: m.Request, WaitsOnlyHere: m.WaitsOnlyHere}
	switch {
	case m.Lock != txn.LockNone && m.Wait != txn.LookLocked:
		q.Phase, q.NoWait = yield.Execute, m.Wait == txn.NoWait
	case m.Reserves:
		q.Phase = yield.Reserving
	}
	r.locks.mayWait(&q, began, m.WaitMillis)
	return q
}

// gather reads the requested rows, and returns the locks that the answer needs.
func (r *reader) gather(m *txn.Access) (*txn.AccessReply, yield.LockSet) {
	out := &txn.AccessReply{Shard: r.cfg.ID, Request: m.Request, Term: r.term}
	c := yield.LockSet{HoldsNothing: m.HoldsNothing, CommittedOnly: m.CommittedOnly}
	claimKey := func(k txn.Key) {
		if m.Wait == txn.LookLocked {
			return
		}
		if m.Lock == txn.LockExclusive {
			c.Exclusive = append(c.Exclusive, k)
		} else {
			c.Shared = append(c.Shared, k)
		}
	}
	var skip func(txn.Key) bool
	if m.Wait.Skips() && m.Lock != txn.LockNone {
		skip = func(k txn.Key) bool { return r.locked(m, k) }
	}
	for _, k := range m.Keys {
		if skip != nil && skip(k) {
			out.Rows = append(out.Rows, txn.Row{Key: k})
			continue
		}
		row, uncommitted := r.rowFor(m, k)
		out.Rows, out.Uncommitted = append(out.Rows, row), out.Uncommitted || uncommitted
		claimKey(k)
	}
	for _, s := range m.Scans {
		rows := r.rows.scan(s, skip, !m.OnlyRead)
		out.Scans = append(out.Scans, rows)
		if !m.Wait.Skips() {
			c.Spans = append(c.Spans, txn.Covered(s, rows)) // a shared lock of all rows in it
		}
		if m.Lock == txn.LockExclusive || m.Lock != txn.LockNone && m.Wait.Skips() {
			for _, row := range rows.Rows {
				claimKey(row.Key)
			}
		}
	}
	return out, c
}

// answer sends the rows. An OnlyRead answer is not validated later: it waits until the
// writers of its rows are decided.
func (r *reader) answer(from txn.NodeID, m *txn.Access, out *txn.AccessReply, spans []txn.Span, began arrival) {
	if !out.OnlyRead || !r.cfg.Spec.Reveal.Early() {
		r.send(from, out, began)
		return
	}
	keys := slices.Clone(m.Keys)
	for _, g := range m.SchemaChecks {
		keys = append(keys, g.Key)
	}
	r.depends.whenDecided(keys, spans, began, func(committed bool) {
		if committed {
			r.send(from, out, began)
		} else {
			r.access(from, m, began) // bounded: its deadline counts from its arrival
		}
	}, func() {
		r.cfg.Env.Send(txn.Coordinator(from), txn.Message{AccessReply: noRows(r.cfg.ID, m, txn.ReasonReadTimeout.Refusal())})
	})
}

func (r *reader) send(to txn.NodeID, out *txn.AccessReply, began arrival) {
	out.WaitedNanos, out.WaitedFor = began.waited(r.cfg.Env.Now())
	r.cfg.Env.Send(txn.Coordinator(to), txn.Message{AccessReply: out})
}

// rowFor reads a row for a request: a request that may write the row gets its last
// uncommitted value, if the row has one.
func (r *reader) rowFor(m *txn.Access, k txn.Key) (row txn.Row, uncommitted bool) {
	if m.Lock == txn.LockExclusive {
		if row, ok := r.locks.Last(k, m.Txn); ok {
			return row, true
		}
	}
	return r.rows.row(k), false
}

// locked reports whether another transaction holds a conflicting lock on the key.
func (r *reader) locked(m *txn.Access, k txn.Key) bool {
	c := yield.LockSet{Shared: []txn.Key{k}}
	if m.Lock == txn.LockExclusive {
		c = yield.LockSet{Exclusive: []txn.Key{k}}
	}
	e := r.locks.Acquire(r.cfg.Env.Now().Mono, &yield.LockRequest{Phase: yield.Execute, Txn: m.Txn, Age: m.Age, LockSet: c, DryRun: true})
	return !e.Granted()
}
