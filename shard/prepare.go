package shard

import (
	"slices"
	"time"

	"isochron/decide"
	"isochron/participant"
	"isochron/rulebook"
	"isochron/txn"
	"isochron/yield"
)

func millisToDuration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// voter judges the Prepares of a leader's term, and votes: what it votes Yes on goes into
// the log, what it refuses is refused for this term.
type voter struct {
	cfg    *Config
	term   uint64
	clock  *txn.Clock
	counts *participant.Counts
	log    journal

	rows      *newest
	locks     *locks
	instants  *yield.Instants
	written   *written
	depends   *dependence
	certain   *confirmation
	switching *switching
	known     *attempts
	orphans   *decide.Orphans
	voice     voice
	leases    *yield.Leases // nil: rows have none
}

// OnPrepare validates, logs and votes: to whom the Prepare says, else to whom it comes from.
func (r *Replica) OnPrepare(from txn.NodeID, p *txn.Prepare) {
	l := r.lead
	asker := from
	if p.VotesTo != 0 {
		asker, from = p.Attempt.Node, p.VotesTo
	}
	if !r.Serving() || p.Term != l.term && !(r.cfg.Params.Bugs.TakeOldPrepares && p.Term != 0) {
		r.cfg.Params.Rules.BiteIf(r.Serving() && p.Term > 0 && p.Term < r.lead.term, rulebook.PrepareOneTerm)
		r.notLeader(asker, txn.NotLeader{Attempt: p.Attempt})
		return
	}
	l.known.sawRetired(p.Attempt, p.Retired)
	if l.switching.early(p) {
		r.notLeader(asker, txn.NotLeader{Attempt: p.Attempt})
		return
	}
	r.cfg.Params.Rules.BiteIf(l.switching.passing(p), rulebook.RecordPasses)
	if p.ReadOnly {
		l.gathering.leaves(p.Txn)
		l.voter.vouch(from, p, r.arrives())
		return
	}
	if l.voter.answerAgain(from, p.Attempt) {
		return
	}
	if r.cfg.Row.Yield.Batches {
		if !l.gathering.Has(p.Attempt) {
			began := r.arrives()
			l.gathering.gather(yield.BatchedPrepare{Prepare: p, Retry: func() { l.voter.prepare(from, p, began) }, Refuse: func(why txn.Refusal) { l.voter.refuse(from, p, why) }})
		}
		return
	}
	if l.voter.stamped(p) {
		l.voter.holdBack(from, p, r.arrives())
		return
	}
	l.voter.prepare(from, p, r.arrives())
}

// answerAgain handles what is already known of an attempt; false if nothing is.
func (o *voter) answerAgain(from txn.NodeID, a txn.Attempt) bool {
	v, says, known := o.known.asked(from, a)
	if says {
		o.cfg.Params.Rules.BiteIf(o.known.isRefused(a), rulebook.RefusedStays)
		o.voice.vote(from, v)
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

// refused says why a vote is No.
func refused(v *txn.Vote, why txn.Refusal) {
	v.Refused, v.Reason, v.Cause = why.Kind(), why.String(), why.Cause()
}

// refuse votes No. It is not logged (abort is presumed): this leader remembers
// it for its term, and a Prepare is good in one term only, so the attempt can
// never be voted Yes.
func (o *voter) refuse(to txn.NodeID, p *txn.Prepare, why txn.Refusal) {
	delete(o.known.waiting, p.Attempt)
	if !p.ReadOnly {
		o.known.refuse(p.Attempt)
	}
	o.counts.Refusals++
	o.cfg.Env.Trace("shard %d: %v votes no: %s", o.cfg.ID, p.Txn, why)
	no := txn.Vote{Attempt: p.Attempt}
	if why.Why == txn.WhyLeaseBehind {
		_, no.Proposed = o.leasesStand(p)
	}
	refused(&no, why)
	o.voice.vote(to, no)
	if !p.ReadOnly {
		o.voice.spreadNo(p)
		o.locks.release(p.Txn, false)
	}
}

// prepare runs concurrency control for one attempt. A wait starts it over, so
// what it grants is of one instant.
func (o *voter) prepare(from txn.NodeID, p *txn.Prepare, began arrival) {
	delete(o.known.waiting, p.Attempt)
	if o.switching.late(p) {
		o.refuse(from, p, txn.WhyOtherProtocol.Refusal())
		return
	}
	if p.LockTerm != 0 && (p.LockTerm != o.term || !o.locks.Holder(p.Txn).Locks()) {
		o.cfg.Params.Rules.Bite(rulebook.LocksLost)
		o.refuse(from, p, txn.WhyLocksLost.Refusal())
		return
	}
	turn := o.asksTurn(p, began)
	if e := o.locks.acquire(&turn); !e.Granted() {
		o.votesLater(from, p, began, &e)
		o.locks.Wake()
		return
	}
	if no := o.validate(p); no.Refused() {
		o.refuse(from, p, no)
		return
	}
	v := o.vote(p)
	q, atOnce := o.asksToVote(p, v, began)
	if o.waitsByStamp(from, p, v, &q, began) {
		return
	}
	e := o.locks.acquire(&q)
	switch {
	case e.Again:
		if !o.known.isRefused(p.Attempt) {
			o.prepare(from, p, began) // bounded: each turn removes its victims
		}
		return
	case !e.Granted():
		o.countLocked(&q)
		o.votesLater(from, p, began, &e)
		return
	}
	o.leases.Renew(p, v.Proposed)
	o.log.propose(command{Vote: v})
	vv := &votingVote{to: []txn.NodeID{from}, id: p.Txn, cmd: v, record: p.Record}
	vv.waitedNanos, vv.waitedFor = began.waited(o.cfg.Env.Now())
	o.known.voting[p.Attempt] = vv
	o.instants.Voted(stampOf(v, p.Declared))
	o.orphans.Await(p.Attempt, o.cfg.Env.Now().Mono)
	o.depends.condition(v)
	o.voice.serve(from, v)
	if atOnce {
		o.depends.reveal(v)
		if o.cfg.Env.Tracing() {
			o.cfg.Env.Trace("shard %d: %v is appended, its writes can be read and its locks are released", o.cfg.ID, p.Txn)
		}
		o.locks.release(p.Txn, true)
	}
	o.revealsValidated(p, v)
	if o.cfg.Params.Bugs.ReleaseBeforeVotes {
		o.locks.release(p.Txn, true)
	}
	if o.cfg.Params.Bugs.VoteOnAppend {
		o.voice.vote(from, txn.Vote{Attempt: p.Attempt, Yes: true, Proposed: v.Proposed, AwaitsDecision: !v.OnePhase})
	}
	o.locks.Wake()
}

// votesLater has a vote wait, or refuses it.
func (o *voter) votesLater(from txn.NodeID, p *txn.Prepare, began arrival, e *yield.Effects) {
	next := began.behind(e.Behind)
	if o.later(from, p, e, func() { o.prepare(from, p, next) }) {
		o.known.waiting[p.Attempt] = e.Waits
	}
}

// later has a Prepare ask again when its wait is over, and reports whether it waits: else it is refused.
func (o *voter) later(from txn.NodeID, p *txn.Prepare, e *yield.Effects, again func()) bool {
	if e.Waits == nil {
		o.refuse(from, p, e.Refused)
		return false
	}
	e.Waits.Retry, e.Waits.Refuse = again, func(why txn.Refusal) { o.refuse(from, p, why) }
	return true
}

// asksTurn asks the lock table whether those before a vote in a chain have ended.
func (o *voter) asksTurn(p *txn.Prepare, began arrival) yield.Request {
	q := yield.Request{Phase: yield.Turn, Txn: p.Txn, Age: p.Age, Attempt: p.Attempt, Writes: p.Writes}
	o.locks.mayWait(&q, began, 0)
	return q
}

// asksToVote is the question of a vote to the lock table, and whether all of it is revealed and
// let go at once.
func (o *voter) asksToVote(p *txn.Prepare, v *voteCmd, began arrival) (q yield.Request, atOnce bool) {
	q = yield.Request{Phase: yield.Prepare, Txn: p.Txn, Age: p.Age, LockSet: v.lockSet()}
	o.locks.mayWait(&q, began, 0)
	if !o.log.takes() {
		q.Barred = txn.WhyLogFull
	}
	if o.leases != nil {
		q.Shared, q.Spans = o.renews(p, v.Proposed)
		q.ReadsPass = true
		return q, false
	}
	class := o.class(p)
	class.Hot = o.locks.Hot(p.Txn, q.Exclusive)
	if o.cfg.Row.Reveal.OnItsAppend(class) {
		return q, true
	}
	q.ReadsPass = v.OnePhase && o.cfg.Row.Reveal.OnItsValidation(class)
	q.Attempt, q.Writes = p.Attempt, p.Writes // others go on from its rows
	return q, false
}

// class is what is known here of whoever asks for a vote.
func (o *voter) class(p *txn.Prepare) txn.Class {
	c := txn.Class{Participants: len(p.Participants), Rank: p.Age.Rank, Record: p.Record}
	if o.cfg.Params.Bugs.RevealAtOwnVote {
		c.Participants = 1
	}
	return c
}

// revealsValidated shows what is validated, where the row shows it before it is logged; if others
// have to validate it too they are told, and it is shown when all have (preCommit).
func (o *voter) revealsValidated(p *txn.Prepare, v *voteCmd) {
	switch class := o.class(p); {
	case o.cfg.Row.Reveal.OnItsValidation(class):
		o.depends.reveal(v)
		o.cfg.Env.Trace("shard %d: %v is validated, its writes can be read and its locks are kept", o.cfg.ID, v.Txn)
		o.locks.Reveal(v.Txn)
	case o.cfg.Row.Reveal.TellsValidation(class):
		o.voice.spread(v)
	}
}

// vote is the log entry of a Yes.
func (o *voter) vote(p *txn.Prepare) *voteCmd {
	v := &voteCmd{
		Attempt: p.Attempt, Txn: p.Txn, Age: p.Age, Participants: p.Participants, Writes: p.Writes,
		Proposed: o.clock.Next(o.cfg.Env.Now()), OnePhase: p.OnePhase, Retired: p.Retired, DecidedAt: p.DecidedAt, Declared: loggedOf(p.Declared),
	}
	written := writes(p.Writes)
	for _, checks := range [][]txn.ReadCheck{p.Reads, p.Guards} {
		for _, c := range checks {
			if !written(c.Key) {
				v.Reads = append(v.Reads, c.Key)
			}
		}
	}
	if p.Declared != nil {
		for _, k := range p.Declared.Reads {
			if !written(k) {
				v.Reads = append(v.Reads, k)
			}
		}
	}
	for _, s := range p.Spans {
		v.Spans = append(v.Spans, s.Span)
	}
	if o.cfg.Params.Bugs.IgnoreRangeChecks {
		v.Spans = nil
	}
	if o.leases != nil { // what it has read is held by nothing: later leaders heed its timestamp
		v.Proposed, v.Reads, v.Spans = o.leases.At(p, o.rows.row), nil, nil
	}
	if o.cfg.Row.Decide.Bypasses() {
		v.Voters, v.Outgoing = o.log.members()
	}
	v.Deps = o.depends.of(p)
	if len(v.Deps) > 0 && !o.cfg.Params.Bugs.CommitOpen {
		o.cfg.Params.Rules.BiteIf(v.OnePhase, rulebook.OpenIsNoCommit)
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
func (o *voter) validate(p *txn.Prepare) txn.Refusal {
	bugs := o.cfg.Params.Bugs
	if bugs.SkipValidation {
		return txn.Refusal{}
	}
	if !yield.Guarded(o.rows.row, p.Guards) {
		return txn.WhySchemaChanged.Refusal()
	}
	if no := o.written.since(p.Txn, p.Since, writtenKeys(p), nil); no.Refused() {
		return no
	}
	if o.leases != nil {
		why, _ := o.leasesStand(p)
		o.countChecks(why)
		return why.Refusal()
	}
	spans := p.Spans
	if bugs.IgnoreRangeChecks {
		spans = nil
	}
	why := yield.Stands(o.rows.row, func(s txn.Scan) txn.ScanRows { return o.rows.scan(s, nil) }, p.Reads, spans)
	o.countChecks(why)
	return txn.Refusal{Why: why, By: yield.ChangedBy(o.rows.row, why, p.Reads)}
}

// countChecks counts what the checks of reads have refused.
func (o *voter) countChecks(why txn.Why) {
	o.cfg.Params.Rules.BiteIf(why == txn.WhyRowChanged, rulebook.RowsChecked)
	o.cfg.Params.Rules.BiteIf(why == txn.WhyRangeChanged, rulebook.RangesChecked)
}

// vouch answers for a transaction that wrote nothing anywhere. All
// its reads were over before any shard was asked, so versions that still stand
// at every shard stood together at that moment. Nothing is held or logged; but
// only a leader that knows itself to be one may say so: by its lease, or by a
// barrier through the log.
func (o *voter) vouch(from txn.NodeID, p *txn.Prepare, began arrival) {
	if o.switching.refuses(p.ProtocolSeq) {
		o.refuse(from, p, txn.WhyOtherProtocol.Refusal())
		return
	}
	if o.cfg.Params.Bugs.VouchUncommitted && o.vouchesInTurn(from, p, began) {
		return
	}
	if no := o.validate(p); no.Refused() {
		o.refuse(from, p, no)
		return
	}
	q := yield.Request{Phase: yield.ReadOnly, Txn: p.Txn, Age: p.Age}
	q.Shared, q.Spans = readBy(p)
	o.locks.mayWait(&q, began, 0)
	if e := o.locks.acquire(&q); !e.Granted() {
		o.vouchesLater(from, p, began, &e)
		return
	}
	nanos, whom := began.waited(o.cfg.Env.Now())
	yes := func() {
		o.voice.vote(from, txn.Vote{Attempt: p.Attempt, Yes: true, WaitedNanos: nanos, WaitedFor: whom})
	}
	o.depends.whenDecided(q.Shared, q.Spans, began, func(committed bool) {
		if committed {
			o.certain.then(yes)
		} else {
			o.refuse(from, p, txn.WhyDependencyAborted.Refusal())
		}
	}, func() { o.refuse(from, p, txn.WhyUndecidedAtVote.Refusal()) })
}

// vouchesLater has a vote on reads alone wait, or refuses it.
func (o *voter) vouchesLater(from txn.NodeID, p *txn.Prepare, began arrival, e *yield.Effects) {
	next := began.behind(e.Behind)
	o.later(from, p, e, func() { o.vouch(from, p, next) })
}

// vouchesInTurn is a bug: whoever has read what is not committed is not refused, but waits until
// it is. It reports whether that is so.
func (o *voter) vouchesInTurn(from txn.NodeID, p *txn.Prepare, began arrival) bool {
	turn := yield.Request{Phase: yield.Turn, Txn: p.Txn, Age: p.Age}
	o.locks.mayWait(&turn, began, 0)
	e := o.locks.acquire(&turn)
	if e.Granted() {
		return false
	}
	if next := began.behind(e.Behind); e.Waits != nil {
		e.Waits.Retry, e.Waits.Refuse = func() { o.vouch(from, p, next) }, func(txn.Refusal) {}
		o.known.waiting[p.Attempt] = e.Waits
	}
	o.locks.Wake()
	return true
}
