package shard

import (
	"slices"

	"isochron/txn"
	"isochron/yield"
)

// OnAccess answers reads: any replica a nearest one, the leader all others.
func (r *Replica) OnAccess(from txn.NodeID, m *txn.Access) {
	switch {
	case m.AsOf != 0:
		r.accessAsOf(from, m)
	case m.Present && r.Serving():
		r.lead.present(from, m)
	case m.Present:
		r.notLeader(from, txn.NotLeader{Request: m.Request})
	case r.Serving() && r.lead.locks.Asks(m.Txn, m.Request): // it was sent again
	case r.Serving():
		r.lead.access(from, m, r.arrives())
	case m.Nearest && r.state.applied.Index > 0:
		r.accessNearest(from, m)
	default:
		r.notLeader(from, txn.NotLeader{Request: m.Request})
	}
}

func (r *Replica) notLeader(to txn.NodeID, n txn.NotLeader) {
	n.Shard = r.cfg.ID
	n.Leader, n.Term = r.group.Leader()
	if n.Leader == r.cfg.Self && !r.Serving() {
		n.Leader = 0 // elected, not yet serving: ask again soon
	}
	r.env.Send(txn.Coordinator(to), txn.Message{NotLeader: &n})
}

// accessNearest answers from the applied state, and says if it may be old.
func (r *Replica) accessNearest(from txn.NodeID, m *txn.Access) {
	rows, out := r.newest(), &txn.AccessReply{Shard: r.cfg.ID, Request: m.Request}
	for _, k := range m.Keys {
		out.Rows = append(out.Rows, rows.row(k))
		out.Unsettled = out.Unsettled || r.state.pending.Touches(k)
	}
	for _, s := range m.Scans {
		found := rows.scan(s, nil)
		out.Scans = append(out.Scans, found)
		out.Unsettled = out.Unsettled || r.state.pending.TouchesSpan(txn.Covered(s, found))
	}
	r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: out})
}

// access reads at the leader, taking the locks that are asked for. What is in
// the way is waited for, and then all is read anew, so that an answer is of one
// instant.
func (l *leadership) access(from txn.NodeID, m *txn.Access, began arrival) {
	r := l.r
	if m.Lock != txn.LockNone && l.switching.refuses(m.ProtocolSeq) {
		l.refuseRead(from, m, txn.WhyOtherProtocol.Refusal(), began)
		return
	}
	if m.Lock != txn.LockNone && l.switching.ahead(m.ProtocolSeq) {
		r.notLeader(from, txn.NotLeader{Request: m.Request})
		return
	}
	out, c := l.gather(m)
	if no := l.forbids(m, c); no.Refused() {
		l.refuseRead(from, m, no, began)
		return
	}
	q := l.asks(m, c, began)
	e := l.locks.acquire(&q)
	switch next := began.behind(e.Behind); {
	case e.Again:
		l.access(from, m, began) // bounded: each turn removes its victims
		return
	case e.Refused.Refused():
		l.refuseRead(from, m, e.Refused, next)
		return
	case e.Waits != nil:
		e.Waits.Retry = func() { l.access(from, m, next) }
		e.Waits.Refuse = func(why txn.Refusal) { l.refuseRead(from, m, why, next) }
		return
	}
	out.Publish = e.Pass
	if m.Clock {
		out.At = r.clock.Next(r.env.Now()) // whatever is revealed here was observed
	}
	out.Final = m.Final && l.r.group.Leased()
	l.runs(m)
	l.answerRead(from, m, out, c.Spans, began)
}

// refuseRead answers that a read gets no rows.
func (l *leadership) refuseRead(from txn.NodeID, m *txn.Access, why txn.Refusal, a arrival) {
	no := noRows(l.r.cfg.ID, m, why)
	no.ProtocolSeq = l.switching.seq()
	no.WaitedNanos, no.WaitedFor = a.waited(l.r.env.Now())
	l.r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: no})
}

func noRows(s txn.ShardID, m *txn.Access, why txn.Refusal) *txn.AccessReply {
	return &txn.AccessReply{Shard: s, Request: m.Request, Refused: why.Kind(), Reason: why.String(), Cause: why.Cause()}
}

// asks is the question of a read to the lock table.
func (l *leadership) asks(m *txn.Access, c yield.Claim, began arrival) yield.Request {
	q := yield.Request{Phase: yield.Instant, Txn: m.Txn, Age: m.Age, Claim: c, Request: m.Request, Alone: m.Alone}
	if m.Lock != txn.LockNone {
		q.Phase, q.NoWait = yield.Execute, m.Wait == txn.NoWait
	}
	l.locks.mayWait(&q, began, m.WaitMillis)
	return q
}

// gather reads what is asked for, and tells what has to be claimed for it.
func (l *leadership) gather(m *txn.Access) (*txn.AccessReply, yield.Claim) {
	out := &txn.AccessReply{Shard: l.r.cfg.ID, Request: m.Request, Term: l.term}
	c := yield.Claim{Fresh: m.Fresh, Sure: m.Sure}
	claimKey := func(k txn.Key) {
		if m.Lock == txn.LockExclusive {
			c.Exclusive = append(c.Exclusive, k)
		} else {
			c.Shared = append(c.Shared, k)
		}
	}
	var skip func(txn.Key) bool
	if m.Wait == txn.SkipLocked && m.Lock != txn.LockNone {
		skip = func(k txn.Key) bool { return l.locked(m, k) }
	}
	for _, k := range m.Keys {
		if skip != nil && skip(k) {
			out.Rows = append(out.Rows, txn.Row{Key: k})
			continue
		}
		row, uncommitted := l.rowFor(m, k)
		out.Rows, out.Uncommitted = append(out.Rows, row), out.Uncommitted || uncommitted
		claimKey(k)
	}
	for _, s := range m.Scans {
		rows := l.rows.scan(s, skip)
		out.Scans = append(out.Scans, rows)
		if m.Lock != txn.LockNone {
			for _, row := range rows.Rows {
				claimKey(row.Key)
			}
		}
		if skip == nil {
			c.Spans = append(c.Spans, txn.Covered(s, rows))
		}
	}
	return out, c
}

// answerRead sends what was read. Nobody will validate an answer that is final:
// it waits until what it shows is decided.
func (l *leadership) answerRead(from txn.NodeID, m *txn.Access, out *txn.AccessReply, spans []txn.Span, began arrival) {
	if !out.Final || !l.r.cfg.Row.Reveal.Early() {
		l.sendRead(from, out, began)
		return
	}
	keys := slices.Clone(m.Keys)
	for _, g := range m.Guards {
		keys = append(keys, g.Key)
	}
	l.depends.whenDecided(keys, spans, began, func(committed bool) {
		if committed {
			l.sendRead(from, out, began)
		} else {
			l.access(from, m, began) // bounded: its deadline counts from its beginning
		}
	}, func() {
		l.r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: noRows(l.r.cfg.ID, m, txn.WhyNotDecidedInTime.Refusal())})
	})
}

func (l *leadership) sendRead(to txn.NodeID, out *txn.AccessReply, began arrival) {
	out.WaitedNanos, out.WaitedFor = began.waited(l.r.env.Now())
	l.r.env.Send(txn.Coordinator(to), txn.Message{AccessReply: out})
}

// rowFor reads a row for a request: who may write it goes on from the last
// uncommitted value, if the row has one.
func (l *leadership) rowFor(m *txn.Access, k txn.Key) (row txn.Row, uncommitted bool) {
	if m.Lock == txn.LockExclusive {
		if row, ok := l.locks.Last(k, m.Txn); ok {
			return row, true
		}
	}
	return l.rows.row(k), false
}

// locked reports whether another holds the key against the request.
func (l *leadership) locked(m *txn.Access, k txn.Key) bool {
	c := yield.Claim{Shared: []txn.Key{k}}
	if m.Lock == txn.LockExclusive {
		c = yield.Claim{Exclusive: []txn.Key{k}}
	}
	e := l.locks.Acquire(l.r.env.Now().Mono, &yield.Request{Phase: yield.Execute, Txn: m.Txn, Age: m.Age, Claim: c, Looks: true})
	return !e.Granted()
}
