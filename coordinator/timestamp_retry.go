package coordinator

import "isochron/txn"

// Where the coordinator proposes the timestamp of an attempt (decide.Choice.Stamps), one
// that is refused for its timestamp alone is tried again at a later one. Some experiments also have
// one that gave way asked for again.

// maxTimestamps is how many timestamps one commit tries before its client is
// told that it lost: each costs a round to all replicas.
const maxTimestamps = 4

// replicaVote takes in what a replica thinks of a timestamp.
func (cs *commitManager) replicaVote(from txn.NodeID, m *txn.Message) {
	if k := cs.all[m.ReplicaVote.Attempt]; k != nil && !k.Decided() {
		cs.clock.Observe(m.ReplicaVote.Above)
	}
	cs.receive(m.ReplicaVote.Attempt, from, m)
}

// again opens an attempt at a later timestamp for one that was refused for its
// own alone, or one that asks for the same once more; nil if there is nothing to try. It is sent
// after the end of the old one, which is in its way where it was called OK.
func (cs *commitManager) again(k *pendingCommit) *pendingCommit {
	switch {
	case k.t == nil || k.req == nil:
	case k.timestamps < maxTimestamps && k.Above() != 0:
		cs.clock.Observe(k.Above())
		next := cs.repeat(k, k.t, func(*txn.Prepare) {})
		next.timestamps, next.passes = k.timestamps+1, k.passes
		return next
	case cs.mayPass(k):
		t := cs.ender.renamed(k.t)
		next := cs.repeat(k, t, func(p *txn.Prepare) { p.Txn, p.Term = t.id, 0 })
		next.passes = k.passes + 1
		return next
	}
	return nil
}

// repeat opens an attempt like one that was made, for its client.
func (cs *commitManager) repeat(k *pendingCommit, t *transaction, but func(*txn.Prepare)) *pendingCommit {
	var prepares []*txn.Prepare
	for _, was := range k.Prepares {
		p := *was
		but(&p)
		prepares = append(prepares, &p)
	}
	next := cs.open(t, k.req, prepares, k.ReadOnly)
	next.began, next.answerBy = k.began, k.answerBy
	k.req = nil
	return next
}

// mayPass reports whether an attempt that was aborted is asked for once more as it was read
// (txn.Params.PreparesAgain). Locks that it took before its commit went with it. It goes on under
// another name: what the old one holds, and how it ends, is of no concern to the new one.
func (cs *commitManager) mayPass(k *pendingCommit) bool {
	return k.fixedSet == nil && k.passes < cs.cfg.Params.PreparesAgain && k.MayPass() && !k.confirms && k.t.branches == nil && !k.t.locked() && len(k.t.published) == 0
}
