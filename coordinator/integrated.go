package coordinator

import (
	"isochron/decide"
	"isochron/protocol"
	"isochron/txn"
)

// Where every replica of a participant validates for itself, each is asked, each
// is told the decision, and each must have heard it before an attempt is
// forgotten; and the coordinator proposes the timestamp, so that all of them
// compare the same thing.

// maxTimestamps is how many timestamps one commit tries before its client is
// told that it lost: each costs a round to all replicas.
const maxTimestamps = 4

// heardBy is one replica of a participant.
type heardBy struct {
	shard   txn.ShardID
	replica txn.NodeID
}

func (c *Coordinator) integrated() bool { return c.cfg.Row.Validates == protocol.EveryReplica }

// byLease reports whether leaders answer for transactions that wrote nothing.
func (c *Coordinator) byLease() bool {
	return c.cfg.Row.ReadOnly == protocol.ByLease
}

// replicasOf are the nodes that hold a shard.
func (c *Coordinator) replicasOf(s txn.ShardID) []txn.NodeID {
	shard, ok := c.env.Directory().Shard(uint64(s))
	if !ok {
		return nil
	}
	out := make([]txn.NodeID, len(shard.Replicas))
	for i, n := range shard.Replicas {
		out[i] = txn.NodeID(n)
	}
	return out
}

// aReplica is where to read: the nearest, or the others in turn if it is silent.
func (c *Coordinator) aReplica(s txn.ShardID, try int) txn.NodeID {
	all := c.replicasOf(s)
	if try == 0 || len(all) == 0 {
		return c.env.Nearest(s)
	}
	return all[try%len(all)]
}

func (c *Coordinator) toReplicas(s txn.ShardID, message func() txn.Message) {
	for _, n := range c.replicasOf(s) {
		c.env.Send(txn.Participant(n, s), message())
	}
}

// askReplicas asks all replicas of the participants whose vote is not known yet.
// Who is asked again has its slow path begun.
func (c *Coordinator) askReplicas(k *commitment) {
	k.wakeAt = c.env.Now().Mono + c.cfg.Params.ResendAfter
	for _, s := range k.tally.Missing() {
		p := k.prepare(s)
		k.asked(s, c.env.Nearest(s))
		c.toReplicas(s, func() txn.Message {
			q := *p
			return txn.Message{Prepare: &q}
		})
		if k.tries > 0 {
			c.slowPath(k, s, true)
		}
	}
	k.tries++
}

// slowPath settles what replicas do not agree on: the coordinator proposes, if
// the row says so and it is time, or asks the leader to.
func (c *Coordinator) slowPath(k *commitment, s txn.ShardID, late bool) {
	if k.phase != preparing || k.prepare(s) == nil {
		return
	}
	if c.cfg.Row.Decide.LeaderProposes() {
		if late {
			view := k.tally.View(s)
			c.toReplicas(s, func() txn.Message {
				return txn.Message{Dispute: &txn.Dispute{Shard: s, View: view, Prepare: k.prepare(s)}}
			})
		}
		return
	}
	yes, view, ok := k.tally.Propose(c.cfg.Row.Decide, s, len(c.replicasOf(s)), late)
	if !ok || !late && k.accepts[s] == view+1 {
		return
	}
	if k.accepts == nil {
		k.accepts = map[txn.ShardID]uint64{}
	}
	k.accepts[s] = view + 1
	c.env.Trace("%v of %v: the replicas of shard %d do not agree, proposes %s in view %d", k.attempt, k.id, s, yesNo(yes), view)
	c.toReplicas(s, func() txn.Message {
		return txn.Message{Accept: &txn.Accept{Shard: s, View: view, Yes: yes, Prepare: k.prepare(s)}}
	})
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func (c *Coordinator) onOpinion(m *txn.Opinion) {
	k := c.commits[m.Attempt]
	if k == nil || k.phase == deciding {
		return
	}
	if m.Answer != txn.AnswerOK && k.why == nil {
		k.why = txn.Errorf(m.Refused, "%s", m.Reason)
	}
	c.clock.Observe(m.Above)
	k.tally.Opine(c.cfg.Row.Decide, len(c.replicasOf(m.Shard)), m)
	c.slowPath(k, m.Shard, false)
	c.maybeDecide(k)
}

func (c *Coordinator) onAccepted(m *txn.Accepted) {
	k := c.commits[m.Attempt]
	if k == nil || k.phase == deciding {
		return
	}
	k.tally.Accepted(len(c.replicasOf(m.Shard)), m)
	c.maybeDecide(k)
}

// again opens an attempt at a later timestamp for one that was refused for its
// own alone; nil if there is nothing to try. It is sent after the end of the old
// one, which is in its way where it was called OK.
func (c *Coordinator) again(k *commitment) *commitment {
	if !c.integrated() || k.t == nil || k.req == nil || k.timestamps >= maxTimestamps || k.tally.Above() == 0 {
		return nil
	}
	c.clock.Observe(k.tally.Above())
	var prepares []*txn.Prepare
	for _, was := range k.prepares {
		p := *was
		prepares = append(prepares, &p)
	}
	next := c.open(k.t, k.req, prepares, false)
	next.began, next.answerBy, next.timestamps = k.began, k.answerBy, k.timestamps+1
	k.req = nil
	return next
}

// tellReplicas carries the decision to the replicas that have not acknowledged it.
func (c *Coordinator) tellReplicas(k *commitment) {
	verdict, at := k.tally.Verdict()
	k.wakeAt = c.env.Now().Mono + c.cfg.Params.ResendAfter<<min(k.tries, 3)
	open := false
	for _, s := range k.participants {
		for _, n := range c.replicasOf(s) {
			if k.heardBy[heardBy{s, n}] {
				continue
			}
			open = true
			d := &txn.Decide{Shard: s, Attempt: k.attempt, Txn: k.id, Commit: verdict == decide.Commit, At: at}
			if k.told > 0 {
				d.Prepare = k.prepare(s) // it may have missed that too
			}
			c.env.Send(txn.Participant(n, s), txn.Message{Decide: d})
		}
	}
	k.tries++
	k.told++
	if !open {
		c.finish(k)
	}
}

// allHeard notes an acknowledgement, and reports whether it was the last.
func (c *Coordinator) allHeard(k *commitment, from txn.NodeID, s txn.ShardID) bool {
	if k.heardBy == nil {
		k.heardBy = map[heardBy]bool{}
	}
	k.heardBy[heardBy{s, from}] = true
	for _, s := range k.participants {
		for _, n := range c.replicasOf(s) {
			if !k.heardBy[heardBy{s, n}] {
				return false
			}
		}
	}
	return true
}

// forgetTxn lets go of a transaction, unless a later attempt goes on with it.
func (c *Coordinator) forgetTxn(k *commitment) {
	if t := c.txns[k.id]; t != nil && (t.commit == nil || t.commit == k) {
		delete(c.txns, k.id)
	}
}

// inquireReplicas asks all replicas of the participants that have not spoken.
func (c *Coordinator) inquireReplicas(k *commitment) {
	for _, s := range k.tally.Missing() {
		c.toReplicas(s, func() txn.Message {
			return txn.Message{Inquire: &txn.Inquire{Shard: s, Attempt: k.attempt, Txn: k.id, Participants: k.participants}}
		})
	}
	k.tries++
}
