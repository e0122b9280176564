package coordinator

import (
	"isochron/txn"
)

// adopt finishes an attempt whose coordinator seems lost, by the participants' logs. It is safe if
// that coordinator is alive, since both decide from the same logs.
func (cs *commitManager) adopt(o txn.Orphan) {
	if cs.all[o.Attempt] != nil || len(cs.all) >= maxCommitments {
		return
	}
	k := &pendingCommit{Attempt: cs.decider.Adopt(o)}
	cs.all[o.Attempt] = k
	cs.env.Trace("takes over %v of %v", o.Attempt, o.Txn)
	k.Terminate()
}

// coordinate decides an attempt for a gateway whose Prepares name this node.
func (cs *commitManager) coordinate(o txn.Orphan) {
	if cs.all[o.Attempt] != nil || len(cs.all) >= maxCommitments {
		return
	}
	cs.all[o.Attempt] = &pendingCommit{Attempt: cs.decider.Elect(o)}
}
