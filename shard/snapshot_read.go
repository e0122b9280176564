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

// Snapshot reads at a read timestamp T. A commit has one timestamp at all its shards, the largest
// that a participant proposed; so the commits up to T are a consistent cut, and
// a shard may answer its part of the cut once that part is complete:
//
//   - the applied MaxTS is at or above T. All votes of one leader are in its
//     log in the order of their timestamps, and above those of the entries before them; a
//     later leader's clock has observed all of the log before it serves. So no
//     vote at or below T follows an applied entry that raised MaxTS to T;
//   - no vote at or below T that writes a requested row is undecided in the
//     applied state. A commit that is revealed and not yet applied is still an
//     undecided vote there.
//
// Both are facts of the log: any replica that has applied them may answer, a
// deposed leader too, and the answer never changes. If T is above MaxTS and
// versions are to be protected, the leader first logs T as closed.
//
// One entry for each read would be expensive for reads of the present. So a
// leader logs, from time to time, a maximum read timestamp somewhat in the future: every later
// leader proposes above it, whatever its clock. Up to its applied MaxReadTS a
// leader may answer from its own state: it proposes above T from now on, and waits
// for its proposed votes at or below T as for the applied ones.
// That holds for a deposed leader as well.

// protectedTS protects the versions of a read timestamp from collection.
type protectedTS struct {
	At    txn.Timestamp `cbor:"1,keyasint,omitempty"`
	Until txn.Timestamp `cbor:"2,keyasint,omitempty"` // of the leader's wall clock
}

// The bounds of snapshot reads.
const (
	maxHolds = 64
	maxAsOf  = 10_000        // that wait at one leader
	maxAhead = 6 * time.Hour // a read timestamp so far after the leader's clock is a mistake
	// MaxReadTS is raised by a fraction of the election timeout: no other node leads
	// sooner, except by a transfer, so few leaders start ahead of their clocks.
	ceilingFraction = 2
)

// applyMaxReadTS raises MaxTS and starts or renews a protection. If the versions may be
// collected already, or there are too many protections, it is ignored and the read is refused.
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

// applyCollect ends expired protections and collects up to the oldest of the others.
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

// cut answers snapshot reads from the applied state.
type cut struct {
	*state
	engine   store.Engine
	params   *txn.Params
	env      Env
	clock    *txn.Clock
	leads    bool
	deciding map[txn.Attempt]*decidingVote // a leader's decisions that are not applied yet
}

func (r *Replica) cut() cut {
	c := cut{state: r.state, engine: r.cfg.Engine, params: &r.cfg.Params, env: r.env, clock: &r.clock}
	if r.lead != nil {
		c.leads, c.deciding = true, r.lead.known.deciding
	}
	return c
}

// closed reports whether the state has all rows of the read that will ever
// be committed up to its read timestamp.
func (c *cut) closed(m *txn.Access) bool {
	return c.applied.MaxTS >= m.AsOf && c.decided(m)
}

// decided reports whether no vote up to the read timestamp that writes a requested row
// is undecided.
func (c *cut) decided(m *txn.Access) bool {
	if c.params.InjectedBugs.IgnoreUndecided {
		return true
	}
	if len(c.prepared) == 0 {
		return true
	}
	read := askedBy(m)
	for a, p := range c.prepared { // order: none, all are checked
		if p.Proposed <= m.AsOf && !c.without(a, m.AsOf) && read.touches(p.Writes) {
			c.params.Rules.Hit(coverage.UndecidedAtReadTS)
			return false
		}
	}
	return true
}

// without reports whether this leader already knows that an attempt does not commit at or below
// the read timestamp.
func (c *cut) without(a txn.Attempt, at txn.Timestamp) bool {
	d := c.deciding[a]
	return d != nil && (!d.commit || d.at > at)
}

// asked is the set of keys and scans of a read, to be compared with writes.
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

// touches reports whether a written row is in the read.
func (a asked) touches(writes []txn.Write) bool {
	return slices.ContainsFunc(writes, func(w txn.Write) bool {
		return a.keys[w.Key] || slices.ContainsFunc(a.scans, func(s txn.Scan) bool { return s.Span.Contains(w.Key) })
	})
}

// held reports whether the versions that the read asks to protect are protected for at least half the time.
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

// refuse answers a read with a refusal.
func (c *cut) refuse(to txn.NodeID, m *txn.Access, reason txn.AbortReason) {
	c.env.Send(txn.Coordinator(to), txn.Message{AccessReply: noRows(c.id, m, reason.Refusal())})
}

// answer reads the versions of the read timestamp, which is closed.
func (c *cut) answer(to txn.NodeID, m *txn.Access) {
	row := func(k txn.Key) txn.Row { return store.AsOf(c.engine, c.rows, k, m.AsOf) }
	if !yield.Guarded(row, m.SchemaChecks) {
		c.refuse(to, m, txn.ReasonSchemaChanged)
		return
	}
	out := &txn.AccessReply{Shard: c.id, Request: m.Request}
	if m.ProtectMillis == 0 && c.leads {
		out.At = c.clock.Next(c.env.Now()) // lets the clocks of gateways follow those of leaders
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

// accessAsOf answers a snapshot read, or has it wait at the leader.
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
