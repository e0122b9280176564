package raftgroup

import (
	"time"

	"isochron/txn"
)

// NextWake is the earliest instant of this node's clock at which Tick, TickSnapshots or
// Out has something to do or to say, as things are now. It is worked out in full from what there is: no
// timer can be forgotten because somebody did not tell of it. Steer and Trim have no time of
// their own.
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

// nextSnapshotWake is when a snapshot on its way is given up, or asked for again.
func (me *member) nextSnapshotWake() time.Duration {
	at := me.snapshots.nextWake()
	if in := me.snapIn; in != nil && in.install == nil {
		at = min(at, in.retryAt)
	}
	return at
}

// destroyAt is when a member that is not desired any more will be Out.
func (me *member) destroyAt() time.Duration {
	if me.desired.holds(me.cfg.Self) || !me.mayDestroy() {
		return txn.Never
	}
	return me.outAt()
}
