package coordinator

import "isochron/txn"

// Where the coordinator proposes an attempt's timestamp (decide.Policy.CoordinatorTimestamps), an
// attempt refused for its timestamp alone is retried at a later one. In some experiments an attempt
// with a lock conflict is retried as well.

// maxTimestamps is the number of timestamps that one commit tries before its client is notified of
// the abort: each costs a round to all replicas.
const maxTimestamps = 4

// replicaVote handles a replica's vote.
func (cs *commitManager) replicaVote(from txn.NodeID, m *txn.Message) {
	if k := cs.all[m.ReplicaVote.Attempt]; k != nil && !k.Decided() {
		cs.clock.Observe(m.ReplicaVote.Above)
	}
	cs.receive(m.ReplicaVote.Attempt, from, m)
}

// again opens an attempt at a later timestamp for one that was refused for its own alone, or one
// that requests the same again; nil if there is nothing to try. It is sent after the decision on
// the old one, which conflicts with it where it was accepted.
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

// repeat opens a copy of an attempt, for the same client.
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

// mayPass reports whether an aborted attempt is requested again with the same reads
// (txn.Params.PreparesAgain). The locks it took before its commit are gone. It continues under
// another id: the old one's state and outcome do not affect it.
func (cs *commitManager) mayPass(k *pendingCommit) bool {
	return k.fixedSet == nil && k.passes < cs.cfg.Params.PreparesAgain && k.MayPass() && !k.confirms && k.t.branches == nil && !k.t.locked() && len(k.t.published) == 0
}
