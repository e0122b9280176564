package coordinator

import (
	"isochron/txn"
)

// Adopt finishes an attempt whose coordinator seems lost: it asks every
// participant's log. That a coordinator still lives does no harm, for both
// decide from the same logs.
func (c *Coordinator) Adopt(a txn.Attempt, id txn.ID, participants []txn.ShardID) {
	if c.commits[a] != nil || len(c.commits) >= maxCommitments {
		return
	}
	k := &commitment{Attempt: c.room.Adopt(a, id, participants)}
	c.commits[a] = k
	c.env.Trace("takes over %v of %v", a, id)
	k.Terminate()
}
