package coordinator

import "isochron/txn"

// A transaction's writes of hot rows are sent to their leaders before the commit, so that the next
// transaction can read them (yield/group.go). They carry the attempt of the commit, which is
// reserved for it.

// publish sends the leaders that granted locks the writes of their hot rows.
func (c *Coordinator) publish(t *transaction, writes []txn.Write) {
	if t.branches != nil { // they carry the attempt's id, which a changed value would give up
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
		return txn.Errorf(txn.KindAborted, "transaction %v was aborted, whose uncommitted write this one had read; retry the transaction", m.By).Because(txn.CauseCascade)
	}
	return txn.Errorf(txn.KindAborted, "an older transaction (%v) needed a row that this one had locked", m.By).Because(txn.CauseWound)
}
