package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/decide"
	"isochron/routing"
	"isochron/txn"
)

// phase is where a commitment stands.
type phase uint8

const (
	preparing   phase = iota // votes are on their way
	terminating              // silence lasted too long: the logs are asked
	deciding                 // decided; the participants are told until all have it
)

// commitment is one attempt to commit.
//
// Invariant: once a Prepare has left, only the tally ends it: a timer never does.
type commitment struct {
	attempt      txn.Attempt
	id           txn.ID
	t            *transaction // nil when it finishes the work of another coordinator
	req          *Request     // nil once the client was answered
	participants []txn.ShardID
	prepares     []*txn.Prepare // of participants, in their order; none for the work of another coordinator
	tally        *decide.Tally
	phase        phase
	onePhase     bool
	readOnly     bool
	confirms     bool       // its transaction goes on, whatever comes of it
	why          *txn.Error // of the first No
	acked        []txn.ShardID
	heardBy      map[heardBy]bool       // instead of acked, where every replica is told
	accepts      map[txn.ShardID]uint64 // 1 + the view in which something was proposed
	timestamps   int                    // tried before this one
	told         int                    // how often everybody was
	wakeAt       time.Duration
	terminateAt  time.Duration
	answerBy     time.Duration
	tries        int
	asksLogs     bool // silence lasted too long, here or at another coordinator
	began        time.Duration
	parts        []txn.PartReport // of participants, in their order; own transactions only
}

// prepare is what a participant is asked, nil if it was not this coordinator that asked.
func (k *commitment) prepare(s txn.ShardID) *txn.Prepare {
	for _, p := range k.prepares {
		if p.Shard == s {
			return p
		}
	}
	return nil
}

// ack notes that a participant knows the end.
func (k *commitment) ack(s txn.ShardID) {
	if slices.Contains(k.participants, s) && !slices.Contains(k.acked, s) {
		k.acked = append(k.acked, s)
	}
}

// commit starts the commitment of a transaction that writes this.
func (c *Coordinator) commit(t *transaction, req *Request, writes []txn.Write) {
	readOnly := len(writes) == 0 && c.byLease() && (!t.readUncommitted || c.cfg.Params.Bugs.VouchUncommitted)
	if len(writes) == 0 && (t.final || t.asOf != 0 || t.level != txn.Serializable && !t.readUncommitted || len(t.seen.rows)+len(t.spans) == 0) {
		delete(c.txns, t.id)
		c.releaseLocks(t)
		c.giveBack(t)
		c.reportEnd(t, nil)
		c.answer(req, t.response(nil))
		return
	}
	if c.lockFirst(t, req, writes) {
		return // it comes back here
	}
	prepares, err := c.prepares(t, writes)
	if err != nil {
		c.end(t, err)
		c.answer(req, t.response(err))
		return
	}
	if len(c.commits) >= maxCommitments {
		err := txn.Errorf(txn.KindUnavailable, "this gateway has %d commits on their way, its bound; nothing was done", maxCommitments)
		c.end(t, err)
		c.answer(req, t.response(err))
		return
	}
	c.changeMind(t, writes)
	k := c.open(t, req, prepares, readOnly)
	for _, tc := range t.touched {
		if tc.locked && k.prepare(tc.shard) == nil {
			c.toLeader(tc.shard, txn.Message{Release: &txn.Release{Shard: tc.shard, Txn: t.id}})
		}
	}
	c.sendPrepares(k)
}

// open begins an attempt; nothing is sent yet.
func (c *Coordinator) open(t *transaction, req *Request, prepares []*txn.Prepare, readOnly bool) *commitment {
	now := c.env.Now().Mono
	participants := make([]txn.ShardID, len(prepares))
	for i, p := range prepares {
		participants[i] = p.Shard
	}
	k := &commitment{
		attempt: c.reserve(t), id: t.id, t: t, req: req,
		participants: participants, prepares: prepares,
		onePhase: len(prepares) == 1 && !c.integrated(), readOnly: readOnly,
		terminateAt: now + 4*c.cfg.Params.ResendAfter, answerBy: now + c.cfg.Params.CommitWait,
		began: now, parts: make([]txn.PartReport, len(prepares)),
	}
	k.tally = c.newTally(k.participants)
	c.commits[k.attempt] = k
	t.commit, t.reserved = k, 0
	t.stats.CommitRounds++
	at := txn.Timestamp(0)
	if c.integrated() {
		at = c.clock.Next(c.env.Now())
	}
	for _, p := range prepares {
		p.Attempt, p.Participants, p.Retired, p.At = k.attempt, k.participants, c.active[0], at
		p.OnePhase, p.ReadOnly = k.onePhase && !k.readOnly, k.readOnly
		p.Guards = guardsAt(req.Guards, p.Shard)
	}
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

// sendPrepares asks those who have not voted. A Prepare goes to one leader in
// one term; if that leader is gone, only the logs can tell.
func (c *Coordinator) sendPrepares(k *commitment) {
	if c.integrated() {
		c.askReplicas(k)
		return
	}
	k.wakeAt = c.env.Now().Mono + c.cfg.Params.ResendAfter
	for _, s := range k.tally.Missing() {
		p := k.prepare(s)
		leader, term := c.leaderOf(s, k.tries)
		k.asked(s, leader)
		switch {
		case leader == 0:
			k.wakeAt = c.env.Now().Mono + 50*time.Millisecond
			continue
		case term == 0 && !k.readOnly:
			// Nobody here knows the term; a Prepare of term 0 is never looked at, and
			// its refusal names the term.
			c.env.Send(txn.Participant(leader, s), txn.Message{Prepare: &txn.Prepare{Shard: s, Attempt: k.attempt, Txn: k.id}})
			continue
		case p.Term != 0 && p.Term != term && !k.readOnly:
			c.terminate(k)
			return
		}
		if p.Term != term {
			p = k.addressed(s, term)
		}
		c.env.Send(txn.Participant(leader, s), txn.Message{Prepare: p})
	}
	k.tries++
}

// addressed makes a participant's Prepare one for a leader of this term. One that was
// sent is not ours to change any more.
func (k *commitment) addressed(s txn.ShardID, term uint64) *txn.Prepare {
	i := slices.Index(k.participants, s)
	if k.tries > 0 {
		q := *k.prepares[i]
		k.prepares[i] = &q
	}
	k.prepares[i].Term = term
	return k.prepares[i]
}

func (c *Coordinator) wakeCommit(k *commitment) {
	now := c.env.Now().Mono
	if k.req != nil && now >= k.answerBy {
		c.giveUpWaiting(k)
	}
	switch k.phase {
	case preparing:
		if k.readOnly && k.req == nil {
			c.finish(k)
			return
		}
		if now >= k.terminateAt && !k.readOnly {
			c.terminate(k)
			return
		}
		c.sendPrepares(k)
	case terminating:
		c.inquire(k)
	case deciding:
		c.tell(k)
	}
}

// giveUpWaiting answers the client; the commitment goes on without it.
func (c *Coordinator) giveUpWaiting(k *commitment) {
	err := txn.Errorf(txn.KindUnknown, "the commit was not confirmed in time: it may or may not have happened")
	if k.readOnly {
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
		c.answer(req, Response{Err: err})
		return
	}
	c.reportCommit(k, err)
	r := k.t.response(err)
	if err == nil {
		r.Version = k.attempt
		_, r.At = k.tally.Verdict()
	}
	req := k.req
	k.req = nil
	delete(c.txns, k.id)
	c.answer(req, r)
}

func (c *Coordinator) onVote(v *txn.Vote) {
	c.heardOfProtocol(v.ProtocolSeq)
	k := c.commits[v.Attempt]
	if k == nil || !slices.Contains(k.participants, v.Shard) {
		return
	}
	k.heard(v, c.env.Now().Mono)
	if v.Yes && k.phase != deciding {
		c.voted(k, v.Shard, v.Proposed, v.Open, v.Doomed)
		k.onePhase = k.onePhase && !v.AwaitsDecision
	} else if k.phase != deciding {
		if k.why == nil {
			k.why = txn.Errorf(v.Refused, "%s", v.Reason).Because(v.Cause)
		}
		k.ack(v.Shard) // its leader will never vote otherwise and holds nothing
		k.tally.No()
	}
	c.maybeDecide(k)
}

// voted takes in a Yes that a majority has logged.
func (c *Coordinator) voted(k *commitment, s txn.ShardID, proposed txn.Timestamp, open, doomed bool) {
	if doomed {
		c.doom(k)
		return
	}
	k.tally.Yes(s, proposed, open)
}

func (c *Coordinator) newTally(participants []txn.ShardID) *decide.Tally {
	return decide.NewTally(participants).Plant(c.cfg.Params.Bugs)
}

// maybeDecide acts on the tally's verdict, once.
func (c *Coordinator) maybeDecide(k *commitment) {
	verdict, at := k.tally.Verdict()
	if verdict == decide.Open || k.phase == deciding {
		return
	}
	k.phase = deciding
	commit := verdict == decide.Commit
	if commit {
		c.moments.Observe(at)
	}
	if !commit {
		if next := c.again(k); next != nil {
			c.tell(k)
			c.sendPrepares(next)
			return
		}
	}
	if commit && k.t != nil && k.req != nil && !k.readOnly {
		now := c.env.Now().Mono
		for _, p := range k.prepares {
			if len(p.Writes) > 0 {
				c.recent.add(now, p.Shard, p.Writes)
			}
		}
	}
	if c.env.Tracing() {
		c.env.Trace("%v of %v: %v", k.attempt, k.id, verdict)
	}
	if k.asksLogs {
		c.env.Note(k.note(txn.NoteRecovered, commit))
	}
	c.replyVerdict(k, commit)
	c.shareDecision(k)
	if k.readOnly || k.onePhase && commit {
		c.finish(k)
		return
	}
	c.tell(k)
}

func (c *Coordinator) replyVerdict(k *commitment, commit bool) {
	if commit {
		c.reply(k, nil)
		return
	}
	if k.why == nil {
		k.why = txn.Errorf(txn.KindAborted, "a shard changed its leader before it had voted; the transaction was ended").Because(txn.CauseLeader)
	}
	c.reply(k, k.why)
}

// tell carries the decision to those who have not acknowledged it.
func (c *Coordinator) tell(k *commitment) {
	if c.integrated() {
		c.tellReplicas(k)
		return
	}
	verdict, at := k.tally.Verdict()
	k.wakeAt = c.env.Now().Mono + c.cfg.Params.ResendAfter
	open := false
	for _, s := range k.participants {
		if slices.Contains(k.acked, s) {
			continue
		}
		open = true
		if n, _ := c.leaderOf(s, k.tries); n != 0 {
			c.env.Send(txn.Participant(n, s), txn.Message{Decide: &txn.Decide{
				Shard: s, Attempt: k.attempt, Txn: k.id, Commit: verdict == decide.Commit, At: at}})
		}
	}
	k.tries++
	if !open {
		c.finish(k)
	}
}

func (c *Coordinator) onDecideAck(from txn.NodeID, m *txn.DecideAck) {
	k := c.commits[m.Attempt]
	if k == nil || k.phase != deciding {
		return
	}
	if c.integrated() {
		if c.allHeard(k, from, m.Shard) {
			c.finish(k)
		}
		return
	}
	k.ack(m.Shard)
	if len(k.acked) == len(k.participants) {
		c.finish(k)
	}
}

// finish forgets a commitment that every participant knows the end of.
func (c *Coordinator) finish(k *commitment) {
	delete(c.commits, k.attempt)
	if k.t == nil {
		return
	}
	if k.confirms {
		c.retire(k.attempt.Seq)
		return
	}
	c.forgetTxn(k)
	if k.readOnly {
		c.releaseLocks(k.t)
	}
	c.retire(k.attempt.Seq)
}

// commitments lists them in a fixed order.
func (c *Coordinator) commitments() []*commitment {
	out := make([]*commitment, 0, len(c.commits))
	for _, k := range c.commits { // order: sorted below
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b *commitment) int {
		if a.attempt.Less(b.attempt) {
			return -1
		}
		return 1
	})
	return out
}
