package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/decide"
	"isochron/routing"
	"isochron/txn"
)

// commitment is what a gateway keeps of an attempt beside its way to a decision: whose it
// is, who waits for it, and what it costs.
type commitment struct {
	*decide.Attempt
	t          *transaction // nil when it finishes the work of another coordinator
	req        *Request     // nil once the client was answered
	confirms   bool         // its transaction goes on, whatever comes of it
	timestamps int          // tried before this one
	answerBy   time.Duration
	began      time.Duration
	parts      []txn.PartReport // of participants, in their order; own transactions only
}

// commit starts the commitment of a transaction that writes this.
func (c *Coordinator) commit(t *transaction, req *Request, writes []txn.Write) {
	readOnly := len(writes) == 0 && c.byLease() && (!t.readUncommitted || c.cfg.Params.Bugs.VouchUncommitted)
	if len(writes) == 0 && (t.final || t.asOf != 0 || t.level != txn.Serializable && !t.readUncommitted || len(t.seen.rows)+len(t.spans) == 0) {
		delete(c.txns, t.id)
		c.releaseLocks(t)
		c.attempts.giveBack(t)
		c.reports.end(t, nil)
		req.answer(t.response(nil))
		return
	}
	if c.lockFirst(t, req, writes) {
		return // it comes back here
	}
	prepares, err := c.prepares(t, writes)
	if err != nil {
		c.end(t, err)
		req.answer(t.response(err))
		return
	}
	if len(c.commits) >= maxCommitments {
		err := txn.Errorf(txn.KindUnavailable, "this gateway has %d commits on their way, its bound; nothing was done", maxCommitments)
		c.end(t, err)
		req.answer(t.response(err))
		return
	}
	c.attempts.changeMind(t, writes)
	k := c.open(t, req, prepares, readOnly)
	for _, tc := range t.touched {
		if tc.locked && !slices.Contains(k.Participants, tc.shard) {
			c.leaders.send(tc.shard, txn.Message{Release: &txn.Release{Shard: tc.shard, Txn: t.id}})
		}
	}
	k.Ask()
}

// open begins an attempt; nothing is sent yet.
func (c *Coordinator) open(t *transaction, req *Request, prepares []*txn.Prepare, readOnly bool) *commitment {
	now := c.env.Now().Mono
	participants := make([]txn.ShardID, len(prepares))
	for i, p := range prepares {
		participants[i] = p.Shard
	}
	k := &commitment{
		t: t, req: req, answerBy: now + c.cfg.Params.CommitWait, began: now, parts: make([]txn.PartReport, len(prepares)),
	}
	id, at := c.attempts.reserve(t), txn.Timestamp(0)
	if c.cfg.Row.Decide.Stamps() {
		at = c.clock.Next(c.env.Now())
	}
	for _, p := range prepares {
		p.Retired, p.At = c.attempts.retiredBelow(), at
		p.Guards = guardsAt(req.Guards, p.Shard)
	}
	o := decide.Opening{ID: id, Txn: t.id, Participants: participants, Prepares: prepares, ReadOnly: readOnly, Asked: k}
	if !readOnly {
		o.DecidedAt = c.decisions.place(participants)
	}
	k.Attempt = c.room.Open(o)
	c.commits[id] = k
	t.commit, t.reserved = k, 0
	t.stats.CommitRounds++
	return k
}

func guardsAt(guards []Guard, s txn.ShardID) []txn.ReadCheck {
	var out []txn.ReadCheck
	for _, g := range guards {
		out = append(out, txn.ReadCheck{Key: txn.Key(routing.LocalKey(uint64(s), g.Name)), Version: g.Version})
	}
	return out
}

// prepares divides reads and writes among the shards that hold them, rising.
func (c *Coordinator) prepares(t *transaction, writes []txn.Write) (out []*txn.Prepare, err *txn.Error) {
	dir := c.env.Directory()
	at := func(k txn.Key) (*txn.Prepare, *txn.Error) {
		id, ok := dir.ShardOf(string(k))
		if !ok {
			return nil, txn.Errorf(txn.KindMisuse, "no shard holds the key %q", k)
		}
		i, ok := slices.BinarySearchFunc(out, txn.ShardID(id), func(p *txn.Prepare, s txn.ShardID) int { return cmp.Compare(p.Shard, s) })
		if !ok {
			p := &txn.Prepare{Shard: txn.ShardID(id), Txn: t.id, Age: t.age, ProtocolSeq: c.turn.seq}
			if t.level == txn.RepeatableRead {
				p.Since = t.moment
			}
			if tc := t.touch(p.Shard); tc != nil {
				p.LockTerm = tc.lockTerm
			}
			out = slices.Insert(out, i, p)
		}
		return out[i], nil
	}
	for _, r := range t.seen.rising() {
		p, err := at(r.row.Key)
		if err != nil {
			return nil, err
		}
		if r.spanned {
			continue
		}
		p.Reads = append(p.Reads, txn.ReadCheck{Key: r.row.Key, Version: r.row.Version})
	}
	for _, s := range t.spans {
		p, err := at(s.Span.Start)
		if err != nil {
			return nil, err
		}
		p.Spans = append(p.Spans, s.SpanCheck)
	}
	for _, w := range writes {
		p, err := at(w.Key)
		if err != nil {
			return nil, err
		}
		p.Writes = append(p.Writes, w)
	}
	for _, p := range out {
		if size := prepareBytes(p); size > MaxPrepareBytes {
			return nil, txn.Errorf(txn.KindTooLarge, "the transaction would send %d bytes of writes and checks to shard %d, and at most %d are taken; do it in several", size, p.Shard, MaxPrepareBytes)
		}
	}
	return out, nil
}

// prepareBytes is how large a Prepare is at most, in a message and in the log.
func prepareBytes(p *txn.Prepare) int {
	const readOverheadBytes, spanOverheadBytes = 48, 64 // versions and digests among them
	size := 0
	for _, w := range p.Writes {
		size += writeBytes(w.Key, w.Value)
	}
	for _, r := range p.Reads {
		size += len(r.Key) + readOverheadBytes
	}
	for _, s := range p.Spans {
		size += len(s.Span.Start) + len(s.Span.End) + spanOverheadBytes
	}
	return size
}

func (c *Coordinator) wakeCommit(k *commitment) {
	if k.req != nil && c.env.Now().Mono >= k.answerBy {
		c.giveUpWaiting(k)
	}
	if k.Asking() && k.ReadOnly && k.req == nil {
		c.finish(k) // nobody holds anything for it, and nobody wants to know any more
		return
	}
	k.Wake()
	c.follow(k)
}

// giveUpWaiting answers the client; the commitment goes on without it.
func (c *Coordinator) giveUpWaiting(k *commitment) {
	err := txn.Errorf(txn.KindUnknown, "the commit was not confirmed in time: it may or may not have happened")
	if k.ReadOnly {
		err = txn.Errorf(txn.KindUnavailable, "the reads could not be confirmed in time; nothing was written")
	}
	c.reply(k, err)
}

// reply answers the commitment's client, once.
func (c *Coordinator) reply(k *commitment, err *txn.Error) {
	if k.t == nil || k.req == nil {
		return
	}
	if k.confirms {
		req := k.req
		k.req = nil
		req.answer(Response{Err: err})
		return
	}
	c.reports.commit(k, err)
	r := k.t.response(err)
	if err == nil {
		r.Version = k.ID
		_, r.At = k.Verdict()
	}
	req := k.req
	k.req = nil
	delete(c.txns, k.Txn)
	req.answer(r)
}

func (c *Coordinator) onVote(from txn.NodeID, m *txn.Message) {
	c.heardOfProtocol(m.Vote.ProtocolSeq)
	if k := c.commits[m.Vote.Attempt]; k != nil {
		k.heard(m.Vote, c.env.Now().Mono)
	}
	c.toAttempt(m.Vote.Attempt, from, m)
}

// toAttempt hands over what a node says of an attempt.
func (c *Coordinator) toAttempt(a txn.Attempt, from txn.NodeID, m *txn.Message) {
	if k := c.commits[a]; k != nil {
		k.Hear(from, m)
		c.follow(k)
	}
}

// rule hands over what the log of decisions says of an attempt.
func (c *Coordinator) rule(id txn.Attempt, says decide.Ruling) {
	if k := c.commits[id]; k != nil {
		k.Rule(says)
		c.follow(k)
	}
}

// follow acts on what has become of a commitment.
func (c *Coordinator) follow(k *commitment) {
	c.maybeDecide(k)
	if k.Done() {
		c.finish(k)
	}
}

// maybeDecide acts on the tally's verdict, once.
func (c *Coordinator) maybeDecide(k *commitment) {
	verdict, at, ok := k.Take()
	if !ok {
		return
	}
	commit := verdict == decide.Commit
	if commit {
		c.moments.Observe(at)
	}
	if !commit {
		if next := c.again(k); next != nil {
			k.Announce()
			next.Ask()
			return
		}
	}
	if commit && k.t != nil && k.req != nil && !k.ReadOnly {
		now := c.env.Now().Mono
		for _, p := range k.Prepares {
			if len(p.Writes) > 0 {
				c.recent.add(now, p.Shard, p.Writes)
			}
		}
	}
	if c.env.Tracing() {
		c.env.Trace("%v of %v: %v", k.ID, k.Txn, verdict)
	}
	if k.AskedLogs() {
		c.env.Note(k.Note(txn.NoteRecovered, commit))
	}
	if commit {
		c.reply(k, nil)
	} else {
		c.reply(k, k.Why())
	}
	k.Announce()
}

// finish forgets a commitment that every participant knows the end of.
func (c *Coordinator) finish(k *commitment) {
	delete(c.commits, k.ID)
	c.decisions.expunge(k)
	if k.t == nil {
		return
	}
	if k.confirms {
		c.attempts.retire(k.ID.Seq)
		return
	}
	c.forgetTxn(k)
	if k.ReadOnly {
		c.releaseLocks(k.t)
	}
	c.attempts.retire(k.ID.Seq)
}

// forgetTxn lets go of a transaction, unless a later attempt goes on with it.
func (c *Coordinator) forgetTxn(k *commitment) {
	if t := c.txns[k.Txn]; t != nil && (t.commit == nil || t.commit == k) {
		delete(c.txns, k.Txn)
	}
}

// commitments lists them in a fixed order.
func (c *Coordinator) commitments() []*commitment {
	out := make([]*commitment, 0, len(c.commits))
	for _, k := range c.commits { // order: sorted below
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b *commitment) int {
		if a.ID.Less(b.ID) {
			return -1
		}
		return 1
	})
	return out
}
