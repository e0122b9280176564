package yield

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// Deadlocks over several shards are found by chasing edges (Chandy, Misra and Haas,
// 1983), in two laps.
//
// The first lap. A leader that has somebody wait for a holder for long, older than it,
// starts a chase: the coordinator of the holder knows at which shards it waits, their
// leaders know for whom, the coordinators of those know where these wait, and so on. A
// chase goes on through transactions older than its start alone: so each cycle has one
// chase that goes all around it, that of its youngest. It carries the waits that it has
// seen. One that comes to somebody who waits for its start has seen a cycle, wait by wait.
//
// The second lap. Waits that were seen one after the other need not have stood together:
// locks are let go early here. So each leader on the path is asked whether the waits that
// it reported still stand. A wait is known by the number of its request, which it keeps as
// long as it waits, and by the tenure of whom it waits for, which is another as soon as that one lets
// go of anything. What stands in both laps stood all the time between; so at the
// instant between the laps all of it stood together, and that is a deadlock: no phantom is ever ended.
//
// Who ends. The youngest: ages are kept over tries, so the oldest is never chosen, and
// nobody starves. But if somebody of the cycle waits for the youngest and has gone on from
// its value, that one would be undone with it: then that one is chosen, and the youngest lives.
//
// A vote that depends on undecided writers waits for attempts that have all their votes, and these
// wait for no lock: so dependencies are never part of a cycle, and nobody follows them.
//
// Waits count that stand, not those that will: who stands in a chain waits once it asks
// for its vote. Everything is bounded, and all of it is best effort: a message that
// is lost delays, and what is beyond a bound ends by the bound of its wait.

// DetectorEnv carries what a Chaser has to say, and hears what it does, in that order.
type DetectorEnv interface {
	Send(to txn.Address, m txn.Message)
	// Probed: a chase of a transaction is begun, for which waiter has waited for long.
	Probed(id, waiter txn.ID)
	// CycleSeen: a chase has come round; the second lap begins.
	CycleSeen(cycle []txn.WaitEdge)
	// NoDeadlock: this wait of a cycle does not stand any more.
	NoDeadlock(e txn.WaitEdge)
	// Broken: the victim is about to give way, to end a deadlock; wide: one over several shards.
	Broken(victim txn.ID, wide bool)
}

// DetectorConfig are the settings of a Chaser.
type DetectorConfig struct {
	Here  txn.WaitEdge  // a wait that names this leader: Shard, Leader, Term
	After time.Duration // somebody is chased for whom others have waited for so long
	// SkipConfirmation plants a bug: what one lap has seen is ended.
	SkipConfirmation bool
}

// DeadlockDetector is a leader's part in looking for deadlocks over several shards: Look begins
// chases, Chase carries one on that comes from elsewhere, Recheck takes the second lap.
//
// What the caller owes it. It makes another when it begins with a new Table, and gives it sane
// messages alone.
type DeadlockDetector struct {
	table      *Table
	here       txn.WaitEdge
	after      time.Duration
	singlePass bool
	env        DetectorEnv
	lookAt     time.Duration // of the next look for those to be chased
	scans      uint64
}

// NewDeadlockDetector looks over the waits at a table.
func NewDeadlockDetector(t *Table, c DetectorConfig, w DetectorEnv) *DeadlockDetector {
	return &DeadlockDetector{table: t, here: c.Here, after: c.After, singlePass: c.SkipConfirmation, env: w}
}

// NextWake is the earliest instant at which Look has something to do. While nobody waits there
// is none.
func (c *DeadlockDetector) NextWake() time.Duration {
	if c.table.waits.count == 0 {
		return txn.Never
	}
	return c.lookAt
}

// Look begins chases of those for whom others wait for long. Before NextWake it does nothing.
func (c *DeadlockDetector) Look(now time.Duration) {
	for _, s := range c.suspects(now) {
		if c.table.Holder(s.txn) == nil || len(s.into) == 0 {
			continue // a chase before it has ended that
		}
		c.env.Probed(s.txn, s.into[0].Txn)
		m := &txn.DeadlockProbe{Txn: s.txn, Start: s.txn, Age: s.age, Into: s.into, Budget: txn.DeadlockProbeBudgetMax, VisitedShard: c.here.Shard, Round: s.holdTime}
		c.Probe(m)
		c.env.Send(txn.Coordinator(s.txn.Node), txn.Message{DeadlockProbe: m})
	}
}

// Probe carries a chase on over the waits at this shard, or begins the second lap if it has
// closed a cycle.
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

// startConfirmation begins over a cycle. Where the victim waits is asked last, and then
// ends it; a leader that has another's wait there in between is asked but once.
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

// Confirm looks at waits of a cycle once more: it sends the second lap on, ends the
// deadlock, or says that there is none.
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

// end ends the wait of a victim, as if it had given way when it asked.
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

// victimOf is whose wait, of a cycle that begins with its youngest, is ended.
func victimOf(cycle []txn.WaitEdge) int {
	at := 0
	for range cycle {
		before := (at + len(cycle) - 1) % len(cycle)
		if !cycle[before].Cascades {
			return at
		}
		at = before
	}
	return 0 // each would be undone with the next
}
