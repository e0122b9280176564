package shard

import (
	"time"

	"isochron/txn"
)

// NextWake returns the earliest time of this node's clock at which Tick has work if
// nothing else happens before: no message, no completed sync, no new desired
// state. Before it Tick changes nothing.
func (r *Replica) NextWake() time.Duration {
	at := min(r.nextCheck, r.group.NextWake())
	if r.lead != nil {
		at = min(at, r.lead.nextWake())
	}
	if r.sweep.has(r.state) {
		at = min(at, r.sweep.at)
	}
	return at
}

// NextArrivalTime implements participant.Scheduled.
func (r *Replica) NextArrivalTime() time.Duration {
	if r.lead == nil {
		return txn.Never
	}
	return r.lead.arrivalQueue.NextWake()
}

// AtArrivalTime implements participant.Scheduled.
func (r *Replica) AtArrivalTime() {
	if r.lead != nil {
		r.lead.arrivalQueue.ProcessDue(r.env.Now().Mono)
	}
}

// nextWake returns the time of a leader's next work besides its heartbeats.
func (l *leaderState) nextWake() time.Duration {
	at := min(l.locks.NextWake(), l.batcher.NextWake(), l.early.NextExpiry(), l.arrivalQueue.NextWake())
	if l.serving && l.r.cfg.Spec.Yield.Deadlocks() {
		at = min(at, l.deadlocks.NextWake())
	}
	if l.serving && l.switching.due() { // each tick checks whether all is drained
		at = min(at, l.r.ticked+l.r.cfg.Params.TickInterval/2)
	}
	return min(at, l.snapshotReads.nextWake())
}
