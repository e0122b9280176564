package replica

import "time"

// NextWake is the earliest time of this node's clock at which Tick has work if
// nothing else happens before: no message and no end of a sync. Before it Tick
// changes nothing.
func (r *Replica) NextWake() time.Duration {
	return min(r.nextCheck, r.readers.nextWake(), r.change.nextWake())
}
