package shard

import (
	"slices"

	"isochron/txn"
	"isochron/yield"
)

// A leader's part in looking for deadlocks over several shards. The rule, and why it ends
// nobody without need, stands in yield/chase.go; here messages are carried.

// chasesPerTick bounds the chases that a leader begins at once.
const chasesPerTick = 8

// here is a wait that names this leader.
func (l *leadership) here() txn.WaitEdge {
	return txn.WaitEdge{Shard: l.r.cfg.ID, Leader: l.r.cfg.Self, Term: l.term}
}

// lookForDeadlocks begins chases of those for whom others wait for long.
func (l *leadership) lookForDeadlocks(now txn.Now) {
	if !l.serving || !l.r.cfg.Row.Yield.Deadlocks() {
		return
	}
	for _, s := range l.locks.Suspects(now.Mono, l.r.cfg.Params.DetectAfter, chasesPerTick, l.here()) {
		if l.locks.Holder(s.Txn) == nil || len(s.Into) == 0 {
			continue // a chase before it has ended that
		}
		l.r.counts.Chases++
		c := &txn.Chase{Txn: s.Txn, Start: s.Txn, Age: s.Age, Into: s.Into, Budget: txn.ChaseBudgetMax, Seen: l.r.cfg.ID, Turn: s.Turn}
		l.r.env.Trace("shard %d: %v is waited for by %v for long, and may wait itself", l.r.cfg.ID, s.Txn, s.Into[0].Txn)
		l.follow(c)
		l.r.env.Send(txn.Coordinator(s.Txn.Node), txn.Message{Chase: c})
	}
}

// OnChase carries a chase on over the waits at this shard.
func (r *Replica) OnChase(m *txn.Chase) {
	if r.Serving() && r.cfg.Row.Yield.Deadlocks() && m.Sane() {
		r.lead.follow(m)
	}
}

func (l *leadership) follow(c *txn.Chase) {
	cycle, next := l.locks.Follow(c, l.here())
	if cycle != nil {
		l.closed(cycle)
		return
	}
	for _, n := range next {
		l.r.env.Send(txn.Coordinator(n.Txn.Node), txn.Message{Chase: n})
	}
}

// closed begins the second lap over a cycle. Where the victim waits is asked last, and then
// ends it; a leader that has another's wait there in between is asked but once.
func (l *leadership) closed(cycle []txn.WaitEdge) {
	m := &txn.Recheck{Shard: l.r.cfg.ID, Cycle: cycle, Victim: yield.Victim(cycle)}
	last := cycle[m.Victim].Shard
	for _, e := range cycle {
		if e.Shard != m.Shard && e.Shard != last && !slices.Contains(m.Route, e.Shard) {
			m.Route = append(m.Route, e.Shard)
		}
	}
	if last != m.Shard || len(m.Route) > 0 {
		m.Route = append(m.Route, last)
	}
	if l.r.cfg.Params.Bugs.SkipSecondLap {
		m.Route = m.Route[max(0, len(m.Route)-1):]
	}
	l.r.env.Trace("shard %d: %s", l.r.cfg.ID, tellCycle(cycle))
	l.recheck(m)
}

// OnRecheck looks at waits of a cycle once more.
func (r *Replica) OnRecheck(m *txn.Recheck) {
	if r.Serving() && m.Sane() {
		r.lead.recheck(m)
	}
}

func (l *leadership) recheck(m *txn.Recheck) {
	for _, e := range m.Cycle {
		if e.Shard == l.r.cfg.ID && !l.r.cfg.Params.Bugs.SkipSecondLap && (e.Term != l.term || !l.locks.Stands(e)) {
			l.r.env.Trace("shard %d: %v does not wait for %v any more: no deadlock", l.r.cfg.ID, e.Txn, e.For)
			return
		}
	}
	if len(m.Route) == 0 {
		l.endDeadlock(m.Cycle, m.Cycle[m.Victim])
		return
	}
	on := *m
	on.Shard, on.Route = m.Route[0], m.Route[1:]
	i := slices.IndexFunc(m.Cycle, func(e txn.WaitEdge) bool { return e.Shard == on.Shard })
	if i >= 0 {
		l.r.env.Send(txn.Participant(m.Cycle[i].Leader, on.Shard), txn.Message{Recheck: &on})
	}
}

// endDeadlock ends the wait of a victim, as if it had given way when it asked.
func (l *leadership) endDeadlock(cycle []txn.WaitEdge, victim txn.WaitEdge) {
	w := l.locks.Numbered(victim.Txn, victim.Request)
	if w == nil || victim.Shard != l.r.cfg.ID {
		return
	}
	if slices.ContainsFunc(cycle, func(e txn.WaitEdge) bool { return e.Shard != victim.Shard }) {
		l.r.counts.WideDeadlocks++
	} else {
		l.r.counts.Deadlocks++
	}
	l.r.env.Trace("shard %d: %v gives way, to end the deadlock", l.r.cfg.ID, victim.Txn)
	l.locks.Cancel(w)
	w.Expire(yield.Deadlocked)
	l.locks.Wake()
}

// tellCycle words a cycle for whoever reads a trace.
func tellCycle(cycle []txn.WaitEdge) string {
	text := cycle[0].Txn.String() + " waits for "
	for _, e := range cycle[1:] {
		text += e.Txn.String() + ", which waits for "
	}
	return text + cycle[0].Txn.String()
}
