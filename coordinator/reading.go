package coordinator

import (
	"cmp"
	"slices"
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
	term     uint64 // the newest that was known when it was sent to a leader; 0: it was not
	wakeAt   time.Duration
	leavesAt time.Duration // of one that does not leave at once
	deadline time.Duration
	tries    int
	began    time.Duration
}

// newPart is a part and its request in one piece of memory.
func newPart(r *round, a txn.Access) *part {
	p := &struct {
		part
		access txn.Access
	}{part{r: r}, a}
	p.part.access = &p.access
	return &p.part
}

// readDeadline bounds a round beyond its waits for locks.
const readDeadline = 10 * time.Second

// read starts a round: what is known already is not asked again.
func (c *Coordinator) read(t *transaction, req *Request) {
	r := &round{t: t, req: req, lock: c.lockOf(t, req.Read, 0), asOf: c.momentOf(t, req)}
	known := t.view(r.asOf)
	var parts []*part // rising by shard
	get := func(s txn.ShardID) *part {
		i, ok := slices.BinarySearchFunc(parts, s, func(p *part, s txn.ShardID) int { return cmp.Compare(p.access.Shard, s) })
		if !ok {
			p := newPart(r, txn.Access{
				Shard: s, Txn: t.id, Age: t.age, Lock: c.lockOf(t, req.Read, s), Wait: req.Read.Wait, WaitMillis: t.lockWait,
				AsOf: r.asOf, HoldMillis: t.hold, Present: req.Read.Present, ProtocolSeq: c.turn.seq})
			c.weaken(t, req, p.access)
			parts = slices.Insert(parts, i, p)
		}
		return parts[i]
	}
	var asked map[txn.Key]bool
	if len(req.Read.Gets) > 1 {
		asked = make(map[txn.Key]bool, len(req.Read.Gets))
	}
	for _, k := range req.Read.Gets {
		have, held := known.get(k)
		if held && have.lock >= r.lock && !req.Read.ForWrite || asked[k] {
			continue
		}
		if asked != nil {
			asked[k] = true
		}
		s, ok := c.env.Directory().ShardOf(string(k))
		if !ok {
			req.answer(t.response(txn.Errorf(txn.KindMisuse, "no shard holds the key %q", k)))
			return
		}
		if held && have.lock >= c.lockOf(t, req.Read, txn.ShardID(s)) {
			continue
		}
		p := get(txn.ShardID(s))
		p.access.Keys = append(p.access.Keys, k)
	}
	if err := c.cutScans(r, get); err != nil {
		req.answer(t.response(err))
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
	for _, p := range parts {
		p.access.Fresh, p.access.Alone, p.access.Sure = fresh, len(parts) == 1, c.lost(t)
		if r.final {
			p.access.Final = true
			p.access.Lock = req.Read.Lock
			p.access.Guards = guardsAt(req.Guards, p.access.Shard)
		}
		c.addPart(p)
	}
	c.leave(parts)
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
	case r.Lock != txn.LockNone || !c.locksReads(t):
		return r.Lock
	case !c.readsAtLeader(t) && (s == 0 || !c.locksAtHome(t, r, s)):
		return txn.LockNone
	case r.ForWrite:
		return txn.LockExclusive
	}
	return txn.LockShared
}

// locksReads: an optimistic row's reads take locks too after so many tries. What
// holds nothing is passed by whoever votes first, younger ones as well, and may be
// so for ever; with the age of its first try a lock is lost to older ones alone.
func (c *Coordinator) locksReads(t *transaction) bool {
	return c.cfg.Row.Yield.LockReads || c.lost(t)
}

// lost: the transaction has lost so often that it takes no chances any more.
func (c *Coordinator) lost(t *transaction) bool {
	after := c.cfg.Params.LockAfterTries
	return after > 0 && t.try >= after
}

func (c *Coordinator) readsAtLeader(t *transaction) bool { return c.cfg.Row.Reads.AtLeader(t.class()) }

// locksAtHome: where the leader is in this region, a lock costs no wide-area
// message and saves the abort of a check that fails.
func (c *Coordinator) locksAtHome(t *transaction, r txn.Read, s txn.ShardID) bool {
	if !c.cfg.Row.Reads.LockAtHome(t.class()) || r.Final {
		return false
	}
	leader, _ := c.leaders.of(s, 0)
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

// addPart has the round wait for one part more, which is to be sent.
func (c *Coordinator) addPart(p *part) {
	now := c.env.Now().Mono
	a := p.access
	a.Nearest = a.AsOf != 0 && c.nearby(p.r) || c.cfg.Row.Reads.Leaderless() ||
		a.AsOf == 0 && a.Lock == txn.LockNone && !a.Final && !a.Present && !c.readsAtLeader(p.r.t) && !c.recent.touches(now, a) &&
			!p.r.t.touches(a.Shard).led
	wait := c.cfg.Params.LockWait
	if p.r.t.lockWait > 0 {
		wait = time.Duration(p.r.t.lockWait) * time.Millisecond
	}
	p.began = now
	p.deadline = now + wait + readDeadline
	p.id = c.numbers.take()
	a.Request = p.id
	c.parts[p.id] = p
	p.r.open++
	if a.Lock != txn.LockNone {
		p.r.locks = true
		p.r.t.touches(a.Shard).locked = true
	} else {
		p.r.t.touches(a.Shard)
	}
}

func (c *Coordinator) sendPart(p *part) {
	to, term := c.target(p)
	c.sendPartTo(p, to, term)
}

// target is where a part goes next, and the term in which that node leads, 0 if it is not
// asked as a leader, or that is not known.
func (c *Coordinator) target(p *part) (to txn.NodeID, term uint64) {
	switch {
	case c.cfg.Row.Reads.Leaderless():
		return c.leaders.aReplica(p.access.Shard, p.tries), 0
	case p.access.Nearest:
		return c.env.Nearest(p.access.Shard), 0
	}
	return c.leaders.of(p.access.Shard, p.tries)
}

// asksLeader reports whether a part that was sent waits for an answer that a leader alone gives.
func (c *Coordinator) asksLeader(p *part) bool {
	return p.tries > 0 && !p.access.Nearest && !c.cfg.Row.Reads.Leaderless()
}

// askSuccessor sends a part to a leader that it was not sent to yet.
func (c *Coordinator) askSuccessor(p *part) {
	to, term := c.leaders.of(p.access.Shard, 0)
	c.sendPartTo(p, to, term)
}

// sendPartTo sends a part to a node that leads in a term, 0 if that is not known.
func (c *Coordinator) sendPartTo(p *part, to txn.NodeID, term uint64) {
	now := c.env.Now().Mono
	p.wakeAt = now + c.cfg.Params.ResendAfter<<min(p.tries, 1)
	p.to, p.term = to, max(p.term, term)
	p.tries++
	if p.to == 0 {
		p.wakeAt = now + 50*time.Millisecond
		return
	}
	if c.env.Wide(p.to) && !p.r.wide {
		p.r.wide = true
		p.r.t.stats.WideRounds++
	}
	c.env.Send(txn.Participant(p.to, p.access.Shard), txn.Message{Access: p.access}) // not ours to change any more
}

// wakePart sends again what was not answered, or gives up.
func (c *Coordinator) wakePart(p *part) {
	if c.env.Now().Mono >= p.deadline {
		c.fail(p.r.t, txn.Errorf(txn.KindUnavailable, "shard %d did not answer in time; nothing was done", p.access.Shard))
		return
	}
	c.leaders.doubt(p.access.Shard, p.to) // it is silent
	p.askLeader()
	c.sendPart(p)
}

// askLeader has the part go to the leader from now on.
func (p *part) askLeader() {
	a := *p.access
	a.Nearest = false
	p.access = &a
}

func (c *Coordinator) partNotLed(p *part, m *txn.NotLeader) {
	p.askLeader()
	if m.Leader != 0 && m.Leader != p.to && p.tries < 8 {
		c.sendPart(p)
		return
	}
	p.wakeAt = c.env.Now().Mono + 50*time.Millisecond
}

// byLease reports whether leaders answer for transactions that wrote nothing.
func (c *Coordinator) byLease() bool {
	return c.cfg.Row.ReadOnly == protocol.ByLease
}
