package coordinator

import (
	"slices"

	"isochron/txn"
)

// What a transaction has written of a hot row goes to its leader before the
// commit, so that the next can go on from there (yield/group.go). It goes as the
// attempt that the commit will be, which is reserved for it.

// reserve is the attempt that the transaction's commit is, or will be.
func (c *Coordinator) reserve(t *transaction) txn.Attempt {
	if t.reserved == 0 {
		t.reserved = c.nextSeq
		c.nextSeq++
		c.active = append(c.active, t.reserved)
	}
	return txn.Attempt{Node: c.cfg.Self, Epoch: c.cfg.Epoch, Seq: t.reserved}
}

// giveBack ends a reserved attempt that was never begun.
func (c *Coordinator) giveBack(t *transaction) {
	if t.reserved != 0 {
		c.retire(t.reserved)
		t.reserved = 0
	}
}

// changeMind gives up the reserved attempt if something is not to be written as it
// was passed on: whoever has read that must not take the new value for it, and an
// attempt is what names a value.
func (c *Coordinator) changeMind(t *transaction, writes []txn.Write) {
	if c.cfg.Params.Bugs.KeepVersion {
		return
	}
	for _, was := range t.told {
		if !slices.ContainsFunc(writes, was.Same) {
			c.giveBack(t)
			t.told = nil
			return
		}
	}
}

// retire says that an own attempt is finished everywhere.
func (c *Coordinator) retire(seq uint64) {
	i, ok := slices.BinarySearch(c.active, seq)
	switch {
	case ok && i == 0: // as most do: they end in the order they began
		c.active = c.active[1:]
	case ok:
		c.active = slices.Delete(c.active, i, i+1)
	}
}

// publish tells the leaders that granted locks what was written of their rows.
func (c *Coordinator) publish(t *transaction, writes []txn.Write) {
	c.changeMind(t, writes)
	t.told = writes
	at := map[txn.ShardID]*txn.Publish{}
	for _, w := range writes {
		id, ok := c.env.Directory().ShardOf(string(w.Key))
		s := txn.ShardID(id)
		tc := t.touch(s)
		if !ok || tc == nil || tc.lockTerm == 0 {
			continue
		}
		if at[s] == nil {
			at[s] = &txn.Publish{Shard: s, Term: tc.lockTerm, Txn: t.id, Attempt: c.reserve(t)}
		}
		at[s].Writes = append(at[s].Writes, w)
	}
	for _, s := range sortedShards(at) {
		c.toLeader(s, txn.Message{Publish: at[s]})
	}
}

// locked reports whether the transaction may hold locks anywhere.
func (t *transaction) locked() bool {
	return slices.ContainsFunc(t.touched, func(tc touch) bool { return tc.locked })
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
