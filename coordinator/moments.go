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

// moments gives transactions of weaker levels the moments that they read.
type moments struct {
	env   momentEnv
	clock txn.Clock // apart from the one of ages, so that it changes none
}

// momentEnv is what moments needs of the node.
type momentEnv interface {
	Now() txn.Now
	Seen() txn.Timestamp
}

// observe hears of a moment at which something was committed or read here.
func (mo *moments) observe(at txn.Timestamp) { mo.clock.Observe(at) }

// of is the moment at which a read is to be answered, 0 if it reads what is newest.
func (mo *moments) of(t *transaction, req *Request) txn.Timestamp {
	r := &req.Read
	switch {
	case t.asOf != 0:
		return t.asOf
	case t.level == txn.Serializable || r.Present || r.Lock != txn.LockNone || r.ForWrite:
		return 0
	case t.moment == 0 || t.level == txn.ReadCommitted && req.Statement > t.statement:
		t.shown = view{}
		now := mo.env.Now()
		mo.clock.Observe(mo.env.Seen())
		t.moment, t.momentAt, t.statement = mo.clock.Next(now), now.Mono, req.Statement
	}
	return t.moment
}

// settled reports whether a near replica may have all of the moment of a round
// already. Of one that was just chosen only a leader can say that it has.
func (mo *moments) settled(r *round) bool {
	return r.t.asOf != 0 || mo.env.Now().Mono-r.t.momentAt > momentSettles
}

// momentSettles is how old a moment is before a near replica is asked for it.
const momentSettles = 2 * time.Second

// weaken completes a part for a transaction of a weaker level.
func (mo *moments) weaken(t *transaction, req *Request, a *txn.Access) {
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
