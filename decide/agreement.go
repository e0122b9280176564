package decide

import "isochron/txn"

// agreement is the slow path of a policy without a fast path (G-PAC): first a majority of every
// participant's replicas votes for the attempt, then a majority of each accepts the commit. An
// abort is never proposed: an attempt that was not proposed never counts, whichever node finishes
// it later.
//
// The paper's agreement needs majorities of a majority of the participants. Here all participants
// are needed, since recovery asks each participant by itself.
type agreement struct {
	in map[txn.ShardID]uint64 // 1 + the view in which a participant's replicas were asked
}

func (c *agreement) settle(r *replicas, _ txn.ShardID, late bool) {
	if !r.tally.Agreed(func(s txn.ShardID) int { return len(r.decider.Env.Replicas(s)) }, late) {
		return
	}
	if r.decider.Params.InjectedBugs.SendUnaccepted {
		for i, s := range r.Participants {
			r.tally.Yes(s, r.Prepares[i].At, false)
		}
		return
	}
	for i, s := range r.Participants {
		view, ok := r.tally.ProposeYes(s)
		if !ok || !late && c.in[s] == view+1 {
			continue
		}
		if c.in == nil {
			c.in = map[txn.ShardID]uint64{}
		}
		if c.in[s] != view+1 {
			r.decider.Env.Trace("%v of %v: every participant has a majority for it, proposes the commit to shard %d in view %d", r.ID, r.Txn, s, view)
		}
		c.in[s] = view + 1
		p := r.Prepares[i]
		r.toAll(s, func() txn.Message {
			return txn.Message{Accept: &txn.Accept{Shard: s, View: view, Yes: true, Prepare: p}}
		})
	}
}
