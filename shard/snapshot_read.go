package shard

import (
	"slices"
	"time"

	"isochron/coverage"
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

// protectedTS keeps the versions of a moment from being collected.
type protectedTS struct {
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

// applyMaxReadTS raises MaxTS and begins or renews a hold. A hold of what may be
// collected already, or one too many, is none: whoever asked for it is refused.
func (s *state) applyMaxReadTS(f readTSCmd) {
	s.applied.MaxTS = max(s.applied.MaxTS, f.At)
	s.applied.MaxReadTS = max(s.applied.MaxReadTS, f.MaxReadTS)
	if f.Hold == nil || f.Hold.At < s.applied.Keep {
		return
	}
	holds := slices.Clone(s.applied.Holds)
	i := slices.IndexFunc(holds, func(h protectedTS) bool { return h.At == f.Hold.At })
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
	var holds []protectedTS
	for _, h := range s.applied.Holds {
		if h.Until > c.Now {
			holds = append(holds, h)
			keep = min(keep, h.At)
		}
	}
	s.applied.Holds = holds
	s.applied.Keep = max(s.applied.Keep, keep)
}

// cut answers reads at a moment from what is applied.
type cut struct {
	*state
	engine   store.Engine
	params   *txn.Params
	env      Env
	clock    *txn.Clock
	leads    bool
	deciding map[txn.Attempt]*decidingVote // what a leader knows of before the log does
}

func (r *Replica) cut() cut {
	c := cut{state: r.state, engine: r.cfg.Engine, params: &r.cfg.Params, env: r.env, clock: &r.clock}
	if r.lead != nil {
		c.leads, c.deciding = true, r.lead.known.deciding
	}
	return c
}

// closed reports whether the state holds all of what is asked for that will ever
// be committed up to the moment.
func (c *cut) closed(m *txn.Access) bool {
	return c.applied.MaxTS >= m.AsOf && c.decided(m)
}

// decided reports whether no vote up to the moment that writes something asked
// for is undecided.
func (c *cut) decided(m *txn.Access) bool {
	if c.params.InjectedBugs.IgnoreUndecided {
		return true
	}
	if len(c.prepared) == 0 {
		return true
	}
	read := askedBy(m)
	for a, p := range c.prepared { // order: none, all are looked at
		if p.Proposed <= m.AsOf && !c.without(a, m.AsOf) && read.touches(p.Writes) {
			c.params.Rules.Hit(coverage.UndecidedAtReadTS)
			return false
		}
	}
	return true
}

// without reports whether this leader knows already that an attempt has no part in the
// moment.
func (c *cut) without(a txn.Attempt, at txn.Timestamp) bool {
	d := c.deciding[a]
	return d != nil && (!d.commit || d.at > at)
}

// asked is what a read asks for, to be held against writes.
type asked struct {
	keys  map[txn.Key]bool
	scans []txn.Scan
}

func askedBy(m *txn.Access) asked {
	a := asked{make(map[txn.Key]bool, len(m.Keys)+len(m.SchemaChecks)), m.Scans}
	for _, k := range m.Keys {
		a.keys[k] = true
	}
	for _, g := range m.SchemaChecks {
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
func (c *cut) held(m *txn.Access, now txn.Now) bool {
	if m.ProtectMillis <= 0 {
		return true
	}
	least := txn.Timestamp(max(now.WallNanos, 0) + int64(holdFor(m)/2))
	return slices.ContainsFunc(c.applied.Holds, func(h protectedTS) bool { return h.At == m.AsOf && h.Until >= least })
}

func holdFor(m *txn.Access) time.Duration {
	return time.Duration(min(m.ProtectMillis, txn.MaxProtect.Milliseconds())) * time.Millisecond
}

// refuse answers that a read gets no rows.
func (c *cut) refuse(to txn.NodeID, m *txn.Access, reason txn.AbortReason) {
	c.env.Send(txn.Coordinator(to), txn.Message{AccessReply: noRows(c.id, m, reason.Refusal())})
}

// answer reads the versions of the moment, which is closed.
func (c *cut) answer(to txn.NodeID, m *txn.Access) {
	row := func(k txn.Key) txn.Row { return store.AsOf(c.engine, c.rows, k, m.AsOf) }
	if !yield.Guarded(row, m.SchemaChecks) {
		c.refuse(to, m, txn.ReasonSchemaChanged)
		return
	}
	out := &txn.AccessReply{Shard: c.id, Request: m.Request}
	if m.ProtectMillis == 0 && c.leads {
		out.At = c.clock.Next(c.env.Now()) // lets the clocks of gateways follow that of leaders
	}
	for _, k := range m.Keys {
		out.Rows = append(out.Rows, row(k))
	}
	for _, s := range m.Scans {
		walk := store.ScanAsOf(c.engine, c.rows, s.Span, s.Reverse, m.AsOf)
		out.Scans = append(out.Scans, reveal.NewWalk(walk, nil, s.Reverse).Answer(s, nil))
	}
	c.env.Send(txn.Coordinator(to), txn.Message{AccessReply: out})
}

// accessAsOf answers a read at a moment, or has it wait at the leader.
func (r *Replica) accessAsOf(from txn.NodeID, m *txn.Access) {
	now, c := r.env.Now(), r.cut()
	switch {
	case r.Serving():
		r.lead.snapshotReads.access(&asOfWaiter{from, m, now.Mono + r.cfg.Params.LockWait})
	case !m.Nearest || c.applied.Index == 0:
		r.notLeader(from, txn.NotLeader{Request: m.Request})
	case m.AsOf < c.applied.Keep:
		c.params.Rules.Hit(coverage.ReadTSTooOld)
		c.refuse(from, m, txn.ReasonReadTSTooOld)
	case !c.closed(m) || !c.held(m, now):
		r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: &txn.AccessReply{Shard: r.cfg.ID, Request: m.Request, HasUndecidedWrite: true}})
	default:
		c.answer(from, m)
	}
}

// MaxTimestamp is the highest timestamp that this replica has applied.
func (r *Replica) MaxTimestamp() txn.Timestamp { return r.state.applied.MaxTS }
