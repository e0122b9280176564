package decide

import "isochron/txn"

// replicas is the vote path of protocols in which every replica of a participant validates for
// itself: each is asked, each receives the decision, and each must acknowledge it before the
// attempt is dropped. Votes that agree in sufficient number count immediately; otherwise the slow
// path decides.
type replicas struct {
	*Attempt
	slow         slowPath
	receivedFrom map[replicaOf]bool // replicas that know the decision
	notedBy      map[replicaOf]bool // replicas that have noted it (EndsNotedFirst)
	rounds       int                // sends of the decision to all
}

// replicaOf is one replica of a participant.
type replicaOf struct {
	shard txn.ShardID
	node  txn.NodeID
}

// slowPath decides for a participant whose replicas do not agree; late: a fast path is no longer
// awaited.
type slowPath interface {
	settle(r *replicas, s txn.ShardID, late bool)
}

func slowPathOf(c Policy) slowPath {
	switch {
	case c.LeaderProposes():
		return leaderProposes{}
	case !c.HasFastPath():
		return &agreement{}
	}
	return &coordinatorProposes{}
}

func (r *replicas) toAll(s txn.ShardID, message func() txn.Message) {
	for _, n := range r.decider.Env.Replicas(s) {
		r.decider.Env.Send(txn.Participant(n, s), message())
	}
}

// ask asks all replicas of the participants with missing votes. From the second time on it begins
// their slow path.
func (r *replicas) ask() {
	r.resend()
	for _, s := range r.tally.Missing() {
		p := r.prepare(s)
		r.asked(s, r.decider.Env.Nearest(s))
		r.toAll(s, func() txn.Message {
			q := *p
			return txn.Message{Prepare: &q}
		})
		if r.tries > 0 {
			r.settle(s, true)
		}
	}
	r.tries++
}

func (r *replicas) settle(s txn.ShardID, late bool) {
	if r.phase == asking && r.prepare(s) != nil {
		r.slow.settle(r, s, late)
	}
}

func (r *replicas) receive(from txn.NodeID, m *txn.Message) {
	switch {
	case m.DecideAck != nil && m.DecideAck.Tentative:
		r.hasNoted(m.DecideAck.Shard, from)
	case r.phase == deciding:
	case m.ReplicaVote != nil:
		r.onReplicaVote(m.ReplicaVote)
	case m.Accepted != nil:
		r.tally.Accepted(len(r.decider.Env.Replicas(m.Accepted.Shard)), m.Accepted)
	}
}

func (r *replicas) onReplicaVote(m *txn.ReplicaVote) {
	if m.Result != txn.ValidationOK {
		r.refused(txn.Errorf(m.Refused, "%s", m.Reason))
		r.noted(m.Result != txn.ValidationNo)
	}
	r.tally.CountReplicaVote(r.decider.Policy, len(r.decider.Env.Replicas(m.Shard)), m)
	r.settle(m.Shard, false)
}

// inquire asks all replicas of the participants that have not answered.
func (r *replicas) inquire() {
	r.resend()
	for _, s := range r.tally.Missing() {
		r.toAll(s, func() txn.Message {
			return txn.Message{Inquire: &txn.Inquire{Shard: s, Attempt: r.ID, Txn: r.Txn, Participants: r.Participants}}
		})
	}
	r.tries++
}

// send sends the decision to the replicas that have not acknowledged it, less often each time.
func (r *replicas) send() {
	r.wakeAt = r.decider.Env.Now().Mono + r.decider.Params.ResendAfter<<min(r.tries, 3)
	for _, s := range r.Participants {
		r.sendTo(s)
	}
	r.tries++
	r.rounds++
	r.done = r.allKnow()
}

// sendTo sends it to the replicas of one participant; under EndsNotedFirst, to be noted first.
func (r *replicas) sendTo(s txn.ShardID) {
	first := r.decider.Params.EndsNotedFirst && !r.isNoted(s)
	for _, n := range r.decider.Env.Replicas(s) {
		if r.receivedFrom[replicaOf{s, n}] {
			continue
		}
		d := r.decision(s)
		d.Tentative = first
		if r.rounds > 0 {
			d.Prepare = r.prepare(s) // it may have missed that too
		}
		r.decider.Env.Send(txn.Participant(n, s), txn.Message{Decide: d})
	}
}

// isNoted reports whether a majority of a participant's replicas has noted the decision.
func (r *replicas) isNoted(s txn.ShardID) bool {
	have, nodes := 0, r.decider.Env.Replicas(s)
	for _, n := range nodes {
		if r.notedBy[replicaOf{s, n}] {
			have++
		}
	}
	return have >= Majority(len(nodes))
}

// hasNoted records that a replica has noted the decision. With a majority all replicas are notified to apply it.
func (r *replicas) hasNoted(s txn.ShardID, by txn.NodeID) {
	if r.phase != deciding || r.isNoted(s) {
		return
	}
	if r.notedBy == nil {
		r.notedBy = map[replicaOf]bool{}
	}
	r.notedBy[replicaOf{s, by}] = true
	if r.isNoted(s) {
		r.sendTo(s)
	}
}

func (r *replicas) acknowledged(s txn.ShardID, by txn.NodeID) {
	if r.receivedFrom == nil {
		r.receivedFrom = map[replicaOf]bool{}
	}
	r.receivedFrom[replicaOf{s, by}] = true
	r.done = r.allKnow()
}

func (r *replicas) allKnow() bool {
	for _, s := range r.Participants {
		for _, n := range r.decider.Env.Replicas(s) {
			if !r.receivedFrom[replicaOf{s, n}] {
				return false
			}
		}
	}
	return true
}

func (*replicas) ended(txn.ShardID) {} // one replica's log implies nothing about the others'
func (*replicas) queryDecision()    {}
func (*replicas) share()            {}

// leaderProposes leaves the proposal to the view's leader (Carousel, STARRY): it proposes by
// itself, and is asked to when that takes too long.
type leaderProposes struct{}

func (leaderProposes) settle(r *replicas, s txn.ShardID, late bool) {
	if !late {
		return
	}
	view := r.tally.View(s)
	r.toAll(s, func() txn.Message {
		return txn.Message{SlowPathRequest: &txn.SlowPathRequest{Shard: s, View: view, Prepare: r.prepare(s)}}
	})
}

// coordinatorProposes makes the coordinator propose, once no fast path is possible any more
// (TAPIR).
type coordinatorProposes struct {
	in map[txn.ShardID]uint64 // 1 + the view of the proposal
}

func (c *coordinatorProposes) settle(r *replicas, s txn.ShardID, late bool) {
	yes, view, ok := r.tally.Propose(r.decider.Policy, s, len(r.decider.Env.Replicas(s)), late)
	if !ok || !late && c.in[s] == view+1 {
		return
	}
	if c.in == nil {
		c.in = map[txn.ShardID]uint64{}
	}
	c.in[s] = view + 1
	r.decider.Env.Trace("%v of %v: the replicas of shard %d do not agree, proposes %s in view %d", r.ID, r.Txn, s, yesNo(yes), view)
	r.toAll(s, func() txn.Message {
		return txn.Message{Accept: &txn.Accept{Shard: s, View: view, Yes: yes, Prepare: r.prepare(s)}}
	})
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
