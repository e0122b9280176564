package coordinator

import (
	"isochron/protocol"
	"isochron/txn"
	"isochron/yield"
)

// policy applies the protocol's rules of reads and locks.
type policy struct {
	cfg     *Config
	leaders *leaders
	env     policyEnv
}

// policyEnv is the part of the node that policy uses.
type policyEnv interface {
	Wide(n txn.NodeID) bool
}

// lockOf is the lock that a read takes at a shard: what the client requested, or what the protocol
// takes for reads at the leader. Shard 0: the lock that it takes at every shard.
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

// locksReads: reads under an optimistic policy lock too after some tries. Without locks a
// transaction may be aborted repeatedly by any earlier vote, also a younger transaction's; with the
// age of its first try only an older transaction takes its locks.
//
// Reads for a transaction record are never locked: during a protocol switch a shard grants no
// locks, and accepts the record.
func (p *policy) locksReads(t *transaction) bool {
	if t.record {
		return false
	}
	return p.cfg.Spec.Yield.LockReads || p.committedOnly(t)
}

// committedOnly: the transaction avoids published values and locks its reads, since it was aborted
// so often or has high priority: without locks it wounds no other. Under reservations, multi-region
// transactions have priority by the reservations, and need no locks. A single-region transaction at
// its own region is validated right after its reads; from far away its reads are outdated by then
// while others write there, so it locks, and takes precedence over single-region ones only.
func (p *policy) committedOnly(t *transaction) bool {
	after := p.cfg.Params.LockAfterTries
	if after <= 0 || t.try < after && t.age.Priority < txn.PriorityHigh {
		return false
	}
	return p.cfg.Spec.Yield.Reserves == yield.ReservesNothing || t.away && !t.age.Region.MultiRegion()
}

// readsAtLeader reports whether the transaction's plain reads go to the leader, where alone they
// can lock. warm: for records that are updated often.
func (p *policy) readsAtLeader(t *transaction, warm bool) bool {
	spec, class := &p.cfg.Spec, t.class()
	class.Warm = warm
	return spec.ReadsAtLeader(class) || p.committedOnly(t) && !spec.Yield.NeverLocks
}

// expectsAbsent reports whether an update takes its rows for absent until the vote. A retry reads
// them, and so does a transaction that locks before its vote.
func (p *policy) expectsAbsent(t *transaction, req *Request) bool {
	return req.Op == OpUpdate && req.Read.ExpectsAbsent && t.try == 0 && t.asOf == 0 && !t.record && !p.cfg.Spec.Yield.RowLeases && !p.committedOnly(t) &&
		len(t.touched)+len(t.seen.rows)+len(t.spans) == 0 && t.branches == nil
}

// locksAtHome: with the leader in this region a lock costs no wide-area message, and saves the
// abort of a failed check.
func (p *policy) locksAtHome(t *transaction, r txn.Read, s txn.ShardID) bool {
	if !p.cfg.Spec.Reads.LockAtHome(t.class()) || r.OnlyRead {
		return false
	}
	leader, _ := p.leaders.of(s, 0)
	return leader != 0 && !p.env.Wide(leader)
}

// byLease reports whether leaders answer by lease for transactions that wrote nothing.
func (p *policy) byLease() bool {
	return p.cfg.Spec.ReadOnly == protocol.ByLease
}

// levelOf is the isolation level of a transaction: protocols without snapshot reads give all
// transactions the same.
func (p *policy) levelOf(asked txn.Level) txn.Level {
	if !p.cfg.Spec.SnapshotReads() {
		return txn.Serializable
	}
	return asked
}
