package coordinator

import (
	"time"

	"isochron/txn"
)

// Reads at moments. A transaction of a weaker level reads what it locks, or means
// to write, as one that is serializable does. Its plain reads see a moment, taken
// from a clock that has observed every commit acknowledged here, every answer that
// showed the newest rows, and what the replicas of this node have: so it is not
// before anything that a client of this gateway knows of.

// momentOf is the moment at which a read is to be answered, 0 if it reads what is newest.
func (c *Coordinator) momentOf(t *transaction, req *Request) txn.Timestamp {
	r := &req.Read
	switch {
	case t.asOf != 0:
		return t.asOf
	case t.level == txn.Serializable || r.Present || r.Lock != txn.LockNone || r.ForWrite:
		return 0
	case t.moment == 0 || t.level == txn.ReadCommitted && req.Statement > t.statement:
		t.shown = view{}
		now := c.env.Now()
		c.moments.Observe(c.env.Seen())
		t.moment, t.momentAt, t.statement = c.moments.Next(now), now.Mono, req.Statement
	}
	return t.moment
}

// nearby reports whether a near replica may have all of the moment of a round
// already. Of one that was just chosen only a leader can say that it has.
func (c *Coordinator) nearby(r *round) bool {
	return r.t.asOf != 0 || c.env.Now().Mono-r.t.momentAt > momentSettles
}

// momentSettles is how old a moment is before a near replica is asked for it.
const momentSettles = 2 * time.Second

// weaken completes a part for a transaction of a weaker level.
func (c *Coordinator) weaken(t *transaction, req *Request, a *txn.Access) {
	if t.level == txn.Serializable || t.asOf != 0 {
		return
	}
	if a.AsOf != 0 {
		a.Guards = guardsAt(req.Guards, a.Shard)
		return
	}
	a.Clock = true
	if t.level == txn.RepeatableRead {
		a.Since = t.moment
	}
}

// levelOf is the level at which a transaction runs: rows in which nobody can hold
// a lock give no less than they give to all.
func (c *Coordinator) levelOf(asked txn.Level) txn.Level {
	if c.cfg.Row.Yield.NeverLocks {
		return txn.Serializable
	}
	return asked
}
