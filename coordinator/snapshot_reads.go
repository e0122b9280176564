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

// snapshotReads gives transactions of weaker levels the moments that they read.
type snapshotReads struct {
	env   readTSEnv
	clock txn.Clock // apart from the one of ages, so that it changes none
}

// readTSEnv is what moments needs of the node.
type readTSEnv interface {
	Now() txn.Now
	MaxTimestamp() txn.Timestamp
}

// observe hears of a moment at which something was committed or read here.
func (mo *snapshotReads) observe(at txn.Timestamp) { mo.clock.Observe(at) }

// of is the moment at which a read is to be answered, 0 if it reads what is newest.
func (mo *snapshotReads) of(t *transaction, req *Request) txn.Timestamp {
	r := &req.Read
	switch {
	case t.asOf != 0:
		return t.asOf
	case t.level == txn.Serializable || r.WantReadTS || r.Lock != txn.LockNone || r.ForWrite:
		return 0
	case t.readTS == 0 || t.level == txn.ReadCommitted && req.Statement > t.statement:
		t.shown = readSet{}
		now := mo.env.Now()
		mo.clock.Observe(mo.env.MaxTimestamp())
		t.readTS, t.readTSChosenAt, t.statement = mo.clock.Next(now), now.Mono, req.Statement
	}
	return t.readTS
}

// settled reports whether a near replica may have all of the moment of a round
// already. Of one that was just chosen only a leader can say that it has.
func (mo *snapshotReads) settled(r *round) bool {
	return r.t.asOf != 0 || mo.env.Now().Mono-r.t.readTSChosenAt > readTSSettles
}

// readTSSettles is how old a moment is before a near replica is asked for it.
const readTSSettles = 2 * time.Second

// weaken completes a part for a transaction of a weaker level.
func (mo *snapshotReads) weaken(t *transaction, req *Request, a *txn.Access) {
	if t.level == txn.Serializable || t.asOf != 0 {
		return
	}
	if a.AsOf != 0 {
		a.SchemaChecks = schemaChecksAt(req.SchemaChecks, a.Shard)
		return
	}
	a.Clock = true
	if t.level == txn.RepeatableRead {
		a.Since = t.readTS
	}
}
