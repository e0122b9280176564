package shard

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/decide"
	"isochron/participant"
	"isochron/txn"
	"isochron/yield"
)

func millisToDuration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// prepareHandler validates the Prepares of a leader's term and votes: a Yes is logged, a No
// binds this term.
type prepareHandler struct {
	cfg    *Config
	term   uint64
	clock  *txn.Clock
	counts *participant.Counts
	log    proposer

	rows         *latestRows
	locks        *locks
	arrivalQueue *yield.ArrivalQueue
	written      *written
	depends      *dependencyTracker
	barrier      *leaderBarrier
	switching    *switching
	known        *attempts
	orphans      *decide.Orphans
	replies      replySender
	leases       *yield.Leases // nil: the protocol has no row leases
}

// OnPrepare validates, logs and votes. The vote goes to VotesTo, if set, otherwise to the sender.
func (r *Replica) OnPrepare(from txn.NodeID, p *txn.Prepare) {
	l := r.lead
	asker := from
	if p.VotesTo != 0 {
		asker, from = p.Attempt.Node, p.VotesTo
	}
	if !r.Serving() || p.Term != l.term && !(r.cfg.Params.InjectedBugs.TakeOldPrepares && p.Term != 0) {
		r.cfg.Params.Rules.HitIf(r.Serving() && p.Term > 0 && p.Term < r.lead.term, coverage.PrepareOneTerm)
		r.notLeader(asker, txn.NotLeader{Attempt: p.Attempt})
		return
	}
	l.known.sawRetired(p.Attempt, p.Retired)
	if l.switching.early(p) {
		r.notLeader(asker, txn.NotLeader{Attempt: p.Attempt})
		return
	}
	r.cfg.Params.Rules.HitIf(l.switching.passing(p), coverage.RecordPasses)
	if p.ReadOnly {
		l.batcher.leaves(p.Txn)
		l.prepares.answerReadOnly(from, p, r.arrives())
		return
	}
	if l.prepares.answerAgain(from, p.Attempt) {
		return
	}
	if r.cfg.Spec.Yield.Batches {
		if !l.batcher.Has(p.Attempt) {
			began := r.arrives()
			l.batcher.gather(yield.BatchedPrepare{Prepare: p, Retry: func() { l.prepares.prepare(from, p, began) }, Refuse: func(reason txn.Refusal) { l.prepares.refuse(from, p, reason) }})
		}
		return
	}
	if l.prepares.queuedByArrival(p) {
		l.prepares.queueOrRefuse(from, p, r.arrives())
		return
	}
	l.prepares.prepare(from, p, r.arrives())
}

// answerAgain answers from the known state of an attempt; false if the attempt is unknown.
func (o *prepareHandler) answerAgain(from txn.NodeID, a txn.Attempt) bool {
	v, answered, known := o.known.asked(from, a)
	if answered {
		o.cfg.Params.Rules.HitIf(o.known.isRefused(a), coverage.RefusedStays)
		o.replies.vote(from, v)
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

// refused sets the reason of a No.
func refused(v *txn.Vote, reason txn.Refusal) {
	v.Refused, v.Reason, v.Cause = reason.Kind(), reason.String(), reason.Cause()
}

// refuse votes No. It is not logged (abort is presumed): this leader keeps the refusal for
// its term, and a Prepare is valid in one term only, so the attempt can never be voted
// Yes.
func (o *prepareHandler) refuse(to txn.NodeID, p *txn.Prepare, reason txn.Refusal) {
	delete(o.known.waiting, p.Attempt)
	if !p.ReadOnly {
		o.known.refuse(p.Attempt)
	}
	o.counts.Refusals++
	o.cfg.Env.Trace("shard %d: %v votes no: %s", o.cfg.ID, p.Txn, reason)
	no := txn.Vote{Attempt: p.Attempt}
	if reason.Reason == txn.ReasonLeaseConflict {
		_, no.Proposed = o.leasesStand(p)
	}
	refused(&no, reason)
	o.replies.vote(to, no)
	if !p.ReadOnly {
		o.replies.spreadNo(p)
		o.locks.release(p.Txn, false)
	}
}

// prepare runs concurrency control for one attempt. After a wait it starts from the beginning, so
// its checks and its locks are of one time.
func (o *prepareHandler) prepare(from txn.NodeID, p *txn.Prepare, began arrival) {
	delete(o.known.waiting, p.Attempt)
	if o.switching.late(p) {
		o.refuse(from, p, txn.ReasonProtocolSwitched.Refusal())
		return
	}
	if p.LockTerm != 0 && (p.LockTerm != o.term || !o.locks.Holder(p.Txn).Locks()) {
		o.cfg.Params.Rules.Hit(coverage.LocksLost)
		o.refuse(from, p, txn.ReasonLocksLost.Refusal())
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
	if o.waitsByArrivalTime(from, p, v, &q, began) {
		return
	}
	e := o.locks.acquire(&q)
	switch {
	case e.Again:
		if !o.known.isRefused(p.Attempt) {
			o.prepare(from, p, began) // bounded: each round removes its victims
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
	o.arrivalQueue.Voted(arrivalTimeOf(v, p.FixedSet))
	o.orphans.Await(p.Attempt, o.cfg.Env.Now().Mono)
	o.depends.condition(v)
	o.replies.serve(from, v)
	if atOnce {
		o.depends.reveal(v)
		if o.cfg.Env.Tracing() {
			o.cfg.Env.Trace("shard %d: %v is appended, its writes can be read and its locks are released", o.cfg.ID, p.Txn)
		}
		o.locks.release(p.Txn, true)
	}
	o.revealsValidated(p, v)
	if o.cfg.Params.InjectedBugs.ReleaseBeforeVotes {
		o.locks.release(p.Txn, true)
	}
	if o.cfg.Params.InjectedBugs.VoteOnAppend {
		o.replies.vote(from, txn.Vote{Attempt: p.Attempt, Yes: true, Proposed: v.Proposed, AwaitsDecision: !v.OnePhase})
	}
	o.locks.Wake()
}

// votesLater has a prepare wait, or refuses it.
func (o *prepareHandler) votesLater(from txn.NodeID, p *txn.Prepare, began arrival, e *yield.LockResult) {
	next := began.behind(e.BlockedBy)
	if o.later(from, p, e, func() { o.prepare(from, p, next) }) {
		o.known.waiting[p.Attempt] = e.Waits
	}
}

// later has a Prepare retry when its wait is over, and reports whether it waits; otherwise it is refused.
func (o *prepareHandler) later(from txn.NodeID, p *txn.Prepare, e *yield.LockResult, again func()) bool {
	if e.Waits == nil {
		o.refuse(from, p, e.Refused)
		return false
	}
	e.Waits.Retry, e.Waits.Refuse = again, func(reason txn.Refusal) { o.refuse(from, p, reason) }
	return true
}

// asksTurn returns the request that waits until the transactions before p in its hot rows' chains have ended.
func (o *prepareHandler) asksTurn(p *txn.Prepare, began arrival) yield.LockRequest {
	q := yield.LockRequest{Phase: yield.ChainOrder, Txn: p.Txn, Age: p.Age, Attempt: p.Attempt, Writes: p.Writes}
	o.locks.mayWait(&q, began, 0)
	return q
}

// asksToVote returns the lock request of a vote. atOnce: all its writes are revealed and its locks
// released immediately.
func (o *prepareHandler) asksToVote(p *txn.Prepare, v *voteCmd, began arrival) (q yield.LockRequest, atOnce bool) {
	q = yield.LockRequest{Phase: yield.Prepare, Txn: p.Txn, Age: p.Age, LockSet: v.lockSet()}
	o.locks.mayWait(&q, began, 0)
	if !o.log.acceptsProposals() {
		q.RejectWith = txn.ReasonLogFull
	}
	if o.leases != nil {
		q.Shared, q.Spans = o.renews(p, v.Proposed)
		q.ReadsPass = true
		return q, false
	}
	class := o.class(p)
	class.Hot = o.locks.Hot(p.Txn, q.Exclusive)
	if o.cfg.Spec.Reveal.OnItsAppend(class) {
		return q, true
	}
	q.ReadsPass = v.OnePhase && o.cfg.Spec.Reveal.OnItsValidation(class)
	q.Attempt, q.Writes = p.Attempt, p.Writes // for transactions that read its uncommitted rows
	return q, false
}

// class returns the class of the transaction of a Prepare, as known here.
func (o *prepareHandler) class(p *txn.Prepare) txn.Class {
	c := txn.Class{Participants: len(p.Participants), Region: p.Age.Region, Record: p.Record}
	if o.cfg.Params.InjectedBugs.RevealAtOwnVote {
		c.Participants = 1
	}
	return c
}

// revealsValidated reveals a validated vote, in protocols that reveal before the log. If other participants
// must validate too, they are notified, and it is revealed when all have (preCommit).
func (o *prepareHandler) revealsValidated(p *txn.Prepare, v *voteCmd) {
	switch class := o.class(p); {
	case o.cfg.Spec.Reveal.OnItsValidation(class):
		o.depends.reveal(v)
		o.cfg.Env.Trace("shard %d: %v is validated, its writes can be read and its locks are kept", o.cfg.ID, v.Txn)
		o.locks.Reveal(v.Txn)
	case o.cfg.Spec.Reveal.RevealsAtValidation(class):
		o.replies.spread(v)
	}
}

// vote returns the log entry of a Yes.
func (o *prepareHandler) vote(p *txn.Prepare) *voteCmd {
	v := &voteCmd{
		Attempt: p.Attempt, Txn: p.Txn, Age: p.Age, Participants: p.Participants, Writes: p.Writes,
		Proposed: o.clock.Next(o.cfg.Env.Now()), OnePhase: p.OnePhase, Retired: p.Retired, RecordShard: p.RecordShard, FixedSet: loggedOf(p.FixedSet),
	}
	written := writes(p.Writes)
	for _, checks := range [][]txn.ReadCheck{p.Reads, p.SchemaChecks} {
		for _, c := range checks {
			if !written(c.Key) {
				v.Reads = append(v.Reads, c.Key)
			}
		}
	}
	if p.FixedSet != nil {
		for _, k := range p.FixedSet.Reads {
			if !written(k) {
				v.Reads = append(v.Reads, k)
			}
		}
	}
	for _, s := range p.Spans {
		v.Spans = append(v.Spans, s.Span)
	}
	if o.cfg.Params.InjectedBugs.IgnoreRangeChecks {
		v.Spans = nil
	}
	if o.leases != nil { // its reads are not locked: later leaders respect its timestamp
		v.Proposed, v.Reads, v.Spans = o.leases.At(p, o.rows.row), nil, nil
	}
	if o.cfg.Spec.Decide.Bypasses() {
		v.Voters, v.Outgoing = o.log.members()
	}
	v.Deps = o.depends.of(p)
	if len(v.Deps) > 0 && !o.cfg.Params.InjectedBugs.CommitOpen {
		o.cfg.Params.Rules.HitIf(v.OnePhase, coverage.OpenIsNoCommit)
		v.OnePhase = false // its entry cannot be its commit
	}
	return v
}

// writes returns a predicate: whether a key is among the writes.
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

// validate checks that the rows and ranges read are unchanged.
func (o *prepareHandler) validate(p *txn.Prepare) txn.Refusal {
	bugs := o.cfg.Params.InjectedBugs
	if bugs.SkipValidation {
		return txn.Refusal{}
	}
	if !yield.Guarded(o.rows.row, p.SchemaChecks) {
		return txn.ReasonSchemaChanged.Refusal()
	}
	if no := o.written.since(p.Txn, p.Since, writtenKeys(p), nil); no.Refused() {
		return no
	}
	if o.leases != nil {
		reason, _ := o.leasesStand(p)
		o.countChecks(reason)
		return reason.Refusal()
	}
	spans := p.Spans
	if bugs.IgnoreRangeChecks {
		spans = nil
	}
	reason := yield.StillValid(o.rows.row, o.rows.digest, p.Reads, spans)
	o.countChecks(reason)
	return txn.Refusal{Reason: reason, OverwrittenBy: yield.ChangedBy(o.rows.row, reason, p.Reads)}
}

// countChecks counts the failed checks of reads.
func (o *prepareHandler) countChecks(reason txn.AbortReason) {
	o.cfg.Params.Rules.HitIf(reason == txn.ReasonRowChanged, coverage.RowsChecked)
	o.cfg.Params.Rules.HitIf(reason == txn.ReasonRangeChanged, coverage.RangesChecked)
}

// answerReadOnly votes for a transaction that wrote nothing anywhere. All its
// reads were finished before any shard was asked, so versions that are still current
// at every shard were current together at that time. Nothing is locked or logged; but
// only a certain leader may vote so: by its lease, or by a barrier through
// the log.
func (o *prepareHandler) answerReadOnly(from txn.NodeID, p *txn.Prepare, began arrival) {
	if o.switching.refuses(p.ProtocolSeq) {
		o.refuse(from, p, txn.ReasonProtocolSwitched.Refusal())
		return
	}
	if o.cfg.Params.InjectedBugs.AnswerReadOnlyUncommitted && o.answersReadOnlyAfterWait(from, p, began) {
		return
	}
	if no := o.validate(p); no.Refused() {
		o.refuse(from, p, no)
		return
	}
	q := yield.LockRequest{Phase: yield.ReadOnly, Txn: p.Txn, Age: p.Age}
	q.Shared, q.Spans = readBy(p)
	o.locks.mayWait(&q, began, 0)
	if e := o.locks.acquire(&q); !e.Granted() {
		o.answerReadOnlyLater(from, p, began, &e)
		return
	}
	nanos, holder := began.waited(o.cfg.Env.Now())
	yes := func() {
		o.replies.vote(from, txn.Vote{Attempt: p.Attempt, Yes: true, WaitedNanos: nanos, WaitedFor: holder})
	}
	o.depends.whenDecided(q.Shared, q.Spans, began, func(committed bool) {
		if committed {
			o.barrier.then(yes)
		} else {
			o.refuse(from, p, txn.ReasonDependencyAborted.Refusal())
		}
	}, func() { o.refuse(from, p, txn.ReasonVoteTimeout.Refusal()) })
}

// answerReadOnlyLater has a read-only vote wait, or refuses it.
func (o *prepareHandler) answerReadOnlyLater(from txn.NodeID, p *txn.Prepare, began arrival, e *yield.LockResult) {
	next := began.behind(e.BlockedBy)
	o.later(from, p, e, func() { o.answerReadOnly(from, p, next) })
}

// answersReadOnlyAfterWait is an injected bug: a transaction that has read uncommitted values is not refused but waits
// until they are committed. It reports whether this applies.
func (o *prepareHandler) answersReadOnlyAfterWait(from txn.NodeID, p *txn.Prepare, began arrival) bool {
	turn := yield.LockRequest{Phase: yield.ChainOrder, Txn: p.Txn, Age: p.Age}
	o.locks.mayWait(&turn, began, 0)
	e := o.locks.acquire(&turn)
	if e.Granted() {
		return false
	}
	if next := began.behind(e.BlockedBy); e.Waits != nil {
		e.Waits.Retry, e.Waits.Refuse = func() { o.answerReadOnly(from, p, next) }, func(txn.Refusal) {}
		o.known.waiting[p.Attempt] = e.Waits
	}
	o.locks.Wake()
	return true
}
