package shard

import (
	"time"

	"isochron/reveal"
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

	gathering gathering
	reader    reader
	collectAt time.Duration
	patrol    patrol
	moments   moments // reads at one
}

func newLeadership(r *Replica, term uint64, now txn.Now) *leadership {
	l := &leadership{
		r: r, term: term,
		collectAt: now.Mono + r.cfg.Params.KeepVersions/4,
		patrol:    newPatrol(&r.cfg),
	}
	l.rows = newest{state: r.state, engine: r.cfg.Engine}
	l.early = reveal.NewEarly(r.cfg.Row.Reveal, l.rows.at)
	l.rows.early = l.early
	l.known = newAttempts(r.state, l.early, &r.cfg.Params.Bugs)
	l.depends = dependence{cfg: &r.cfg, early: l.early, known: &l.known}
	l.locks = locks{cfg: &r.cfg, counts: &r.counts}
	l.newLocks()
	l.written = written{rows: &l.rows, locks: &l.locks, known: &l.known}
	l.certain = newConfirmation(term, r.group.Leased, r.propose)
	l.switching = switching{state: r.state, desired: &r.desired, propose: r.propose}
	l.moments = moments{cut: r.cut(), propose: r.propose, voting: l.known.voting, holdAsked: map[txn.Timestamp]time.Duration{}}
	l.moments.leads, l.moments.deciding = true, l.known.deciding
	l.moments.term, l.moments.certain = term, &l.certain
	l.gathering = gathering{yield.NewBatches(r.cfg.Params.BatchSize, r.cfg.Params.TickInterval), &r.cfg, l.known.over}
	l.reader = reader{
		cfg: &r.cfg, term: term, clock: &r.clock, rows: &l.rows, locks: &l.locks, written: &l.written, depends: &l.depends,
		certain: &l.certain, switching: &l.switching, gathering: &l.gathering,
	}
	return l
}

// serve begins service: every vote that a majority ever logged is known, and locks are
// restored from the undecided ones in log order.
func (l *leadership) serve() {
	r := l.r
	l.serving = true
	r.clock.Observe(r.state.applied.Ceiling)
	r.env.Note(txn.Note{Kind: txn.NoteServes, Shard: r.cfg.ID, Term: l.term, Count: len(r.state.prepared)})
	now := r.env.Now().Mono
	l.restore(now)
	r.env.Trace("serves shard %d in term %d, %d undecided votes restored", r.cfg.ID, l.term, len(r.state.prepared))
}

// claim is what a vote holds: its writes exclusively, its reads shared.
func (v *voteCmd) claim() yield.Claim {
	c := yield.Claim{Spans: v.Spans, Shared: v.Reads}
	for _, w := range v.Writes {
		c.Exclusive = append(c.Exclusive, w.Key)
	}
	return c
}

// release frees a transaction's locks and lets those who waited ask again. If it
// is not committed, those who went on from what it had written end with it.
func (l *leadership) release(id txn.ID, committed bool) {
	l.locks.End(l.r.env.Now().Mono, id, committed)
}

// lookRound frees what nobody will end, asks after what may be so, and has orphans ended.
func (l *leadership) lookRound(now txn.Now) {
	if !l.serving {
		return
	}
	self, env := l.r.cfg.ID, l.r.env
	unvoted := l.locks.Unvoted()
	for _, n := range l.patrol.visit(now.Mono, unvoted, l.r.state.byIndex()) {
		env.Send(txn.Coordinator(n), txn.Message{Probe: &txn.Probe{Shard: self, StampNanos: int64(now.Mono)}})
	}
	for _, id := range unvoted {
		if l.patrol.gateways.gone(now.Mono, id.Node) {
			env.Trace("shard %d: node %d is not heard of, the locks of %v are freed", self, id.Node, id)
			l.freeLost(id)
		}
	}
	for _, h := range l.locks.Holders() {
		switch ask, gone := l.patrol.suspects(now.Mono, h); {
		case ask:
			env.Send(txn.Coordinator(h.Txn.Node), txn.Message{Probe: &txn.Probe{Shard: self, Txn: h.Txn}})
		case gone:
			env.Trace("shard %d: nobody answers for %v, its locks are freed", self, h.Txn)
			l.freeLost(h.Txn)
		}
	}
	for _, v := range l.r.state.byIndex() {
		if l.patrol.orphaned(now.Mono, v, l.known.deciding[v.Attempt] != nil) {
			env.Orphan(txn.Orphan{Attempt: v.Attempt, Txn: v.Txn, Participants: v.Participants, DecidedAt: v.DecidedAt})
		}
	}
}

// freeLost ends a transaction of which nobody will ever hear again.
func (l *leadership) freeLost(id txn.ID) {
	l.r.env.Note(txn.Note{Kind: txn.NoteLocksFreed, Shard: l.r.cfg.ID, Txn: id})
	l.endUnvoted(id)
}

// endUnvoted frees all of a transaction that has not voted here.
func (l *leadership) endUnvoted(id txn.ID) {
	l.gathering.leaves(id)
	l.locks.Drop(l.r.env.Now().Mono, id)
}

// OnRelease ends a transaction's locks.
func (r *Replica) OnRelease(m *txn.Release) {
	if r.lead != nil {
		r.lead.endUnvoted(m.Txn)
	}
}

// OnProbeReply hears of a lock holder, or of a gateway.
func (r *Replica) OnProbeReply(from txn.NodeID, m *txn.ProbeReply) {
	if r.lead == nil {
		return
	}
	if m.Txn == (txn.ID{}) {
		r.lead.patrol.gatewayLives(r.env.Now().Mono, from, m.StampNanos)
	} else if m.Alive {
		r.lead.patrol.lives(m.Txn)
	} else {
		r.lead.endUnvoted(m.Txn)
	}
}

// proposeCollect lets old versions go, from time to time.
func (r *Replica) proposeCollect(now txn.Now) {
	keep := txn.Timestamp(max(now.WallNanos-int64(r.cfg.Params.KeepVersions), 0))
	if !r.lead.serving || now.Mono < r.lead.collectAt || keep <= r.state.applied.Keep {
		return
	}
	r.lead.collectAt = now.Mono + r.cfg.Params.KeepVersions/4
	r.propose(command{Collect: &collectCmd{Keep: keep, Now: txn.Timestamp(now.WallNanos)}})
}
