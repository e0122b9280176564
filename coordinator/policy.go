package coordinator

import (
	"isochron/protocol"
	"isochron/txn"
	"isochron/yield"
)

// policy is what the row that the gateway goes by says of reads and locks.
type policy struct {
	cfg     *Config
	leaders *leaders
	env     policyEnv
}

// policyEnv is what policy needs of the node.
type policyEnv interface {
	Wide(n txn.NodeID) bool
}

// lockOf is the lock that a read takes at a shard: what the client asked for, or
// what the row's policy takes for reads that go to the leader. Shard 0 asks for
// what it takes at every shard.
func (p *policy) lockOf(t *transaction, r txn.Read, s txn.ShardID) txn.Lock {
	switch {
	case t.asOf != 0 || r.WantReadTS || p.cfg.Spec.Yield.NeverLocks:
		return txn.LockNone
	case t.level != txn.Serializable && r.ForWrite:
		return txn.LockExclusive
	case t.level != txn.Serializable:
		return r.Lock
	case r.ForWrite && p.cfg.Spec.Yield.RowLeases:
		return txn.LockExclusive
	case r.Lock != txn.LockNone || !p.locksReads(t):
		return r.Lock
	case !p.readsAtLeader(t, false) && (s == 0 || !p.locksAtHome(t, r, s)):
		return txn.LockNone
	case r.ForWrite:
		return txn.LockExclusive
	}
	return txn.LockShared
}

// locksReads: an optimistic row's reads take locks too after so many tries. What
// holds nothing is passed by whoever votes first, younger ones as well, and may be
// so for ever; with the age of its first try a lock is lost to older ones alone.
//
// What is read for a record is never locked: a shard that changes its protocol grants no locks, and
// takes the record.
func (p *policy) locksReads(t *transaction) bool {
	if t.record {
		return false
	}
	return p.cfg.Spec.Yield.LockReads || p.committedOnly(t)
}

// committedOnly: the transaction takes no chances, for it has lost so often, or is to go first:
// what holds nothing cannot have others give way. Where rows are reserved those of several regions
// go first by that, and nobody locks to pass them. Of a single region who is validated where its
// client is has its turn as soon as it has read; from far away what was read is old by then, for as
// long as others write it there, so that one locks: it passes those of a single region alone.
func (p *policy) committedOnly(t *transaction) bool {
	after := p.cfg.Params.LockAfterTries
	if after <= 0 || t.try < after && t.age.Priority < txn.PriorityHigh {
		return false
	}
	return p.cfg.Spec.Yield.Reserves == yield.ReservesNothing || t.away && !t.age.Region.MultiRegion()
}

// readsAtLeader reports whether plain reads of the transaction go to the leader: there alone can
// they lock. warm: of records that are updated often.
func (p *policy) readsAtLeader(t *transaction, warm bool) bool {
	spec, class := &p.cfg.Spec, t.class()
	class.Warm = warm
	return spec.ReadsAtLeader(class) || p.committedOnly(t) && !spec.Yield.NeverLocks
}

// locksAtHome: where the leader is in this region, a lock costs no wide-area
// message and saves the abort of a check that fails.
func (p *policy) locksAtHome(t *transaction, r txn.Read, s txn.ShardID) bool {
	if !p.cfg.Spec.Reads.LockAtHome(t.class()) || r.OnlyRead {
		return false
	}
	leader, _ := p.leaders.of(s, 0)
	return leader != 0 && !p.env.Wide(leader)
}

// byLease reports whether leaders answer for transactions that wrote nothing.
func (p *policy) byLease() bool {
	return p.cfg.Spec.ReadOnly == protocol.ByLease
}

// levelOf is the level at which a transaction runs: rows that know no moments give no less than
// they give to all.
func (p *policy) levelOf(asked txn.Level) txn.Level {
	if !p.cfg.Spec.SnapshotReads() {
		return txn.Serializable
	}
	return asked
}
