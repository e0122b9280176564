package yield

import (
	"slices"
	"time"

	"isochron/rulebook"
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

// ChaseWorld carries what a Chaser has to say, and hears what it does, in that order.
type ChaseWorld interface {
	Send(to txn.Address, m txn.Message)
	// Chased: a chase of a transaction is begun, for which waiter has waited for long.
	Chased(id, waiter txn.ID)
	// CycleSeen: a chase has come round; the second lap begins.
	CycleSeen(cycle []txn.WaitEdge)
	// NoDeadlock: this wait of a cycle does not stand any more.
	NoDeadlock(e txn.WaitEdge)
	// Broken: the victim is about to give way, to end a deadlock; wide: one over several shards.
	Broken(victim txn.ID, wide bool)
}

// Chasing are the settings of a Chaser.
type Chasing struct {
	Here  txn.WaitEdge  // a wait that names this leader: Shard, Leader, Term
	After time.Duration // somebody is chased for whom others have waited for so long
	// SkipSecondLap plants a bug: what one lap has seen is ended.
	SkipSecondLap bool
}

// Chaser is a leader's part in looking for deadlocks over several shards: Look begins
// chases, Chase carries one on that comes from elsewhere, Recheck takes the second lap.
//
// What the caller owes it. It makes another when it begins with a new Table, and gives it sane
// messages alone.
type Chaser struct {
	table  *Table
	here   txn.WaitEdge
	after  time.Duration
	oneLap bool
	world  ChaseWorld
	lookAt time.Duration // of the next look for those to be chased
	looks  uint64
}

// NewChaser looks over the waits at a table.
func NewChaser(t *Table, c Chasing, w ChaseWorld) *Chaser {
	return &Chaser{table: t, here: c.Here, after: c.After, oneLap: c.SkipSecondLap, world: w}
}

// NextWake is the earliest instant at which Look has something to do. While nobody waits there
// is none.
func (c *Chaser) NextWake() time.Duration {
	if c.table.waits.count == 0 {
		return txn.Never
	}
	return c.lookAt
}

// Look begins chases of those for whom others wait for long. Before NextWake it does nothing.
func (c *Chaser) Look(now time.Duration) {
	for _, s := range c.suspects(now) {
		if c.table.Holder(s.txn) == nil || len(s.into) == 0 {
			continue // a chase before it has ended that
		}
		c.world.Chased(s.txn, s.into[0].Txn)
		m := &txn.Chase{Txn: s.txn, Start: s.txn, Age: s.age, Into: s.into, Budget: txn.ChaseBudgetMax, Seen: c.here.Shard, Turn: s.turn}
		c.Chase(m)
		c.world.Send(txn.Coordinator(s.txn.Node), txn.Message{Chase: m})
	}
}

// Chase carries a chase on over the waits at this shard, or begins the second lap if it has
// closed a cycle.
func (c *Chaser) Chase(m *txn.Chase) {
	cycle, next := c.follow(m)
	if cycle != nil {
		c.secondLap(cycle)
		return
	}
	for _, n := range next {
		c.world.Send(txn.Coordinator(n.Txn.Node), txn.Message{Chase: n})
	}
}

// secondLap begins over a cycle. Where the victim waits is asked last, and then
// ends it; a leader that has another's wait there in between is asked but once.
func (c *Chaser) secondLap(cycle []txn.WaitEdge) {
	m := &txn.Recheck{Shard: c.here.Shard, Cycle: cycle, Victim: victimOf(cycle)}
	last := cycle[m.Victim].Shard
	for _, e := range cycle {
		if e.Shard != m.Shard && e.Shard != last && !slices.Contains(m.Route, e.Shard) {
			m.Route = append(m.Route, e.Shard)
		}
	}
	if last != m.Shard || len(m.Route) > 0 {
		m.Route = append(m.Route, last)
	}
	if c.oneLap {
		m.Route = m.Route[max(0, len(m.Route)-1):]
	}
	c.world.CycleSeen(cycle)
	c.Recheck(m)
}

// Recheck looks at waits of a cycle once more: it sends the second lap on, ends the
// deadlock, or says that there is none.
func (c *Chaser) Recheck(m *txn.Recheck) {
	for _, e := range m.Cycle {
		if e.Shard == c.here.Shard && !c.oneLap && (e.Term != c.here.Term || !c.table.graph.stands(e)) {
			c.table.counts.Bite(rulebook.SecondLap)
			c.world.NoDeadlock(e)
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
		c.world.Send(txn.Participant(m.Cycle[i].Leader, on.Shard), txn.Message{Recheck: &on})
	}
}

// end ends the wait of a victim, as if it had given way when it asked.
func (c *Chaser) end(cycle []txn.WaitEdge, victim txn.WaitEdge) {
	w := c.table.waits.numbered(victim.Txn, victim.Request)
	if w == nil || victim.Shard != c.here.Shard {
		return
	}
	wide := slices.ContainsFunc(cycle, func(e txn.WaitEdge) bool { return e.Shard != victim.Shard })
	c.table.counts.BiteIf(wide, rulebook.WideDeadlock)
	c.world.Broken(victim.Txn, wide)
	c.table.waits.cancel(w)
	w.Expire(Deadlocked)
	c.table.Wake()
}

// victimOf is whose wait, of a cycle that begins with its youngest, is ended.
func victimOf(cycle []txn.WaitEdge) int {
	at := 0
	for range cycle {
		before := (at + len(cycle) - 1) % len(cycle)
		if !cycle[before].Undone {
			return at
		}
		at = before
	}
	return 0 // each would be undone with the next
}
