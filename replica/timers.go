package replica

import "time"

// NextWake is the earliest instant of this node's clock at which Tick has something to
// do if nothing else happens before: no message and no end of a sync. Before it Tick
// changes nothing.
func (r *Replica) NextWake() time.Duration {
	at := r.nextCheck
	for _, rd := range r.readers {
		at = min(at, rd.deadline)
	}
	if !r.takesPart() || len(r.fence) > 0 {
		at = min(at, r.retryAt)
	}
	return at
}
