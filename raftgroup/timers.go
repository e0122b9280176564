package raftgroup

import (
	"time"

	"isochron/txn"
)

// NextWake returns the earliest time of this node's clock at which Tick, TickSnapshots or Removed
// has a new result, in the present state. It is computed from the whole state, so that no timer can
// be missed. Reconcile and Trim have no time of their own.
func (g *Group[C]) NextWake() time.Duration {
	at := min(g.nextSnapshotWake(), g.destroyAt())
	if g.lead != nil {
		return min(at, g.nextTick)
	}
	at = min(at, max(g.election.campaignAt, g.election.silentTill))
	if g.leader != 0 {
		at = min(at, g.election.forgetAt)
	}
	return at
}

// nextSnapshotWake returns the time at which a snapshot transfer is given up or a chunk requested again.
func (me *member) nextSnapshotWake() time.Duration {
	at := me.snapshots.nextWake()
	if in := me.snapIn; in != nil && in.install == nil {
		at = min(at, in.retryAt)
	}
	return at
}

// destroyAt returns the time at which a member that is not desired becomes Removed.
func (me *member) destroyAt() time.Duration {
	if me.desired.holds(me.cfg.Self) || !me.mayDestroy() {
		return txn.Never
	}
	return me.outAt()
}
