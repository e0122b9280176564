package shard

import (
	"slices"
	"time"

	"isochron/txn"
	"isochron/yield"
)

func millisToDuration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// OnPrepare validates, logs and votes.
func (r *Replica) OnPrepare(from txn.NodeID, p *txn.Prepare) {
	l := r.lead
	if !r.Serving() || p.Term != l.term {
		r.notLeader(from, txn.NotLeader{Attempt: p.Attempt})
		return
	}
	l.known.sawRetired(p.Attempt, p.Retired)
	if l.switching.ahead(p.ProtocolSeq) {
		r.notLeader(from, txn.NotLeader{Attempt: p.Attempt})
		return
	}
	if p.ReadOnly {
		l.gathering.leaves(p.Txn)
		l.validateReadOnly(from, p, r.arrives())
		return
	}
	if l.answerAgain(from, p.Attempt) {
		return
	}
	if r.cfg.Row.Yield.Batches {
		if !l.gathering.Has(p.Attempt) {
			began := r.arrives()
			l.gathering.gather(yield.Gathered{Prepare: p, Retry: func() { l.prepare(from, p, began) }, Refuse: func(why txn.Refusal) { l.refuse(from, p, why) }})
		}
		return
	}
	l.prepare(from, p, r.arrives())
}

// answerAgain handles what is already known of an attempt; false if nothing is.
func (l *leadership) answerAgain(from txn.NodeID, a txn.Attempt) bool {
	v, says, known := l.known.asked(from, a)
	if says {
		l.sendVote(from, v)
	}
	return known
}

func addNode(list []txn.NodeID, n txn.NodeID) []txn.NodeID {
	for _, have := range list {
		if have == n {
			return list
		}
	}
	return append(list, n)
}

func (l *leadership) sendVote(to txn.NodeID, v txn.Vote) {
	v.Shard = l.r.cfg.ID
	if v.Refused != 0 {
		v.ProtocolSeq = l.switching.seq()
	}
	l.r.env.Send(txn.Coordinator(to), txn.Message{Vote: &v})
}

// refused says why a vote is No.
func refused(v *txn.Vote, why txn.Refusal) {
	v.Refused, v.Reason, v.Cause = why.Kind(), why.String(), why.Cause()
}

// refuse votes No. It is not logged (abort is presumed): this leader remembers
// it for its term, and a Prepare is good in one term only, so the attempt can
// never be voted Yes.
func (l *leadership) refuse(to txn.NodeID, p *txn.Prepare, why txn.Refusal) {
	delete(l.known.waiting, p.Attempt)
	if !p.ReadOnly {
		l.known.refused[p.Attempt] = true
	}
	l.r.counts.Refusals++
	l.r.env.Trace("shard %d: %v votes no: %s", l.r.cfg.ID, p.Txn, why)
	no := txn.Vote{Attempt: p.Attempt}
	refused(&no, why)
	l.sendVote(to, no)
	if !p.ReadOnly {
		l.spreadNo(p)
		l.release(p.Txn, false)
	}
}

// prepare runs concurrency control for one attempt. A wait starts it over, so
// what it grants is of one instant.
func (l *leadership) prepare(from txn.NodeID, p *txn.Prepare, began arrival) {
	r := l.r
	delete(l.known.waiting, p.Attempt)
	if l.switching.refuses(p.ProtocolSeq) {
		l.refuse(from, p, txn.WhyOtherProtocol.Refusal())
		return
	}
	if p.LockTerm != 0 && (p.LockTerm != l.term || l.locks.Holder(p.Txn) == nil) {
		l.refuse(from, p, txn.WhyLocksLost.Refusal())
		return
	}
	turn := l.asksTurn(p, began)
	if e := l.locks.acquire(&turn); !e.Granted() {
		l.votesLater(from, p, began, &e)
		l.locks.Wake()
		return
	}
	if no := l.validate(p); no.Refused() {
		l.refuse(from, p, no)
		return
	}
	v := l.vote(p)
	q, atOnce := l.asksToVote(p, v, began)
	e := l.locks.acquire(&q)
	switch {
	case e.Again:
		if !l.known.refused[p.Attempt] {
			l.prepare(from, p, began) // bounded: each turn removes its victims
		}
		return
	case !e.Granted():
		l.votesLater(from, p, began, &e)
		return
	}
	r.propose(command{Vote: v})
	vv := &votingVote{to: []txn.NodeID{from}, id: p.Txn, cmd: v}
	vv.waitedNanos, vv.waitedFor = began.waited(r.env.Now())
	l.known.voting[p.Attempt] = vv
	l.patrol.votes(p.Attempt, r.env.Now().Mono)
	l.depends.condition(v)
	if atOnce {
		l.depends.reveal(v)
		if r.env.Tracing() {
			r.env.Trace("shard %d: %v is appended, its writes can be read and its locks are released", r.cfg.ID, p.Txn)
		}
		l.release(p.Txn, true)
	}
	if r.cfg.Params.Bugs.ReleaseBeforeVotes {
		l.release(p.Txn, true)
	}
	if r.cfg.Params.Bugs.VoteOnAppend {
		l.sendVote(from, txn.Vote{Attempt: p.Attempt, Yes: true, Proposed: v.Proposed, AwaitsDecision: !v.OnePhase})
	}
	l.locks.Wake()
}

// votesLater has a vote wait, or refuses it.
func (l *leadership) votesLater(from txn.NodeID, p *txn.Prepare, began arrival, e *yield.Effects) {
	if e.Waits == nil {
		l.refuse(from, p, e.Refused)
		return
	}
	next := began.behind(e.Behind)
	e.Waits.Retry = func() { l.prepare(from, p, next) }
	e.Waits.Refuse = func(why txn.Refusal) { l.refuse(from, p, why) }
	l.known.waiting[p.Attempt] = e.Waits
}

// asksTurn asks the lock table whether those before a vote in a chain have ended.
func (l *leadership) asksTurn(p *txn.Prepare, began arrival) yield.Request {
	q := yield.Request{Phase: yield.Turn, Txn: p.Txn, Age: p.Age, Attempt: p.Attempt, Writes: p.Writes}
	l.locks.mayWait(&q, began, 0)
	return q
}

// asksToVote is the question of a vote to the lock table, and whether all of it is revealed and
// let go at once.
func (l *leadership) asksToVote(p *txn.Prepare, v *voteCmd, began arrival) (q yield.Request, atOnce bool) {
	q = yield.Request{Phase: yield.Prepare, Txn: p.Txn, Age: p.Age, Claim: v.claim()}
	l.locks.mayWait(&q, began, 0)
	if !l.r.takes() {
		q.Barred = txn.WhyLogFull
	}
	class := txn.Class{Participants: len(v.Participants), Hot: l.locks.Hot(p.Txn, q.Exclusive)}
	if l.r.cfg.Params.Bugs.RevealAtOwnVote {
		class.Participants = 1
	}
	if l.r.cfg.Row.Reveal.OnItsAppend(class) {
		return q, true
	}
	q.Attempt, q.Writes = p.Attempt, p.Writes // others go on from its rows
	return q, false
}

// vote is the log entry of a Yes.
func (l *leadership) vote(p *txn.Prepare) *voteCmd {
	v := &voteCmd{
		Attempt: p.Attempt, Txn: p.Txn, Age: p.Age, Participants: p.Participants, Writes: p.Writes,
		Proposed: l.r.clock.Next(l.r.env.Now()), OnePhase: p.OnePhase, Retired: p.Retired, DecidedAt: p.DecidedAt,
	}
	written := writes(p.Writes)
	for _, checks := range [][]txn.ReadCheck{p.Reads, p.Guards} {
		for _, c := range checks {
			if !written(c.Key) {
				v.Reads = append(v.Reads, c.Key)
			}
		}
	}
	for _, s := range p.Spans {
		v.Spans = append(v.Spans, s.Span)
	}
	if l.r.cfg.Params.Bugs.IgnoreRangeChecks {
		v.Spans = nil
	}
	l.address(v)
	v.Deps = l.depends.of(p)
	if len(v.Deps) > 0 && !l.r.cfg.Params.Bugs.CommitOpen {
		v.OnePhase = false // its entry cannot be its commit
	}
	return v
}

// writes tells of keys whether they are written.
func writes(list []txn.Write) func(txn.Key) bool {
	if len(list) <= 4 {
		return func(k txn.Key) bool { return slices.ContainsFunc(list, func(w txn.Write) bool { return w.Key == k }) }
	}
	written := make(map[txn.Key]bool, len(list))
	for _, w := range list {
		written[w.Key] = true
	}
	return func(k txn.Key) bool { return written[k] }
}

// validate checks that what was read is still so.
func (l *leadership) validate(p *txn.Prepare) txn.Refusal {
	bugs := l.r.cfg.Params.Bugs
	if bugs.SkipValidation {
		return txn.Refusal{}
	}
	if !yield.Guarded(l.rows.row, p.Guards) {
		return txn.WhySchemaChanged.Refusal()
	}
	if no := l.written.since(p.Txn, p.Since, writtenKeys(p), nil); no.Refused() {
		return no
	}
	spans := p.Spans
	if bugs.IgnoreRangeChecks {
		spans = nil
	}
	return yield.Stands(l.rows.row, func(s txn.Scan) txn.ScanRows { return l.rows.scan(s, nil) }, p.Reads, spans).Refusal()
}

// validateReadOnly answers for a transaction that wrote nothing anywhere. All
// its reads were over before any shard was asked, so versions that still stand
// at every shard stood together at that moment. Nothing is held or logged; but
// only a leader that knows itself to be one may say so: by its lease, or by a
// barrier through the log.
func (l *leadership) validateReadOnly(from txn.NodeID, p *txn.Prepare, began arrival) {
	r := l.r
	if l.switching.refuses(p.ProtocolSeq) {
		l.refuse(from, p, txn.WhyOtherProtocol.Refusal())
		return
	}
	if r.cfg.Params.Bugs.VouchUncommitted && l.vouchesInTurn(from, p, began) {
		return
	}
	if no := l.validate(p); no.Refused() {
		l.refuse(from, p, no)
		return
	}
	q := yield.Request{Phase: yield.ReadOnly, Txn: p.Txn, Age: p.Age}
	q.Shared, q.Spans = readBy(p)
	l.locks.mayWait(&q, began, 0)
	if e := l.locks.acquire(&q); !e.Granted() {
		l.vouchesLater(from, p, began, &e)
		return
	}
	nanos, whom := began.waited(r.env.Now())
	yes := func() {
		l.sendVote(from, txn.Vote{Attempt: p.Attempt, Yes: true, WaitedNanos: nanos, WaitedFor: whom})
	}
	l.depends.whenDecided(q.Shared, q.Spans, began, func(committed bool) {
		if committed {
			l.certain.then(yes)
		} else {
			l.refuse(from, p, txn.WhyDependencyAborted.Refusal())
		}
	}, func() { l.refuse(from, p, txn.WhyUndecidedAtVote.Refusal()) })
}

// vouchesLater has a vote on reads alone wait, or refuses it.
func (l *leadership) vouchesLater(from txn.NodeID, p *txn.Prepare, began arrival, e *yield.Effects) {
	if e.Waits == nil {
		l.refuse(from, p, e.Refused)
		return
	}
	next := began.behind(e.Behind)
	e.Waits.Retry = func() { l.validateReadOnly(from, p, next) }
	e.Waits.Refuse = func(why txn.Refusal) { l.refuse(from, p, why) }
}

// vouchesInTurn is a bug: whoever has read what is not committed is not refused, but waits until
// it is. It reports whether that is so.
func (l *leadership) vouchesInTurn(from txn.NodeID, p *txn.Prepare, began arrival) bool {
	turn := yield.Request{Phase: yield.Turn, Txn: p.Txn, Age: p.Age}
	l.locks.mayWait(&turn, began, 0)
	e := l.locks.acquire(&turn)
	if e.Granted() {
		return false
	}
	if next := began.behind(e.Behind); e.Waits != nil {
		e.Waits.Retry, e.Waits.Refuse = func() { l.validateReadOnly(from, p, next) }, func(txn.Refusal) {}
		l.known.waiting[p.Attempt] = e.Waits
	}
	l.locks.Wake()
	return true
}
