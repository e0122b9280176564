package shard

import (
	"time"

	"isochron/decide"
	"isochron/reveal"
	"isochron/rulebook"
	"isochron/txn"
	"isochron/yield"
)

// leadership is what only the leader of a term knows. It is born with the term
// and dropped with it; nothing in it was ever promised to anybody who could not
// find it again in the log, but for refusals: these bind this term only, and a
// Prepare is addressed to a term.
type leadership struct {
	r       *Replica
	term    uint64
	serving bool // an entry of this term is applied and the locks are restored

	locks   locks
	early   *reveal.Early
	rows    newest
	depends dependence
	written written
	certain confirmation

	chaser    *yield.Chaser // over locks
	switching switching

	known attempts

	instants  *yield.Instants // votes that are asked for at one
	gathering gathering
	voice     voice
	reader    reader
	voter     voter
	endings   endings
	collects  collecting
	gateways  *yield.GatewayLeases
	orphans   *decide.Orphans
	moments   moments // reads at one
	leases    *yield.Leases
}

func newLeadership(r *Replica, term uint64, now txn.Now) *leadership {
	l := &leadership{r: r, term: term}
	l.gateways = yield.NewGatewayLeases(r.cfg.Self, r.cfg.Params.ProbeAfter, r.cfg.Params.GatewayLease)
	l.orphans = decide.NewOrphans(r.cfg.Params.RecoverAfter)
	l.rows = newest{state: r.state, engine: r.cfg.Engine}
	l.early = reveal.NewEarly(r.cfg.Row.Reveal, l.rows.at)
	l.rows.early = l.early
	l.known = newAttempts(r.state, l.early, &r.cfg.Params.Bugs)
	l.depends = dependence{cfg: &r.cfg, early: l.early, known: &l.known}
	l.instants = yield.NewInstants(r.cfg.Row.Yield, l.locks.votersOf, r.cfg.Params.Rules)
	l.instants.Early, l.instants.ForgetLate = r.cfg.Params.Bugs.HandleEarly, r.cfg.Params.Bugs.ForgetLate
	l.instants.ByArrival = r.cfg.Params.Bugs.StampsByArrival
	l.known.instants = l.instants
	l.locks = locks{cfg: &r.cfg, counts: &r.counts, instants: l.instants}
	l.newLocks()
	if l.leases = yield.NewLeases(r.cfg.Row.Yield, term); l.leases != nil {
		l.leases.Rules, l.leases.Writes.Inside = r.cfg.Params.Rules, r.cfg.Params.Bugs.WriteInsideLease
	}
	l.written = written{rows: &l.rows, locks: &l.locks, known: &l.known}
	l.certain = newConfirmation(term, r.group.Leased, r.propose)
	l.certain.rules, l.early.Rules = r.cfg.Params.Rules, r.cfg.Params.Rules
	l.switching = switching{state: r.state, desired: &r.desired, propose: r.propose}
	l.collects = newCollecting(r.state, r.cfg.Params.KeepVersions, now.Mono, r.propose)
	l.moments = moments{cut: r.cut(), propose: r.propose, voting: l.known.voting, holdAsked: map[txn.Timestamp]time.Duration{}}
	l.moments.leads, l.moments.deciding = true, l.known.deciding
	l.moments.term, l.moments.certain = term, &l.certain
	l.gathering = gathering{yield.NewBatches(r.cfg.Params.BatchSize, r.cfg.Params.TickInterval), &r.cfg, l.known.over}
	l.locks.leaves = l.gathering.leaves
	l.voice = voice{&r.cfg, &l.switching, &l.rows, &l.known}
	l.endings = endings{
		cfg: &r.cfg, clock: &r.clock, log: r.seat, known: &l.known, depends: &l.depends, locks: &l.locks, orphans: l.orphans,
		certain: &l.certain, voice: l.voice, leases: l.leases,
	}
	l.voter = voter{
		cfg: &r.cfg, term: term, clock: &r.clock, counts: &r.counts, log: r.seat, rows: &l.rows, locks: &l.locks, written: &l.written, instants: l.instants,
		depends: &l.depends, certain: &l.certain, switching: &l.switching, known: &l.known, orphans: l.orphans, voice: l.voice, leases: l.leases,
	}
	l.reader = reader{
		cfg: &r.cfg, term: term, clock: &r.clock, rows: &l.rows, locks: &l.locks, written: &l.written, depends: &l.depends,
		certain: &l.certain, switching: &l.switching, gathering: &l.gathering, leases: l.leases,
	}
	return l
}

// serve begins service: every vote that a majority ever logged is known, and locks are
// restored from the undecided ones in log order.
func (l *leadership) serve() {
	r := l.r
	l.serving = true
	l.countClocks()
	if !r.cfg.Params.Bugs.ForgetCeiling {
		r.clock.Observe(r.state.applied.Ceiling)
	}
	r.env.Note(txn.Note{Kind: txn.NoteServes, Shard: r.cfg.ID, Term: l.term, Count: len(r.state.prepared)})
	l.leases.Begin(r.state.applied.MaxTS)
	now := r.env.Now().Mono
	l.restore(now)
	r.env.Trace("serves shard %d in term %d, %d undecided votes restored", r.cfg.ID, l.term, len(r.state.prepared))
}

// countClocks counts what its own clock would have had the leader propose otherwise.
func (l *leadership) countClocks() {
	r := l.r
	if !r.cfg.Params.Rules.On() {
		return
	}
	now, wall := r.env.Now(), txn.Clock{}
	r.cfg.Params.Rules.BiteIf(wall.Behind(now, r.state.applied.MaxTS), rulebook.ClockAboveLog)
	ceiling := r.state.applied.Ceiling
	r.cfg.Params.Rules.BiteIf(r.clock.Behind(now, ceiling), rulebook.CeilingOfSuccessor)
}

// restore brings back what the undecided votes of the log hold. A vote that
// conflicts with an earlier one proves that the earlier was pre-committed.
func (l *leadership) restore(now time.Duration) {
	if l.r.cfg.Params.Bugs.ForgetVotes {
		return
	}
	byTxn := map[txn.ID]*prepared{}
	var early func(txn.ID)
	if l.r.cfg.Row.Reveal.PreCommits() {
		early = func(id txn.ID) {
			l.r.cfg.Params.Rules.Bite(rulebook.RestoredInOrder)
			l.depends.reveal(&byTxn[id].voteCmd)
			l.locks.release(id, true)
		}
	}
	for _, p := range l.r.state.byIndex() {
		l.locks.Restore(now, p.Txn, p.Age, l.locks.TakeOver(now, p.Txn, l.known.txnsOf(p.Unless), p.lockSet()), early)
		l.r.cfg.Params.Rules.Bite(rulebook.VotesRestored)
		l.instants.Voted(stampOf(&p.voteCmd, p.Declared))
		byTxn[p.Txn] = p
		l.orphans.Await(p.Attempt, now)
		l.depends.condition(&p.voteCmd)
		l.reportAgain(p)
	}
}

// reportAgain tells of a vote that an earlier leader has logged.
func (l *leadership) reportAgain(p *prepared) {
	open, doomed := l.known.conditional(p.Attempt)
	l.voice.vote(p.Attempt.Node, txn.Vote{Attempt: p.Attempt, Yes: true, Proposed: p.Proposed, Open: open, Doomed: doomed, AwaitsDecision: true})
	if !doomed {
		l.voice.spread(&p.voteCmd)
	}
}

// applied hears what the log has just done in an entry of a term.
func (l *leadership) applied(e effect, term uint64) {
	if e.barrier != 0 {
		l.certain.applied(e.barrier, term)
		return
	}
	l.endings.applied(e)
}

// lockSet is what a vote holds: its writes exclusively, its reads shared.
func (v *voteCmd) lockSet() yield.LockSet {
	c := yield.LockSet{Spans: v.Spans, Shared: v.Reads}
	for _, w := range v.Writes {
		c.Exclusive = append(c.Exclusive, w.Key)
	}
	return c
}

// lookRound frees what nobody will end, asks after what may be so, and has orphans ended.
func (l *leadership) lookRound(now txn.Now) {
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
		env.Send(txn.Coordinator(n), txn.Message{Probe: &txn.Probe{Shard: self, StampNanos: int64(now.Mono)}})
	}
	for _, id := range unvoted {
		if l.gateways.Lost(now.Mono, id.Node) {
			env.Trace("shard %d: node %d is not heard of, the locks of %v are freed", self, id.Node, id)
			l.freeLost(id)
		}
	}
	for _, h := range l.locks.Holders() {
		switch ask, gone := l.gateways.Judge(now.Mono, h); {
		case ask:
			env.Send(txn.Coordinator(h.Txn.Node), txn.Message{Probe: &txn.Probe{Shard: self, Txn: h.Txn}})
		case gone:
			env.Trace("shard %d: nobody answers for %v, its locks are freed", self, h.Txn)
			l.freeLost(h.Txn)
		}
	}
	for _, v := range l.r.state.byIndex() {
		lost := l.gateways.Lost(now.Mono, v.Txn.Node)
		if l.known.deciding[v.Attempt] == nil && l.orphans.Due(now.Mono, v.Attempt, time.Duration(v.since), lost) {
			env.Orphan(txn.Orphan{Attempt: v.Attempt, Txn: v.Txn, Participants: v.Participants, DecidedAt: v.DecidedAt, Declared: v.Declared != nil})
		}
	}
}

// freeLost ends a transaction of which nobody will ever hear again.
func (l *leadership) freeLost(id txn.ID) {
	l.r.cfg.Params.Rules.Bite(rulebook.GatewayLost)
	l.r.env.Note(txn.Note{Kind: txn.NoteLocksFreed, Shard: l.r.cfg.ID, Txn: id})
	l.locks.drop(id)
}

// OnRelease ends a transaction's locks.
func (r *Replica) OnRelease(m *txn.Release) {
	if r.lead != nil {
		r.lead.locks.drop(m.Txn)
	}
}

// OnProbeReply hears of a lock holder, or of a gateway.
func (r *Replica) OnProbeReply(from txn.NodeID, m *txn.ProbeReply) {
	if r.lead == nil {
		return
	}
	if m.Txn == (txn.ID{}) {
		r.lead.gateways.Answers(r.env.Now().Mono, time.Duration(m.StampNanos), from)
	} else if m.Alive {
		r.lead.gateways.Lives(m.Txn)
	} else {
		r.lead.locks.drop(m.Txn)
	}
}
