package shard

import (
	"time"

	"isochron/coverage"
	"isochron/decide"
	"isochron/reveal"
	"isochron/txn"
	"isochron/yield"
)

// leaderState is the state that exists only at the leader of a term. It is created with the term
// and dropped with it. Every promise to another node is also in the log, except refusals: these
// bind this term only, and a Prepare is addressed to a term.
type leaderState struct {
	r       *Replica
	term    uint64
	serving bool // an entry of this term is applied and the locks are restored

	locks   locks
	early   *reveal.Early
	rows    latestRows
	depends dependencyTracker
	written written
	barrier leaderBarrier

	deadlocks *yield.DeadlockDetector // over locks
	switching switching

	known attempts

	arrivalQueue  *yield.ArrivalQueue // prepares queued until their arrival times
	batcher       prepareBatcher
	replies       replySender
	reader        reader
	prepares      prepareHandler
	decisions     decisionHandler
	collects      collecting
	gateways      *yield.GatewayLeases
	orphans       *decide.Orphans
	snapshotReads snapshotReads // reads at a read timestamp, waiting
	leases        *yield.Leases
}

func newLeaderState(r *Replica, term uint64, now txn.Now) *leaderState {
	l := &leaderState{r: r, term: term}
	l.gateways = yield.NewGatewayLeases(r.cfg.Self, r.cfg.Params.StatusQueryAfter, r.cfg.Params.GatewayLease)
	l.orphans = decide.NewOrphans(r.cfg.Params.RecoverAfter)
	l.rows = latestRows{state: r.state, engine: r.cfg.Engine}
	l.early = reveal.NewEarly(r.cfg.Spec.Reveal, l.rows.at)
	l.rows.early = l.early
	l.known = newAttempts(r.state, l.early, &r.cfg.Params.InjectedBugs)
	l.depends = dependencyTracker{cfg: &r.cfg, early: l.early, known: &l.known}
	l.arrivalQueue = yield.NewArrivalQueue(r.cfg.Spec.Yield, l.locks.votersOf, r.cfg.Params.Rules)
	l.arrivalQueue.Early, l.arrivalQueue.ForgetLate = r.cfg.Params.InjectedBugs.HandleEarly, r.cfg.Params.InjectedBugs.ForgetLate
	l.arrivalQueue.ByReceipt = r.cfg.Params.InjectedBugs.QueueByReceipt
	l.known.arrivals = l.arrivalQueue
	l.locks = locks{cfg: &r.cfg, counts: &r.counts, arrivalQueue: l.arrivalQueue}
	l.newLocks()
	if l.leases = yield.NewLeases(r.cfg.Spec.Yield, term); l.leases != nil {
		l.leases.Rules, l.leases.Writes.Inside = r.cfg.Params.Rules, r.cfg.Params.InjectedBugs.WriteInsideLease
	}
	l.written = written{rows: &l.rows, locks: &l.locks, known: &l.known}
	l.barrier = newLeaderBarrier(term, r.group.Leased, r.propose)
	l.barrier.rules, l.early.Rules = r.cfg.Params.Rules, r.cfg.Params.Rules
	l.switching = switching{state: r.state, desired: &r.desired, propose: r.propose}
	l.collects = newCollecting(r.state, r.cfg.Params.KeepVersions, now.Mono, r.propose)
	l.snapshotReads = snapshotReads{cut: r.cut(), propose: r.propose, voting: l.known.voting, holdAsked: map[txn.Timestamp]time.Duration{}}
	l.snapshotReads.leads, l.snapshotReads.deciding = true, l.known.deciding
	l.snapshotReads.term, l.snapshotReads.barrier = term, &l.barrier
	l.batcher = prepareBatcher{yield.NewBatches(r.cfg.Params.BatchSize, r.cfg.Params.TickInterval), &r.cfg, l.known.over}
	l.locks.leaves = l.batcher.leaves
	l.replies = replySender{&r.cfg, &l.switching, &l.rows, &l.known}
	l.decisions = decisionHandler{
		cfg: &r.cfg, clock: &r.clock, log: r.raftHandle, known: &l.known, depends: &l.depends, locks: &l.locks, orphans: l.orphans,
		barrier: &l.barrier, replies: l.replies, leases: l.leases,
	}
	l.prepares = prepareHandler{
		cfg: &r.cfg, term: term, clock: &r.clock, counts: &r.counts, log: r.raftHandle, rows: &l.rows, locks: &l.locks, written: &l.written, arrivalQueue: l.arrivalQueue,
		depends: &l.depends, barrier: &l.barrier, switching: &l.switching, known: &l.known, orphans: l.orphans, replies: l.replies, leases: l.leases,
	}
	l.reader = reader{
		cfg: &r.cfg, term: term, clock: &r.clock, rows: &l.rows, locks: &l.locks, written: &l.written, depends: &l.depends,
		barrier: &l.barrier, switching: &l.switching, gathering: &l.batcher, leases: l.leases,
	}
	return l
}

// serve starts service: every vote that a majority ever logged is known, and locks are
// restored from the undecided ones in log order.
func (l *leaderState) serve() {
	r := l.r
	l.serving = true
	l.countClocks()
	if !r.cfg.Params.InjectedBugs.ForgetMaxReadTS {
		r.clock.Observe(r.state.applied.MaxReadTS)
	}
	r.env.NodeEvent(txn.NodeEvent{Kind: txn.EventServes, Shard: r.cfg.ID, Term: l.term, Count: len(r.state.prepared)})
	l.leases.Begin(r.state.applied.MaxTS)
	l.early.Lead(r.state.applied.MaxTS)
	now := r.env.Now().Mono
	l.restore(now)
	r.env.Trace("serves shard %d in term %d, %d undecided votes restored", r.cfg.ID, l.term, len(r.state.prepared))
}

// countClocks counts the cases in which the leader's own clock alone would propose too low.
func (l *leaderState) countClocks() {
	r := l.r
	if !r.cfg.Params.Rules.On() {
		return
	}
	now, wall := r.env.Now(), txn.Clock{}
	r.cfg.Params.Rules.HitIf(wall.Behind(now, r.state.applied.MaxTS), coverage.ClockAboveLog)
	ceiling := r.state.applied.MaxReadTS
	r.cfg.Params.Rules.HitIf(r.clock.Behind(now, ceiling), coverage.MaxReadTSOfSuccessor)
}

// restore restores the locks of the undecided votes in the log. A vote that
// conflicts with an earlier one proves that the earlier one was pre-committed.
func (l *leaderState) restore(now time.Duration) {
	if l.r.cfg.Params.InjectedBugs.ForgetVotes {
		return
	}
	byTxn := map[txn.ID]*prepared{}
	var early func(txn.ID)
	if l.r.cfg.Spec.Reveal.PreCommits() {
		early = func(id txn.ID) {
			l.r.cfg.Params.Rules.Hit(coverage.RestoredInOrder)
			l.depends.reveal(&byTxn[id].voteCmd)
			l.locks.release(id, true)
		}
	}
	for _, p := range l.r.state.byIndex() {
		l.locks.Restore(now, p.Txn, p.Age, l.locks.TakeOver(now, p.Txn, l.known.txnsOf(p.AssumesAborted), p.lockSet()), early)
		l.r.cfg.Params.Rules.Hit(coverage.VotesRestored)
		l.arrivalQueue.Voted(arrivalTimeOf(&p.voteCmd, p.FixedSet))
		byTxn[p.Txn] = p
		l.orphans.Await(p.Attempt, now)
		l.depends.condition(&p.voteCmd)
		l.reportAgain(p)
	}
}

// reportAgain sends a vote that an earlier leader has logged.
func (l *leaderState) reportAgain(p *prepared) {
	open, doomed := l.known.conditional(p.Attempt)
	l.replies.vote(p.Attempt.Node, txn.Vote{Attempt: p.Attempt, Yes: true, Proposed: p.Proposed, Open: open, Doomed: doomed, AwaitsDecision: true})
	if !doomed {
		l.replies.spread(&p.voteCmd)
	}
}

// applied handles the effect of a command in an applied entry of a term.
func (l *leaderState) applied(e effect, term uint64) {
	if e.barrier != 0 {
		l.barrier.applied(e.barrier, term)
		return
	}
	l.decisions.applied(e)
}

// lockSet returns the locks of a vote: its writes exclusive, its reads shared.
func (v *voteCmd) lockSet() yield.LockSet {
	c := yield.LockSet{Spans: v.Spans, Shared: v.Reads}
	for _, w := range v.Writes {
		c.Exclusive = append(c.Exclusive, w.Key)
	}
	return c
}

// lookRound releases locks of lost transactions, queries the gateways of long holders, and reports orphans.
func (l *leaderState) lookRound(now txn.Now) {
	if !l.serving {
		return
	}
	self, env := l.r.cfg.ID, l.r.env
	unvoted := l.locks.Unvoted()
	for _, id := range unvoted {
		l.gateways.Has(now.Mono, id)
	}
	for _, v := range l.r.state.byIndex() {
		l.gateways.Has(now.Mono, v.Txn)
	}
	for _, n := range l.gateways.Gateways(now.Mono) {
		env.Send(txn.Coordinator(n), txn.Message{TxnStatusQuery: &txn.TxnStatusQuery{Shard: self, SentNanos: int64(now.Mono)}})
	}
	for _, id := range unvoted {
		if l.gateways.Lost(now.Mono, id.Node) {
			env.Trace("shard %d: node %d does not answer, the locks of %v are released", self, id.Node, id)
			l.freeLost(id)
		}
	}
	for _, h := range l.locks.Holders() {
		switch ask, dropped := l.gateways.Judge(now.Mono, h); {
		case ask:
			env.Send(txn.Coordinator(h.Txn.Node), txn.Message{TxnStatusQuery: &txn.TxnStatusQuery{Shard: self, Txn: h.Txn}})
		case dropped:
			env.Trace("shard %d: no answer about %v, its locks are released", self, h.Txn)
			l.freeLost(h.Txn)
		}
	}
	for _, v := range l.r.state.byIndex() {
		lost := l.gateways.Lost(now.Mono, v.Txn.Node)
		if l.known.deciding[v.Attempt] == nil && l.orphans.Due(now.Mono, v.Attempt, time.Duration(v.since), lost) {
			env.Orphan(txn.Orphan{Attempt: v.Attempt, Txn: v.Txn, Participants: v.Participants, RecordShard: v.RecordShard, FixedSet: v.FixedSet != nil})
		}
	}
}

// freeLost ends a transaction whose gateway is lost.
func (l *leaderState) freeLost(id txn.ID) {
	l.r.cfg.Params.Rules.Hit(coverage.GatewayLost)
	l.r.env.NodeEvent(txn.NodeEvent{Kind: txn.EventLocksReleased, Shard: l.r.cfg.ID, Txn: id})
	l.locks.drop(id)
}

// OnRelease releases a transaction's locks.
func (r *Replica) OnRelease(m *txn.Release) {
	if r.lead != nil {
		r.lead.locks.drop(m.Txn)
	}
}

// OnTxnStatusReply handles the status of a lock holder, or of a gateway.
func (r *Replica) OnTxnStatusReply(from txn.NodeID, m *txn.TxnStatusReply) {
	if r.lead == nil {
		return
	}
	if m.Txn == (txn.ID{}) {
		r.lead.gateways.Answers(r.env.Now().Mono, time.Duration(m.SentNanos), from)
	} else if m.Alive {
		r.lead.gateways.Renewed(m.Txn)
	} else {
		r.lead.locks.drop(m.Txn)
	}
}
