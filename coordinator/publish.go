package coordinator

import "isochron/txn"

// What a transaction has written of a hot row goes to its leader before the
// commit, so that the next can go on from there (yield/group.go). It goes as the
// attempt that the commit will be, which is reserved for it.

// publish tells the leaders that granted locks what was written of their rows.
func (c *Coordinator) publish(t *transaction, writes []txn.Write) {
	if t.branches != nil { // they bear the name of the attempt, which a change of mind would give up
		return
	}
	c.attempts.changeMind(t, writes)
	t.published = writes
	at := map[txn.ShardID]*txn.Publish{}
	for _, w := range writes {
		id, ok := c.env.Directory().ShardOf(string(w.Key))
		s := txn.ShardID(id)
		tc := t.touch(s)
		if !ok || tc == nil || tc.lockTerm == 0 {
			continue
		}
		if at[s] == nil {
			at[s] = &txn.Publish{Shard: s, Term: tc.lockTerm, Txn: t.id, Attempt: c.attempts.reserve(t)}
		}
		at[s].Writes = append(at[s].Writes, w)
	}
	for _, s := range sortedShards(at) {
		c.leaders.send(s, txn.Message{Publish: at[s]})
	}
}

func woundedBy(m *txn.Wounded) *txn.Error {
	if m.ProtocolSeq != 0 {
		return protocolChanges()
	}
	if m.Cascade {
		return txn.Errorf(txn.KindAborted, "it had gone on from a value that %v had written, which was undone", m.By).Because(txn.CauseCascade)
	}
	return txn.Errorf(txn.KindAborted, "an older transaction (%v) needed a row that this one had locked", m.By).Because(txn.CauseWound)
}
