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
	k := &commitment{
		attempt: a, id: id, participants: participants,
		tally: c.newTally(participants),
	}
	c.commits[a] = k
	c.env.Trace("takes over %v of %v", a, id)
	c.terminate(k)
}

// terminate begins to ask the logs.
func (c *Coordinator) terminate(k *commitment) {
	if k.phase != preparing {
		return
	}
	k.phase, k.asksLogs = terminating, true
	kind := txn.NoteAsksLogs
	if k.t == nil {
		kind = txn.NoteTakesOver
	}
	c.env.Note(k.note(kind, false))
	k.tries = 0
	c.recall(k)
	c.inquire(k)
}

// inquire asks the participants whose logs have not spoken.
func (c *Coordinator) inquire(k *commitment) {
	k.wakeAt = c.env.Now().Mono + c.cfg.Params.ResendAfter
	if c.integrated() {
		c.inquireReplicas(k)
		return
	}
	for _, s := range k.tally.Missing() {
		if n, _ := c.leaderOf(s, k.tries); n != 0 {
			c.env.Send(txn.Participant(n, s), txn.Message{Inquire: &txn.Inquire{Shard: s, Attempt: k.attempt, Txn: k.id}})
		}
	}
	k.tries++
}

func (c *Coordinator) onFinding(m *txn.Finding) {
	k := c.commits[m.Attempt]
	if k == nil || k.phase == deciding {
		return
	}
	switch m.Result {
	case txn.OutcomeYes:
		c.voted(k, m.Shard, m.Proposed, m.Open, m.Doomed)
		k.onePhase = false // its end must be told
	case txn.OutcomeCommitted:
		k.tally.Learned(true, m.At)
		k.ack(m.Shard)
	case txn.OutcomeNo, txn.OutcomeAborted:
		k.tally.No()
		k.ack(m.Shard)
	}
	c.maybeDecide(k)
}

// commitNotLed hears that a request about an attempt reached no leader.
func (c *Coordinator) commitNotLed(k *commitment, m *txn.NotLeader) {
	switch k.phase {
	case preparing:
		p := k.prepare(m.Shard)
		switch {
		case p == nil:
		case k.readOnly, p.Term == 0, m.Term < p.Term:
			k.wakeSoon(c)
		case m.Term > p.Term:
			// The leader that was asked is gone; it may have logged a vote or not.
			c.terminate(k)
		default:
			k.wakeSoon(c) // elected, not yet serving
		}
	case terminating, deciding:
		k.wakeSoon(c)
	}
}

// wakeSoon tries again well before the usual resend, but not at once: a term
// begins with a round trip in which nobody serves.
func (k *commitment) wakeSoon(c *Coordinator) {
	k.wakeAt = min(k.wakeAt, c.env.Now().Mono+c.cfg.Params.TickInterval*2)
}
