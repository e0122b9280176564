package shard

import (
	"slices"

	"isochron/participant"
	"isochron/txn"
	"isochron/yield"
)

// chaser is a leader's part in looking for deadlocks over several shards. The rule, and why
// it ends nobody without need, stands in yield/chase.go; here messages are carried.
//
// Invariant: locks is the table in force. Whoever begins with a new one makes a new chaser.
type chaser struct {
	locks  *yield.Table
	here   txn.WaitEdge // a wait that names this leader
	params *txn.Params
	counts *participant.Counts
	env    speaker
}

// speaker sends messages, and tells those who read along.
type speaker interface {
	Send(to txn.Address, m txn.Message)
	Trace(format string, args ...any)
}

// chasesPerTick bounds the chases that a leader begins at once.
const chasesPerTick = 8

// newChaser is the one over the lock table in force.
func (l *leadership) newChaser() chaser {
	r := l.r
	return chaser{
		locks: l.locks, here: txn.WaitEdge{Shard: r.cfg.ID, Leader: r.cfg.Self, Term: l.term},
		params: &r.cfg.Params, counts: &r.counts, env: r.env,
	}
}

// look begins chases of those for whom others wait for long.
func (c *chaser) look(now txn.Now) {
	for _, s := range c.locks.Suspects(now.Mono, c.params.DetectAfter, chasesPerTick, c.here) {
		if c.locks.Holder(s.Txn) == nil || len(s.Into) == 0 {
			continue // a chase before it has ended that
		}
		c.counts.Chases++
		m := &txn.Chase{Txn: s.Txn, Start: s.Txn, Age: s.Age, Into: s.Into, Budget: txn.ChaseBudgetMax, Seen: c.here.Shard, Turn: s.Turn}
		c.env.Trace("shard %d: %v is waited for by %v for long, and may wait itself", c.here.Shard, s.Txn, s.Into[0].Txn)
		c.follow(m)
		c.env.Send(txn.Coordinator(s.Txn.Node), txn.Message{Chase: m})
	}
}

// OnChase carries a chase on over the waits at this shard.
func (r *Replica) OnChase(m *txn.Chase) {
	if r.Serving() && r.cfg.Row.Yield.Deadlocks() && m.Sane() {
		r.lead.chaser.follow(m)
	}
}

// follow carries a chase on, or begins the second lap if it has come round.
func (c *chaser) follow(m *txn.Chase) {
	cycle, next := c.locks.Follow(m, c.here)
	if cycle != nil {
		c.closed(cycle)
		return
	}
	for _, n := range next {
		c.env.Send(txn.Coordinator(n.Txn.Node), txn.Message{Chase: n})
	}
}

// closed begins the second lap over a cycle. Where the victim waits is asked last, and then
// ends it; a leader that has another's wait there in between is asked but once.
func (c *chaser) closed(cycle []txn.WaitEdge) {
	m := &txn.Recheck{Shard: c.here.Shard, Cycle: cycle, Victim: yield.Victim(cycle)}
	last := cycle[m.Victim].Shard
	for _, e := range cycle {
		if e.Shard != m.Shard && e.Shard != last && !slices.Contains(m.Route, e.Shard) {
			m.Route = append(m.Route, e.Shard)
		}
	}
	if last != m.Shard || len(m.Route) > 0 {
		m.Route = append(m.Route, last)
	}
	if c.params.Bugs.SkipSecondLap {
		m.Route = m.Route[max(0, len(m.Route)-1):]
	}
	c.env.Trace("shard %d: %s", c.here.Shard, tellCycle(cycle))
	c.recheck(m)
}

// OnRecheck looks at waits of a cycle once more.
func (r *Replica) OnRecheck(m *txn.Recheck) {
	if r.Serving() && m.Sane() {
		r.lead.chaser.recheck(m)
	}
}

// recheck sends a second lap on, ends the deadlock, or says that there is none.
func (c *chaser) recheck(m *txn.Recheck) {
	for _, e := range m.Cycle {
		if e.Shard == c.here.Shard && !c.params.Bugs.SkipSecondLap && (e.Term != c.here.Term || !c.locks.Stands(e)) {
			c.env.Trace("shard %d: %v does not wait for %v any more: no deadlock", c.here.Shard, e.Txn, e.For)
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
		c.env.Send(txn.Participant(m.Cycle[i].Leader, on.Shard), txn.Message{Recheck: &on})
	}
}

// end ends the wait of a victim, as if it had given way when it asked.
func (c *chaser) end(cycle []txn.WaitEdge, victim txn.WaitEdge) {
	w := c.locks.Numbered(victim.Txn, victim.Request)
	if w == nil || victim.Shard != c.here.Shard {
		return
	}
	if slices.ContainsFunc(cycle, func(e txn.WaitEdge) bool { return e.Shard != victim.Shard }) {
		c.counts.WideDeadlocks++
	} else {
		c.counts.Deadlocks++
	}
	c.env.Trace("shard %d: %v gives way, to end the deadlock", c.here.Shard, victim.Txn)
	c.locks.Cancel(w)
	w.Expire(yield.Deadlocked)
	c.locks.Wake()
}

// tellCycle words a cycle for whoever reads a trace.
func tellCycle(cycle []txn.WaitEdge) string {
	text := cycle[0].Txn.String() + " waits for "
	for _, e := range cycle[1:] {
		text += e.Txn.String() + ", which waits for "
	}
	return text + cycle[0].Txn.String()
}
