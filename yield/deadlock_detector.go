package yield

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// Deadlocks over several shards are found by edge-chasing probes (Chandy, Misra and Haas, 1983) and
// confirmed in a second pass.
//
// First pass. A leader at which an older transaction has waited long for a holder starts a probe:
// the holder's coordinator knows at which shards it waits, their leaders know for which
// transactions, their coordinators know where these wait, and so on. A probe follows only
// transactions older than its start, so each cycle has exactly one probe that goes all around it,
// its youngest's. A probe carries the wait edges it has seen. One that reaches a transaction which
// waits for its start has seen a cycle, edge by edge.
//
// Confirmation pass. Edges seen one after the other need not have existed together: locks may be
// released early. So each leader on the path is asked whether the edges it reported still exist. An
// edge is identified by the waiting request's number, which is kept as long as it waits, and by the
// tenure of the transaction waited for, which changes when that releases any lock. An edge seen in
// both passes existed all the time between. So at the time between the passes all edges existed
// together: the deadlock is real, and no phantom is ever broken.
//
// Victim. The youngest: ages are kept over tries, so the oldest is never chosen, and no transaction
// starves. But if a transaction of the cycle waits for the youngest and has read its published
// value, an abort of the youngest would cascade to it: then that transaction is the victim, and the
// youngest survives.
//
// A vote that depends on undecided writers waits for attempts that have all their votes, and these
// wait for no lock: dependencies are never part of a cycle, and no probe follows them.
//
// Only present waits count, not future ones: a transaction in a chain waits once it asks for its
// vote. Everything is bounded and best effort: a lost message delays, and a wait beyond a bound
// ends at its deadline.

// DetectorEnv sends a detector's messages and receives its events, in that order.
type DetectorEnv interface {
	Send(to txn.Address, m txn.Message)
	// Probed: a probe of a transaction starts, for which waiter has waited long.
	Probed(id, waiter txn.ID)
	// CycleSeen: a probe has closed a cycle; the confirmation pass begins.
	CycleSeen(cycle []txn.WaitEdge)
	// NoDeadlock: this edge of a cycle no longer exists.
	NoDeadlock(e txn.WaitEdge)
	// Broken: the victim is about to be refused, to end a deadlock; wide: one over several shards.
	Broken(victim txn.ID, wide bool)
}

// DetectorConfig are the settings of a DeadlockDetector.
type DetectorConfig struct {
	Here  txn.WaitEdge  // an edge with this leader's Shard, Leader and Term
	After time.Duration // how long others wait for a transaction before it is probed
	// SkipConfirmation injects a bug: a cycle is broken after the first pass.
	SkipConfirmation bool
}

// DeadlockDetector is a leader's part in finding deadlocks over several shards: Look starts probes,
// Probe forwards one received, Confirm takes the second pass.
//
// What the caller owes it: a new detector for a new Table, and only well-formed messages.
type DeadlockDetector struct {
	table      *Table
	here       txn.WaitEdge
	after      time.Duration
	singlePass bool
	env        DetectorEnv
	lookAt     time.Duration // time of the next search for suspects
	scans      uint64
}

// NewDeadlockDetector returns the detector of a table.
func NewDeadlockDetector(t *Table, c DetectorConfig, w DetectorEnv) *DeadlockDetector {
	return &DeadlockDetector{table: t, here: c.Here, after: c.After, singlePass: c.SkipConfirmation, env: w}
}

// NextWake is the earliest time at which Look has something to do, txn.Never while no request
// waits.
func (c *DeadlockDetector) NextWake() time.Duration {
	if c.table.waits.count == 0 {
		return txn.Never
	}
	return c.lookAt
}

// Look starts probes of transactions for which others wait long. Before NextWake it does nothing.
func (c *DeadlockDetector) Look(now time.Duration) {
	for _, s := range c.suspects(now) {
		if c.table.Holder(s.txn) == nil || len(s.into) == 0 {
			continue // a probe before it has ended that
		}
		c.env.Probed(s.txn, s.into[0].Txn)
		m := &txn.DeadlockProbe{Txn: s.txn, Start: s.txn, Age: s.age, Into: s.into, Budget: txn.DeadlockProbeBudgetMax, VisitedShard: c.here.Shard, Round: s.holdTime}
		c.Probe(m)
		c.env.Send(txn.Coordinator(s.txn.Node), txn.Message{DeadlockProbe: m})
	}
}

// Probe follows a probe over the waits at this shard, or begins the confirmation if it has closed a
// cycle.
func (c *DeadlockDetector) Probe(m *txn.DeadlockProbe) {
	cycle, next := c.follow(m)
	if cycle != nil {
		c.startConfirmation(cycle)
		return
	}
	for _, n := range next {
		c.env.Send(txn.Coordinator(n.Txn.Node), txn.Message{DeadlockProbe: n})
	}
}

// startConfirmation begins the second pass over a cycle. The victim's shard is asked last, and then
// breaks the deadlock; each other shard is asked once.
func (c *DeadlockDetector) startConfirmation(cycle []txn.WaitEdge) {
	m := &txn.DeadlockConfirm{Shard: c.here.Shard, Cycle: cycle, Victim: victimOf(cycle)}
	last := cycle[m.Victim].Shard
	for _, e := range cycle {
		if e.Shard != m.Shard && e.Shard != last && !slices.Contains(m.Route, e.Shard) {
			m.Route = append(m.Route, e.Shard)
		}
	}
	if last != m.Shard || len(m.Route) > 0 {
		m.Route = append(m.Route, last)
	}
	if c.singlePass {
		m.Route = m.Route[max(0, len(m.Route)-1):]
	}
	c.env.CycleSeen(cycle)
	c.Confirm(m)
}

// Confirm checks this shard's edges of a cycle again. It forwards the confirmation, breaks the
// deadlock, or reports that there is none.
func (c *DeadlockDetector) Confirm(m *txn.DeadlockConfirm) {
	for _, e := range m.Cycle {
		if e.Shard == c.here.Shard && !c.singlePass && (e.Term != c.here.Term || !c.table.graph.stillWaits(e)) {
			c.table.counts.Hit(coverage.DeadlockConfirmed)
			c.env.NoDeadlock(e)
			return
		}
	}
	if len(m.Route) == 0 {
		c.end(m.Cycle, m.Cycle[m.Victim])
		return
	}
	on := *m
	on.Shard, on.Route = m.Route[0], m.Route[1:]
	i := slices.IndexFunc(m.Cycle, func(e txn.WaitEdge) bool { return e.Shard == on.Shard })
	if i >= 0 {
		c.env.Send(txn.Participant(m.Cycle[i].Leader, on.Shard), txn.Message{DeadlockConfirm: &on})
	}
}

// end ends the wait of a victim as a deadlock refusal.
func (c *DeadlockDetector) end(cycle []txn.WaitEdge, victim txn.WaitEdge) {
	w := c.table.waits.numbered(victim.Txn, victim.Request)
	if w == nil || victim.Shard != c.here.Shard {
		return
	}
	wide := slices.ContainsFunc(cycle, func(e txn.WaitEdge) bool { return e.Shard != victim.Shard })
	c.table.counts.HitIf(wide, coverage.WideDeadlock)
	c.env.Broken(victim.Txn, wide)
	c.table.waits.cancel(w)
	w.Expire(Deadlocked)
	c.table.Wake()
}

// victimOf is the index of the victim's edge in a cycle that begins with its youngest.
func victimOf(cycle []txn.WaitEdge) int {
	at := 0
	for range cycle {
		before := (at + len(cycle) - 1) % len(cycle)
		if !cycle[before].Cascades {
			return at
		}
		at = before
	}
	return 0 // each would abort with the next
}
