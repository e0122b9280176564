package coordinator

import (
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// round is one OpRead on its way.
type round struct {
	t      *transaction
	req    *Request
	lock   txn.Lock
	open   int // parts not answered
	final  bool
	at     txn.Timestamp // the latest that a Present was answered
	asOf   txn.Timestamp // the moment that is read, 0: what is newest
	wide   bool
	pieces [][]*piece // of each scan, in the order of its result
	scans  []txn.Scan
	began  time.Duration
	parts  []txn.PartReport // answered
	locks  bool             // a part asks for locks
}

// piece is the share of one scan that one shard holds.
type piece struct {
	scan txn.Scan // what is still to be read of it
	rows []txn.Row
	done bool
	more bool // of its last answer
}

// part is one Access on its way.
type part struct {
	id       uint64
	r        *round
	access   *txn.Access
	pieces   []*piece // of access.Scans
	to       txn.NodeID
	wakeAt   time.Duration
	deadline time.Duration
	tries    int
	began    time.Duration
}

// readDeadline bounds a round beyond its waits for locks.
const readDeadline = 10 * time.Second

// read starts a round: what is known already is not asked again.
func (c *Coordinator) read(t *transaction, req *Request) {
	r := &round{t: t, req: req, lock: c.lockOf(t, req.Read, 0), asOf: c.momentOf(t, req)}
	known := t.view(r.asOf)
	parts := map[txn.ShardID]*part{}
	get := func(s txn.ShardID) *part {
		if parts[s] == nil {
			parts[s] = &part{r: r, access: &txn.Access{
				Shard: s, Txn: t.id, Age: t.age, Lock: c.lockOf(t, req.Read, s), Wait: req.Read.Wait, WaitMillis: t.lockWait,
				AsOf: r.asOf, HoldMillis: t.hold, Present: req.Read.Present}}
			c.weaken(t, req, parts[s].access)
		}
		return parts[s]
	}
	asked := map[txn.Key]bool{}
	for _, k := range req.Read.Gets {
		have, held := known.rows[k]
		if held && have.lock >= r.lock && !req.Read.ForWrite || asked[k] {
			continue
		}
		asked[k] = true
		s, ok := c.env.Directory().ShardOf(string(k))
		if !ok {
			c.answer(req, t.response(txn.Errorf(txn.KindMisuse, "no shard holds the key %q", k)))
			return
		}
		if held && have.lock >= c.lockOf(t, req.Read, txn.ShardID(s)) {
			continue
		}
		p := get(txn.ShardID(s))
		p.access.Keys = append(p.access.Keys, k)
	}
	if err := c.cutScans(r, get); err != nil {
		c.answer(req, t.response(err))
		return
	}
	t.final = false
	if len(parts) == 0 {
		c.finishRound(r)
		return
	}
	t.round, r.began = r, c.env.Now().Mono
	t.stats.Rounds++
	r.final = req.Read.Final && c.byLease() && r.asOf == 0 && t.level == txn.Serializable && len(parts) == 1 && t.stats.Rounds == 1
	fresh := len(parts) == 1 && !t.locked()
	for _, s := range sortedShards(parts) {
		p := parts[s]
		p.access.Fresh = fresh
		if r.final {
			p.access.Final = true
			p.access.Lock = req.Read.Lock
			p.access.Guards = guardsAt(req.Guards, s)
		}
		c.startPart(p)
	}
}

// lockOf is the lock that a read takes at a shard: what the client asked for, or
// what the row's policy takes for reads that go to the leader. Shard 0 asks for
// what it takes at every shard.
func (c *Coordinator) lockOf(t *transaction, r txn.Read, s txn.ShardID) txn.Lock {
	switch {
	case t.asOf != 0 || r.Present || c.cfg.Row.Yield.NeverLocks:
		return txn.LockNone
	case t.level != txn.Serializable && r.ForWrite:
		return txn.LockExclusive
	case t.level != txn.Serializable:
		return r.Lock
	case r.Lock != txn.LockNone || !c.cfg.Row.Yield.LockReads:
		return r.Lock
	case !c.readsAtLeader(t) && (s == 0 || !c.locksAtHome(t, r, s)):
		return txn.LockNone
	case r.ForWrite:
		return txn.LockExclusive
	}
	return txn.LockShared
}

// readsAtLeader: the second try of a transaction always does (D2PC section 4.6).
func (c *Coordinator) readsAtLeader(t *transaction) bool {
	return c.cfg.Row.Reads == protocol.ReadLeader || t.try > 0
}

// locksAtHome: where the leader is in this region, a lock costs no wide-area
// message and saves the abort of a check that fails. Who only reads takes none:
// it would be in the way of others for nothing.
func (c *Coordinator) locksAtHome(t *transaction, r txn.Read, s txn.ShardID) bool {
	if c.cfg.Row.Reads != protocol.ReadHome || t.readOnly || r.Final {
		return false
	}
	leader, _ := c.leaderOf(s, 0)
	return leader != 0 && !c.env.Wide(leader)
}

// cutScans spreads the scans over the shards that hold them.
func (c *Coordinator) cutScans(r *round, get func(txn.ShardID) *part) *txn.Error {
	for _, s := range r.req.Read.Scans {
		r.scans = append(r.scans, s)
		if rows, ok := r.t.view(r.asOf).scans[scanKey{s, r.lock}]; ok {
			r.pieces = append(r.pieces, []*piece{{rows: rows, done: true}})
			continue
		}
		cut, err := c.env.Directory().Pieces(string(s.Span.Start), string(s.Span.End))
		if err != nil {
			return txn.Errorf(txn.KindMisuse, "%v", err)
		}
		var pieces []*piece
		for i := range cut {
			j := i
			if s.Reverse {
				j = len(cut) - 1 - i
			}
			pc := &piece{scan: txn.Scan{
				Span: txn.Span{Start: txn.Key(cut[j].Start), End: txn.Key(cut[j].End)}, Limit: s.Limit, Reverse: s.Reverse}}
			pieces = append(pieces, pc)
			p := get(txn.ShardID(cut[j].Shard))
			p.access.Scans = append(p.access.Scans, pc.scan)
			p.pieces = append(p.pieces, pc)
		}
		r.pieces = append(r.pieces, pieces)
	}
	return nil
}

// startPart sends one part for the first time.
func (c *Coordinator) startPart(p *part) {
	now := c.env.Now().Mono
	a := p.access
	a.Nearest = a.AsOf != 0 && c.nearby(p.r) || c.integrated() ||
		a.AsOf == 0 && a.Lock == txn.LockNone && !a.Final && !a.Present && !c.readsAtLeader(p.r.t) && !c.recent.touches(now, a) &&
			!c.touch(p.r.t, a.Shard).led
	wait := c.cfg.Params.LockWait
	if p.r.t.lockWait > 0 {
		wait = time.Duration(p.r.t.lockWait) * time.Millisecond
	}
	p.began = now
	p.deadline = now + wait + readDeadline
	c.nextPart++
	p.id = c.nextPart
	a.Request = p.id
	c.rounds[p.id] = p
	p.r.open++
	if a.Lock != txn.LockNone {
		p.r.locks = true
		c.touch(p.r.t, a.Shard).locked = true
	} else {
		c.touch(p.r.t, a.Shard)
	}
	c.sendPart(p)
}

func (c *Coordinator) touch(t *transaction, s txn.ShardID) *touch {
	if t.touched[s] == nil {
		t.touched[s] = &touch{}
		t.stats.Shards++
	}
	return t.touched[s]
}

func (c *Coordinator) sendPart(p *part) {
	now := c.env.Now().Mono
	p.wakeAt = now + c.cfg.Params.ResendAfter<<min(p.tries, 4)
	switch {
	case c.integrated():
		p.to = c.aReplica(p.access.Shard, p.tries)
	case p.access.Nearest:
		p.to = c.env.Nearest(p.access.Shard)
	default:
		p.to, _ = c.leaderOf(p.access.Shard, p.tries)
	}
	p.tries++
	if p.to == 0 {
		p.wakeAt = now + 50*time.Millisecond
		return
	}
	if c.env.Wide(p.to) && !p.r.wide {
		p.r.wide = true
		p.r.t.stats.WideRounds++
	}
	a := *p.access // a copy: the message is not ours any more once it is sent
	c.env.Send(p.to, txn.Message{Access: &a})
}

// wakePart sends again what was not answered, or gives up.
func (c *Coordinator) wakePart(p *part) {
	if c.env.Now().Mono >= p.deadline {
		c.fail(p.r.t, txn.Errorf(txn.KindUnavailable, "shard %d did not answer in time; nothing was done", p.access.Shard))
		return
	}
	p.access.Nearest = false
	c.sendPart(p)
}

func (c *Coordinator) partNotLed(p *part, m *txn.NotLeader) {
	p.access.Nearest = false
	if m.Leader != 0 && m.Leader != p.to && p.tries < 8 {
		c.sendPart(p)
		return
	}
	p.wakeAt = c.env.Now().Mono + 50*time.Millisecond
}

func (c *Coordinator) onAccessReply(from txn.NodeID, m *txn.AccessReply) {
	if m.Term != 0 {
		c.heardOfLeader(m.Shard, from, m.Term)
	}
	p := c.rounds[m.Request]
	if p == nil {
		return
	}
	if m.Unsettled {
		p.access.Nearest = false
		c.sendPart(p)
		return
	}
	t, r := p.r.t, p.r
	if c.integrated() {
		c.clock.Observe(m.At) // its commit must come after what it has read
	}
	c.moments.Observe(m.At)
	r.parts = append(r.parts, c.partReport(p, m))
	if m.Term != 0 {
		c.touch(t, m.Shard).led = true
	}
	if m.Refused != 0 {
		delete(c.rounds, p.id)
		c.refusedPart(p, m)
		return
	}
	delete(c.rounds, p.id)
	r.open--
	// A new leader does not hold what an earlier one had locked, and what it shows
	// need not fit with what was read under those locks: nobody should see that.
	tc := c.touch(t, m.Shard)
	if m.Term != 0 && tc.lockTerm != 0 && tc.lockTerm != m.Term {
		c.fail(t, txn.Errorf(txn.KindAborted, "shard %d changed its leader, and locks were lost with it", m.Shard).Because(txn.CauseLeader))
		return
	}
	if p.access.Lock != txn.LockNone {
		tc.lockTerm = m.Term
	}
	t.publish = append(t.publish, m.Publish...)
	t.leans = t.leans || m.Uncommitted
	if len(m.Rows) != len(p.access.Keys) || len(m.Scans) != len(p.pieces) || !c.takeIn(p, m) {
		c.fail(t, txn.Errorf(txn.KindAborted, "a row it had read has changed since").Because(txn.CauseValidation))
		return
	}
	r.final = r.final && m.Final
	r.at = max(r.at, m.At)
	if len(t.spans) > maxSpans {
		c.fail(t, txn.Errorf(txn.KindMisuse, "the transaction reads more than %d ranges; split it", maxSpans))
		return
	}
	if t.seen.bytes+t.shown.bytes > maxReadBytes {
		c.fail(t, txn.Errorf(txn.KindTooLarge, "a transaction reads at most %d bytes of rows; read them in several, by ranges of the key", maxReadBytes))
		return
	}
	if r.open == 0 {
		c.finishRound(r)
	}
}

// refusedPart: a lock that was not granted leaves the transaction alive.
func (c *Coordinator) refusedPart(p *part, m *txn.AccessReply) {
	t, err := p.r.t, txn.Errorf(m.Refused, "%s", m.Reason).Because(m.Cause)
	if m.Refused == txn.KindLockTimeout {
		c.rollbacks[txn.CauseLockTimeout]++ // of the statement
	}
	if m.Refused == txn.KindLockTimeout || m.Refused == txn.KindNoWait {
		c.failRound(t, err)
		return
	}
	c.fail(t, err)
}

// takeIn records what was read; false if it contradicts an earlier read.
func (c *Coordinator) takeIn(p *part, m *txn.AccessReply) bool {
	t := p.r.t
	into := t.view(p.r.asOf)
	note := func(row txn.Row, spanned bool) bool {
		have, ok := into.rows[row.Key]
		if !ok {
			into.bytes += len(row.Key) + len(row.Value) + rowOverheadBytes
		}
		if ok && have.row.Version != row.Version {
			return false
		}
		into.rows[row.Key] = readRow{row, max(have.lock, p.access.Lock), spanned && (have.spanned || !ok)}
		return true
	}
	for i, row := range m.Rows {
		if row.Key != p.access.Keys[i] {
			return false // an answer to something else
		}
		if p.access.Wait == txn.SkipLocked && row.Value == nil {
			continue // skipped, or not there: either way nothing is held on it
		}
		if !note(row, false) {
			return false
		}
	}
	var rest *part
	for i, got := range m.Scans {
		pc := p.pieces[i]
		for _, row := range got.Rows {
			if !note(row, p.access.Wait != txn.SkipLocked) {
				return false
			}
		}
		pc.rows = append(pc.rows, got.Rows...)
		if p.access.Wait != txn.SkipLocked && p.r.asOf == 0 {
			t.spans = append(t.spans, spanCheck(pc.scan, got))
		}
		pc.more = got.More
		if p.r.req.Read.Page || !got.More || pc.scan.Limit > 0 && len(pc.rows) >= pc.scan.Limit || len(got.Rows) == 0 {
			pc.done = true
			continue
		}
		if rest == nil {
			a := *p.access
			a.Keys, a.Scans, a.Final, a.Fresh = nil, nil, false, false
			rest = &part{r: p.r, access: &a}
			p.r.final = false
		}
		pc.scan = remainder(pc.scan, got)
		rest.access.Scans = append(rest.access.Scans, pc.asked())
		rest.pieces = append(rest.pieces, pc)
	}
	if rest != nil {
		t.stats.Rounds++
		c.startPart(rest)
	}
	return true
}

// asked is the scan of what remains of a piece.
func (pc *piece) asked() txn.Scan {
	s := pc.scan
	if s.Limit > 0 {
		s.Limit -= len(pc.rows)
	}
	return s
}

// remainder is what an answer left of a scan.
func remainder(s txn.Scan, got txn.ScanRows) txn.Scan {
	last := got.Rows[len(got.Rows)-1].Key
	if s.Reverse {
		s.Span.End = last
	} else {
		s.Span.Start = last + "\x00"
	}
	return s
}

// spanCheck is what validation has to find again.
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

// finishRound answers the client.
func (c *Coordinator) finishRound(r *round) {
	t := r.t
	known := t.view(r.asOf)
	t.round = nil
	t.final = r.final
	c.reportRound(r)
	resp := t.response(nil)
	resp.At, resp.Publish = r.at, t.publish
	if r.asOf != 0 {
		resp.At = r.asOf
	}
	t.publish = nil
	for _, k := range r.req.Read.Gets {
		row, ok := known.rows[k]
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
				break // a page is without gaps
			}
			rows = append(rows, pc.rows...)
			more = r.req.Read.Page && pc.more
		}
		if s.Limit > 0 && len(rows) > s.Limit {
			rows, more = rows[:s.Limit], true
		}
		resp.More = append(resp.More, more)
		if r.req.Read.Wait != txn.SkipLocked {
			known.scans[scanKey{s, r.lock}] = rows
		}
		resp.Scans = append(resp.Scans, rows)
	}
	if r.req.Op == OpUpdate {
		c.goOn(t, r.req, resp)
		return
	}
	c.answer(r.req, resp)
}

// goOn commits what an OpUpdate makes of what it has read. Its client is not
// asked in between: what it holds, it holds for no longer than the commit takes.
func (c *Coordinator) goOn(t *transaction, req *Request, resp Response) {
	writes, ok := req.Then(resp.Rows)
	if !ok {
		resp.Undone = true
		c.answer(req, resp)
		return
	}
	// A request of its own: the client may have left, and looks at the old one.
	c.commit(t, &Request{Op: OpCommit, Txn: t.id, Writes: writes, Guards: req.Guards, Done: req.Done})
}

// failRound ends the round that is on its way, if any.
func (c *Coordinator) failRound(t *transaction, err *txn.Error) {
	r := t.round
	if r == nil {
		return
	}
	t.round = nil
	for _, id := range sortedKeys(c.rounds) {
		if p := c.rounds[id]; p.r == r {
			r.parts = append(r.parts, c.partReport(p, nil))
			delete(c.rounds, id)
		}
	}
	c.reportRound(r)
	c.answer(r.req, t.response(err))
}
