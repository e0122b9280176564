package coordinator

import "isochron/txn"

// Where the coordinator proposes the timestamp of an attempt (decide.Choice.Stamps), one
// that is refused for its timestamp alone is tried again at a later one.

// maxTimestamps is how many timestamps one commit tries before its client is
// told that it lost: each costs a round to all replicas.
const maxTimestamps = 4

// opinion takes in what a replica thinks of a timestamp.
func (cs *commits) opinion(from txn.NodeID, m *txn.Message) {
	if k := cs.all[m.Opinion.Attempt]; k != nil && !k.Decided() {
		cs.clock.Observe(m.Opinion.Above)
	}
	cs.hear(m.Opinion.Attempt, from, m)
}

// again opens an attempt at a later timestamp for one that was refused for its
// own alone; nil if there is nothing to try. It is sent after the end of the old
// one, which is in its way where it was called OK.
func (cs *commits) again(k *commitment) *commitment {
	if k.t == nil || k.req == nil || k.timestamps >= maxTimestamps || k.Above() == 0 {
		return nil
	}
	cs.clock.Observe(k.Above())
	var prepares []*txn.Prepare
	for _, was := range k.Prepares {
		p := *was
		prepares = append(prepares, &p)
	}
	next := cs.open(k.t, k.req, prepares, false)
	next.began, next.answerBy, next.timestamps = k.began, k.answerBy, k.timestamps+1
	k.req = nil
	return next
}
