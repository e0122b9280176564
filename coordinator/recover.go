package coordinator

import (
	"isochron/txn"
)

// Adopt finishes an attempt whose coordinator seems lost: it asks every
// participant's log. That a coordinator still lives does no harm, for both
// decide from the same logs.
func (c *Coordinator) Adopt(o txn.Orphan) {
	if c.commits[o.Attempt] != nil || len(c.commits) >= maxCommitments {
		return
	}
	k := &commitment{Attempt: c.room.Adopt(o)}
	c.commits[o.Attempt] = k
	c.env.Trace("takes over %v of %v", o.Attempt, o.Txn)
	k.Terminate()
}
