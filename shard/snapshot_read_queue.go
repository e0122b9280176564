package shard

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// asOfWaiter is a read whose timestamp is not closed.
type asOfWaiter struct {
	from     txn.NodeID
	m        *txn.Access
	deadline time.Duration
}

// snapshotReads are the snapshot reads that wait at a leader, and the leader's proposals
// for them.
type snapshotReads struct {
	cut
	term    uint64
	barrier *leaderBarrier
	propose func(command) bool
	voting  map[txn.Attempt]*votingVote // proposed, not applied

	waiting      []*asOfWaiter
	floorAsked   txn.Timestamp // the highest timestamp proposed as closed in this term
	ceilingAsked txn.Timestamp // the highest MaxReadTS proposed
	holdAsked    map[txn.Timestamp]time.Duration
}

// access answers a read if possible; otherwise it proposes the missing entries and queues the read.
func (o *snapshotReads) access(w *asOfWaiter) {
	if o.try(w) {
		return
	}
	for _, have := range o.waiting {
		if have.from == w.from && have.m.Request == w.m.Request {
			return // resent: one answer is enough
		}
	}
	if len(o.waiting) >= maxAsOf {
		o.refuse(w.from, w.m, txn.ReasonTooManySnapshotReads)
		return
	}
	o.waiting = append(o.waiting, w)
}

// try answers or refuses the read; false if it has to wait.
func (o *snapshotReads) try(w *asOfWaiter) bool {
	m, now := w.m, o.env.Now()
	if m.AsOf < o.applied.Keep {
		o.params.Rules.Hit(coverage.ReadTSTooOld)
		o.refuse(w.from, m, txn.ReasonReadTSTooOld)
		return true
	}
	if m.AsOf > o.clock.Next(now)+txn.Timestamp(maxAhead) {
		o.refuse(w.from, m, txn.ReasonReadTSAhead)
		return true
	}
	if o.passed(m, now) && o.decided(m) {
		o.answer(w.from, m)
		return true
	}
	return false
}

// passed reports whether all votes at or below the read timestamp that there will ever be
// are applied, as far as they write requested rows.
func (o *snapshotReads) passed(m *txn.Access, now txn.Now) bool {
	if m.ProtectMillis > 0 || o.applied.MaxTS >= m.AsOf || o.params.InjectedBugs.ForgetClosedTS {
		return o.closedTS(m, now)
	}
	o.clock.Observe(m.AsOf)
	if o.applied.MaxReadTS < m.AsOf {
		o.params.Rules.Hit(coverage.MaxReadTSLogged)
		if o.ceilingAsked < m.AsOf {
			c := m.AsOf + txn.Timestamp(o.params.ElectionTimeout/ceilingFraction)
			if o.propose(command{ReadTSBound: &readTSCmd{MaxReadTS: c}}) {
				o.ceilingAsked = c
			}
		}
		return false
	}
	if len(o.voting) == 0 {
		return true
	}
	read := askedBy(m)
	for _, v := range o.voting { // order: none, all are checked
		if v.cmd.Proposed <= m.AsOf && read.touches(v.cmd.Writes) {
			o.params.Rules.Hit(coverage.VotingAtReadTS)
			return false
		}
	}
	return true
}

// closedTS reports whether the log closes the read timestamp and protects its versions
// as the read asks; if not, both are
// proposed.
func (o *snapshotReads) closedTS(m *txn.Access, now txn.Now) bool {
	// First the clock: this leader's later proposals are above the closed timestamp.
	o.clock.Observe(m.AsOf)
	floored, held := o.applied.MaxTS >= m.AsOf, o.held(m, now)
	f := readTSCmd{At: m.AsOf}
	if o.params.InjectedBugs.ForgetClosedTS {
		floored, f.At = len(o.voting) == 0, 0
	}
	askHold := !held && now.Mono >= o.holdAsked[m.AsOf]
	if floored && held || !askHold && (floored || o.floorAsked >= m.AsOf) {
		return floored && held
	}
	if askHold {
		f.Hold = &protectedTS{m.AsOf, txn.Timestamp(max(now.WallNanos, 0) + int64(holdFor(m)))}
	}
	if o.propose(command{ReadTSBound: &f}) {
		o.floorAsked = max(o.floorAsked, f.At)
		if askHold {
			o.noteHold(m.AsOf, now)
		}
	}
	return false
}

// noteHold prevents a protection from being proposed again immediately.
func (o *snapshotReads) noteHold(at txn.Timestamp, now txn.Now) {
	if len(o.holdAsked) >= 2*maxHolds {
		clear(o.holdAsked)
	}
	o.holdAsked[at] = now.Mono + o.params.ResendAfter
}

// present answers with a timestamp that is not before any acknowledged commit in which this shard
// took part. Only a certain leader may answer.
func (o *snapshotReads) present(from txn.NodeID, m *txn.Access) {
	notify := func() {
		out := &txn.AccessReply{Shard: o.id, Request: m.Request, Term: o.term, At: o.clock.Next(o.env.Now())}
		for _, k := range m.Keys {
			out.Rows = append(out.Rows, txn.Row{Key: k})
		}
		o.env.Send(txn.Coordinator(from), txn.Message{AccessReply: out})
	}
	o.barrier.then(notify)
}

// retry checks the waiting reads again after the log has advanced.
func (o *snapshotReads) retry() {
	if len(o.waiting) > 0 {
		o.waiting = slices.DeleteFunc(o.waiting, o.try)
	}
}

func (o *snapshotReads) expire(now txn.Now) {
	o.waiting = slices.DeleteFunc(o.waiting, func(w *asOfWaiter) bool {
		if now.Mono < w.deadline {
			return false
		}
		o.refuse(w.from, w.m, txn.ReasonReadTSNotClosed)
		return true
	})
}

// nextWake returns the earliest deadline of the waiting reads.
func (o *snapshotReads) nextWake() time.Duration {
	at := txn.Never
	for _, w := range o.waiting {
		at = min(at, w.deadline)
	}
	return at
}
