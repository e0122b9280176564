package shard

import (
	"slices"
	"time"

	"isochron/reveal"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// Reads at a moment T. A commit has one timestamp at all its shards, the largest
// that a participant proposed; so the commits up to T are a consistent cut, and
// a shard may show its part of the cut once that part is complete:
//
//   - the applied MaxTS is at or above T. All votes of one leader stand in its
//     log in the order of their timestamps, and above what stood before them; a
//     later leader's clock has observed all of the log before it serves. So no
//     vote at or below T comes after an applied entry that raised MaxTS to T;
//   - no vote at or below T that writes something asked for is undecided in the
//     applied state. A commit that is revealed and not yet applied still is an
//     undecided vote there.
//
// Both are facts of the log: any replica that has them applied may answer, a
// deposed leader too, and the answer never changes. If T is above MaxTS and
// versions are to be held, the leader logs a floor first.
//
// An entry for each read would be dear for those who only want the present. So a
// leader logs a ceiling somewhat after the present, from time to time: every later
// leader begins above it, whatever its clock says. Up to its applied ceiling a
// leader may answer by what it knows: it proposes above T from now on, and waits
// for the votes at or below T that it has proposed, as for those that are applied.
// That holds for a deposed leader as well.

// hold keeps the versions of a moment from being collected.
type hold struct {
	At    txn.Timestamp `cbor:"1,keyasint,omitempty"`
	Until txn.Timestamp `cbor:"2,keyasint,omitempty"` // of the leader's wall clock
}

// The bounds of reads at a moment.
const (
	maxHolds = 64
	maxAsOf  = 10_000        // that wait at one leader
	maxAhead = 6 * time.Hour // a moment so far after the leader's clock is a mistake
	// A ceiling is logged for a fraction of the election timeout: nobody else leads
	// sooner, but for a transfer, and so few leaders begin ahead of their clocks.
	ceilingFraction = 2
)

// asOfWaiter is a read whose moment is not complete.
type asOfWaiter struct {
	from     txn.NodeID
	m        *txn.Access
	deadline time.Duration
}

// applyFloor raises MaxTS and begins or renews a hold. A hold of what may be
// collected already, or one too many, is none: whoever asked for it is refused.
func (s *state) applyFloor(f floorCmd) {
	s.applied.MaxTS = max(s.applied.MaxTS, f.At)
	s.applied.Ceiling = max(s.applied.Ceiling, f.Ceiling)
	if f.Hold == nil || f.Hold.At < s.applied.Keep {
		return
	}
	holds := slices.Clone(s.applied.Holds)
	i := slices.IndexFunc(holds, func(h hold) bool { return h.At == f.Hold.At })
	switch {
	case i >= 0:
		holds[i].Until = max(holds[i].Until, f.Hold.Until)
	case len(holds) < maxHolds:
		holds = append(holds, *f.Hold)
	}
	s.applied.Holds = holds
}

// applyCollect drops the holds that have ended and collects up to the others.
func (s *state) applyCollect(c collectCmd) {
	keep := c.Keep
	var holds []hold
	for _, h := range s.applied.Holds {
		if h.Until > c.Now {
			holds = append(holds, h)
			keep = min(keep, h.At)
		}
	}
	s.applied.Holds = holds
	s.applied.Keep = max(s.applied.Keep, keep)
}

// closed reports whether the state holds all of what is asked for that will ever
// be committed up to the moment.
func (r *Replica) closed(m *txn.Access) bool {
	return r.state.applied.MaxTS >= m.AsOf && r.settled(m)
}

// settled reports whether no vote up to the moment that writes something asked
// for is undecided.
func (r *Replica) settled(m *txn.Access) bool {
	if r.cfg.Params.Bugs.IgnoreUndecided {
		return true
	}
	if len(r.state.prepared) == 0 {
		return true
	}
	read := askedBy(m)
	for a, p := range r.state.prepared { // order: none, all are looked at
		if p.Proposed <= m.AsOf && !r.decidedWithout(a, m.AsOf) && read.touches(p.Writes) {
			return false
		}
	}
	return true
}

// decidedWithout reports whether this leader knows already that an attempt has no
// part in the moment.
func (r *Replica) decidedWithout(a txn.Attempt, at txn.Timestamp) bool {
	if r.lead == nil {
		return false
	}
	d := r.lead.deciding[a]
	return d != nil && (!d.commit || d.at > at)
}

// asked is what a read asks for, to be held against writes.
type asked struct {
	keys  map[txn.Key]bool
	scans []txn.Scan
}

func askedBy(m *txn.Access) asked {
	a := asked{make(map[txn.Key]bool, len(m.Keys)+len(m.Guards)), m.Scans}
	for _, k := range m.Keys {
		a.keys[k] = true
	}
	for _, g := range m.Guards {
		a.keys[g.Key] = true
	}
	return a
}

// touches reports whether one of the rows written is asked for.
func (a asked) touches(writes []txn.Write) bool {
	return slices.ContainsFunc(writes, func(w txn.Write) bool {
		return a.keys[w.Key] || slices.ContainsFunc(a.scans, func(s txn.Scan) bool { return s.Span.Contains(w.Key) })
	})
}

// held reports whether what the read wants held is held for at least half as long.
func (r *Replica) held(m *txn.Access, now txn.Now) bool {
	if m.HoldMillis <= 0 {
		return true
	}
	least := txn.Timestamp(max(now.WallNanos, 0) + int64(holdFor(m)/2))
	return slices.ContainsFunc(r.state.applied.Holds, func(h hold) bool { return h.At == m.AsOf && h.Until >= least })
}

func holdFor(m *txn.Access) time.Duration {
	return time.Duration(min(m.HoldMillis, txn.MaxHold.Milliseconds())) * time.Millisecond
}

// accessAsOf answers a read at a moment, or has it wait at the leader.
func (r *Replica) accessAsOf(from txn.NodeID, m *txn.Access) {
	now := r.env.Now()
	switch {
	case r.Serving():
		r.lead.accessAsOf(&asOfWaiter{from, m, now.Mono + r.cfg.Params.LockWait})
	case !m.Nearest || r.state.applied.Index == 0:
		r.notLeader(from, txn.NotLeader{Request: m.Request})
	case m.AsOf < r.state.applied.Keep:
		r.refuseAsOf(from, m, txn.WhyMomentTooOld)
	case !r.closed(m) || !r.held(m, now):
		r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: &txn.AccessReply{Shard: r.cfg.ID, Request: m.Request, Unsettled: true}})
	default:
		r.answerAsOf(from, m)
	}
}

func (r *Replica) refuseAsOf(to txn.NodeID, m *txn.Access, why txn.Why) {
	r.env.Send(txn.Coordinator(to), txn.Message{AccessReply: r.noRows(m, why.Refusal())})
}

// answerAsOf reads the versions of the moment, which is closed.
func (r *Replica) answerAsOf(to txn.NodeID, m *txn.Access) {
	row := func(k txn.Key) txn.Row { return store.AsOf(r.cfg.Engine, r.state.rows, k, m.AsOf) }
	if !yield.Guarded(row, m.Guards) {
		r.refuseAsOf(to, m, txn.WhySchemaChanged)
		return
	}
	out := &txn.AccessReply{Shard: r.cfg.ID, Request: m.Request}
	if m.HoldMillis == 0 && r.lead != nil {
		out.At = r.clock.Next(r.env.Now()) // lets the clocks of gateways follow that of leaders
	}
	for _, k := range m.Keys {
		out.Rows = append(out.Rows, row(k))
	}
	for _, s := range m.Scans {
		walk := store.ScanAsOf(r.cfg.Engine, r.state.rows, s.Span, s.Reverse, m.AsOf)
		out.Scans = append(out.Scans, reveal.NewWalk(walk, nil, s.Reverse).Answer(s, nil))
	}
	r.env.Send(txn.Coordinator(to), txn.Message{AccessReply: out})
}

// present tells a moment not before any commit that this shard has taken part
// in and that somebody was told of. Only who leads for certain may tell.
func (l *leadership) present(from txn.NodeID, m *txn.Access) {
	tell := func() {
		out := &txn.AccessReply{Shard: l.r.cfg.ID, Request: m.Request, Term: l.term, At: l.r.clock.Next(l.r.env.Now())}
		for _, k := range m.Keys {
			out.Rows = append(out.Rows, txn.Row{Key: k})
		}
		l.r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: out})
	}
	if l.leased() {
		tell()
		return
	}
	l.afterBarrier(tell)
}

// accessAsOf answers if it may; else it sees to it that it soon may, and waits.
func (l *leadership) accessAsOf(w *asOfWaiter) {
	if l.tryAsOf(w) {
		return
	}
	for _, have := range l.asOf {
		if have.from == w.from && have.m.Request == w.m.Request {
			return // asked again: one answer is enough
		}
	}
	if len(l.asOf) >= maxAsOf {
		l.r.refuseAsOf(w.from, w.m, txn.WhyMomentsFull)
		return
	}
	l.asOf = append(l.asOf, w)
}

// tryAsOf answers or refuses the read; false if it has to wait.
func (l *leadership) tryAsOf(w *asOfWaiter) bool {
	r, m, now := l.r, w.m, l.r.env.Now()
	if m.AsOf < r.state.applied.Keep {
		r.refuseAsOf(w.from, m, txn.WhyMomentTooOld)
		return true
	}
	if m.AsOf > r.clock.Next(now)+txn.Timestamp(maxAhead) {
		r.refuseAsOf(w.from, m, txn.WhyMomentAhead)
		return true
	}
	if l.passed(m, now) && r.settled(m) {
		r.answerAsOf(w.from, m)
		return true
	}
	return false
}

// passed reports whether all votes at or below the moment that there will ever be
// are applied, as far as they write what is asked for.
func (l *leadership) passed(m *txn.Access, now txn.Now) bool {
	r := l.r
	if m.HoldMillis > 0 || r.state.applied.MaxTS >= m.AsOf || r.cfg.Params.Bugs.ForgetFloor {
		return l.floor(m, now)
	}
	r.clock.Observe(m.AsOf)
	if r.state.applied.Ceiling < m.AsOf {
		if l.ceilingAsked < m.AsOf {
			c := m.AsOf + txn.Timestamp(r.cfg.Params.ElectionTimeout/ceilingFraction)
			if r.propose(command{Floor: &floorCmd{Ceiling: c}}) {
				l.ceilingAsked = c
			}
		}
		return false
	}
	if len(l.voting) == 0 {
		return true
	}
	read := askedBy(m)
	for _, v := range l.voting { // order: none, all are looked at
		if v.cmd.Proposed <= m.AsOf && read.touches(v.cmd.Writes) {
			return false
		}
	}
	return true
}

// Seen is the highest timestamp that this replica has applied.
func (r *Replica) Seen() txn.Timestamp { return r.state.applied.MaxTS }

// floor reports whether the log says that nothing comes at or below the moment
// any more and that its versions are held as the read wishes; if not it is
// proposed.
func (l *leadership) floor(m *txn.Access, now txn.Now) bool {
	r := l.r
	// First the clock: what this leader proposes after the floor is above it.
	r.clock.Observe(m.AsOf)
	floored, held := r.state.applied.MaxTS >= m.AsOf, r.held(m, now)
	f := floorCmd{At: m.AsOf}
	if r.cfg.Params.Bugs.ForgetFloor {
		floored, f.At = len(l.voting) == 0, 0
	}
	askHold := !held && now.Mono >= l.holdAsked[m.AsOf]
	if floored && held || !askHold && (floored || l.floorAsked >= m.AsOf) {
		return floored && held
	}
	if askHold {
		f.Hold = &hold{m.AsOf, txn.Timestamp(max(now.WallNanos, 0) + int64(holdFor(m)))}
	}
	if r.propose(command{Floor: &f}) {
		l.floorAsked = max(l.floorAsked, f.At)
		if askHold {
			l.noteHold(m.AsOf, now)
		}
	}
	return false
}

// noteHold keeps a hold from being asked for again at once.
func (l *leadership) noteHold(at txn.Timestamp, now txn.Now) {
	if len(l.holdAsked) >= 2*maxHolds {
		clear(l.holdAsked)
	}
	l.holdAsked[at] = now.Mono + l.r.cfg.Params.ResendAfter
}

// retryAsOf looks at the waiting reads again: the log has gone on.
func (l *leadership) retryAsOf() {
	if l.serving && len(l.asOf) > 0 {
		l.asOf = slices.DeleteFunc(l.asOf, l.tryAsOf)
	}
}

func (l *leadership) expireAsOf(now txn.Now) {
	l.asOf = slices.DeleteFunc(l.asOf, func(w *asOfWaiter) bool {
		if now.Mono < w.deadline {
			return false
		}
		l.r.refuseAsOf(w.from, w.m, txn.WhyMomentNotComplete)
		return true
	})
}
