package coordinator

import (
	"time"

	"isochron/txn"
)

// Snapshot reads. A transaction of a weaker level reads rows that it locks, or is to write, like a
// serializable one. Its plain reads use a read timestamp from a clock that has observed every
// commit acknowledged here, every reply with the newest rows, and what the replicas of this node
// have: so it includes all that a client of this gateway knows.

// snapshotReads gives transactions of weaker levels their read timestamps.
type snapshotReads struct {
	env   readTSEnv
	clock txn.Clock // separate from the clock of ages, so that it changes none
}

// readTSEnv is the part of the node that snapshotReads uses.
type readTSEnv interface {
	Now() txn.Now
	MaxTimestamp() txn.Timestamp
}

// observe advances the clock to a timestamp of a commit or a read here.
func (mo *snapshotReads) observe(at txn.Timestamp) { mo.clock.Observe(at) }

// of is the read timestamp of a read, 0 if it reads the newest rows.
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

// settled reports whether a near replica may have all versions up to a round's read timestamp. Only
// a leader can have them for one just chosen.
func (mo *snapshotReads) settled(r *round) bool {
	return r.t.asOf != 0 || mo.env.Now().Mono-r.t.readTSChosenAt > readTSSettles
}

// readTSSettles is the age of a read timestamp before a near replica is asked for it.
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
