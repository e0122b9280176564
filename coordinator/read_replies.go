package coordinator

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// Replies of a round of reads: its parts are completed as they are answered, and the client is
// answered when all are.

// receive handles a node's reply.
func (rs *reads) receive(from txn.NodeID, m *txn.AccessReply) {
	if m.Term != 0 {
		rs.leaders.observe(m.Shard, from, m.Term)
	}
	p := rs.parts[m.Request]
	if p == nil {
		return
	}
	if m.HasUndecidedWrite && (!rs.cfg.Params.NearAsIs || p.access.AsOf != 0) {
		p.askLeader()
		rs.classes.mark(p)
		rs.send(p)
		return
	}
	if p.access.Batch != nil {
		rs.worked(p, m)
		return
	}
	t, r := p.r.t, p.r
	if rs.cfg.Spec.Decide.CoordinatorTimestamps() {
		rs.clock.Observe(m.At) // its commit must follow the rows that it has read
	}
	rs.snapshotReads.observe(m.At)
	rs.temperatures.observe(m)
	r.parts = append(r.parts, rs.reports.part(p, m))
	if m.Term != 0 {
		t.touches(m.Shard).led = true
	}
	if m.Refused != 0 {
		rs.protocolSwitch.observe(m.ProtocolSeq)
		delete(rs.parts, p.id)
		rs.refused(p, m)
		return
	}
	delete(rs.parts, p.id)
	rs.forecasts.executed(p)
	rs.answered(r)
	// A new leader does not hold its predecessor's locks, and its rows need not be consistent with
	// the rows read under them: the client must not see them.
	tc := t.touches(m.Shard)
	if m.Term != 0 && tc.lockTerm != 0 && tc.lockTerm != m.Term {
		rs.cfg.Params.Rules.Hit(coverage.LocksOfTerm)
		rs.executor.fail(t, txn.Errorf(txn.KindAborted, "shard %d changed its leader, and locks were lost with it", m.Shard).Because(txn.CauseLeader))
		return
	}
	if p.access.Lock != txn.LockNone {
		tc.lockTerm = m.Term
	}
	t.publish = append(t.publish, m.Publish...)
	t.readUncommitted = t.readUncommitted || m.Uncommitted
	now, same := txn.Version{}, len(m.Rows) == len(p.access.Keys) && len(m.Scans) == len(p.pieces)
	if same {
		now, same = rs.takeIn(p, m)
	}
	if !same {
		rs.cfg.Params.Rules.Hit(coverage.TwoVersions)
		rs.executor.fail(t, txn.Changed(now))
		return
	}
	t.observeLeases(p, m)
	r.final = r.final && m.OnlyRead
	r.at = max(r.at, m.At)
	if len(t.spans) > maxSpans {
		rs.executor.fail(t, txn.Errorf(txn.KindInvalidRequest, "the transaction reads more than %d ranges; split it", maxSpans))
		return
	}
	if t.seen.bytes+t.shown.bytes > maxReadBytes {
		rs.executor.fail(t, txn.Errorf(txn.KindTooLarge, "a transaction reads at most %d bytes of rows; read them in several, by ranges of the key", maxReadBytes))
		return
	}
	if r.open == 0 {
		rs.finish(r)
	}
}

// refused: a lock that was not granted does not end the transaction.
func (rs *reads) refused(p *shardRequest, m *txn.AccessReply) {
	t, err := p.r.t, txn.Errorf(m.Refused, "%s", m.Reason).Because(m.Cause)
	if m.Refused == txn.KindLockTimeout {
		rs.reports.timedOut()
		t.admission.missed = true
	}
	if m.Refused == txn.KindLockTimeout || m.Refused == txn.KindNoWait {
		rs.giveUp(t, err)
		return
	}
	rs.executor.fail(t, err)
}

// takeIn records the rows read; false if a row contradicts an earlier read, with the version found.
func (rs *reads) takeIn(p *shardRequest, m *txn.AccessReply) (now txn.Version, same bool) {
	t := p.r.t
	into := t.readSet(p.r.asOf)
	before := covered(nil)
	if p.r.asOf == 0 {
		before = covered(t.spans)
	}
	// A row that exists now and did not when a span around it was read is new.
	appeared := func(row txn.Row) bool { return row.Value != nil && into.find(row.Key) < 0 && before(row.Key) }
	for i, row := range m.Rows {
		if row.Key != p.access.Keys[i] {
			return now, false // a reply to another request
		}
		if p.access.Wait == txn.SkipLocked && row.Value == nil {
			continue // skipped, or absent: in both cases no lock
		}
		if appeared(row) || !into.note(row, p.access.Lock, false) {
			return row.Version, false
		}
	}
	var rest *shardRequest
	last := p.r.final && m.OnlyRead && !slices.ContainsFunc(m.Scans, func(s txn.ScanRows) bool { return s.More })
	for i, got := range m.Scans {
		pc := p.pieces[i]
		if !last && p.access.Wait != txn.LookLocked {
			into.grow(len(got.Rows))
		}
		for _, row := range got.Rows {
			if last || p.access.Wait == txn.LookLocked {
				break // nothing is read after it; or unlocked, and not to be validated
			}
			if appeared(row) || !into.note(row, p.access.Lock, p.access.Wait != txn.SkipLocked) {
				return row.Version, false
			}
		}
		if pc.rows == nil {
			pc.rows = slices.Clip(got.Rows)
		} else {
			pc.rows = append(pc.rows, got.Rows...)
		}
		if !p.access.Wait.Skips() && p.r.asOf == 0 {
			check := spanCheck(pc.scan, got)
			check.From = m.Leased
			t.spans = append(t.spans, readSpan{check})
		}
		pc.more = got.More
		if p.r.req.Read.Page || !got.More || pc.scan.Limit > 0 && len(pc.rows) >= pc.scan.Limit || len(got.Rows) == 0 {
			pc.done = true
			continue
		}
		if rest == nil {
			rest = newPart(p.r, *p.access)
			rest.warm = p.warm
			rest.access.Keys, rest.access.Scans, rest.access.OnlyRead, rest.access.HoldsNothing = nil, nil, false, false
			p.r.final = false
		}
		pc.scan = remainder(pc.scan, got)
		rest.access.Scans = append(rest.access.Scans, pc.asked())
		rest.pieces = append(rest.pieces, pc)
	}
	if rest != nil {
		t.stats.Rounds++
		rs.add(rest)
		rs.send(rest)
	}
	return now, true
}

// asked is the scan of the rest of a fragment.
func (pc *scanFragment) asked() txn.Scan {
	s := pc.scan
	if s.Limit > 0 {
		s.Limit -= len(pc.rows)
	}
	return s
}

// remainder is the part of a scan that a reply left out.
func remainder(s txn.Scan, got txn.ScanRows) txn.Scan {
	last := got.Rows[len(got.Rows)-1].Key
	if s.Reverse {
		s.Span.End = last
	} else {
		s.Span.Start = last + "\x00"
	}
	return s
}

// spanCheck returns the span and rows that validation has to find again.
func spanCheck(s txn.Scan, got txn.ScanRows) txn.SpanCheck {
	rows := got.Rows
	if s.Reverse {
		rows = make([]txn.Row, len(got.Rows))
		for i, row := range got.Rows {
			rows[len(rows)-1-i] = row
		}
	}
	return txn.SpanCheck{Span: txn.Covered(s, got), Digest: txn.Digest(rows), Count: len(rows)}
}

// finish answers the client.
func (rs *reads) finish(r *round) {
	t := r.t
	known := t.readSet(r.asOf)
	t.round = nil
	t.final = r.final
	rs.reports.round(r)
	resp := t.response(nil)
	resp.At, resp.Publish = r.at, t.publish
	if r.asOf != 0 {
		resp.At = r.asOf
	}
	t.publish = nil
	for _, k := range r.req.Read.Gets {
		row, ok := known.get(k)
		if !ok {
			row.row.Key = k
		}
		resp.Rows = append(resp.Rows, row.row)
	}
	for i, pieces := range r.pieces {
		s := r.scans[i]
		var rows []txn.Row
		more := false
		for _, pc := range pieces {
			if more {
				break // a page has no gaps
			}
			if rows == nil {
				rows = slices.Clip(pc.rows)
			} else {
				rows = append(rows, pc.rows...)
			}
			more = r.req.Read.Page && pc.more
		}
		if s.Limit > 0 && len(rows) > s.Limit {
			rows, more = rows[:s.Limit], true
		}
		resp.More = append(resp.More, more)
		if !r.req.Read.Wait.Skips() && !r.final {
			known.scanned(scanKey{s, r.lock}, rows)
		}
		resp.Scans = append(resp.Scans, rows)
	}
	if r.req.Then != nil {
		rs.proceed(t, r.req, resp)
		return
	}
	r.req.answer(resp)
}

// proceed commits the writes that an OpUpdate makes of its reads, without a round trip to its
// client: it holds its locks for no longer than the commit takes.
func (rs *reads) proceed(t *transaction, req *Request, resp Response) {
	writes, ok := req.Then(resp.Rows)
	if !ok {
		if t.expectsAbsent { // what it declined was not read
			t.seen, t.expectsAbsent = readSet{}, false
		}
		resp.Declined = true
		req.answer(resp)
		return
	}
	rs.executor.commit(t, req, writes)
}

// giveUp ends the pending round, if any.
func (rs *reads) giveUp(t *transaction, err *txn.Error) {
	r := t.round
	if r == nil {
		return
	}
	t.round = nil
	for _, p := range rs.partsOf(r) {
		r.parts = append(r.parts, rs.reports.part(p, nil))
		delete(rs.parts, p.id)
	}
	rs.reports.round(r)
	r.req.answer(t.response(err))
}

// partsOf lists the unanswered parts of a round, in the order of their requests.
func (rs *reads) partsOf(r *round) (out []*shardRequest) {
	for _, p := range r.asked {
		if rs.parts[p.id] == p {
			out = append(out, p)
		}
	}
	return out
}
