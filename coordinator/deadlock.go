package coordinator

import (
	"slices"

	"isochron/txn"
)

// onDeadlockProbe forwards a deadlock probe (yield/deadlock_detector.go) to where the transaction
// waits: the shards that have not answered its round, or not voted.
func (c *Coordinator) onDeadlockProbe(m *txn.DeadlockProbe) {
	t := c.txns[m.Txn]
	if t == nil || t.failed != nil || !m.WellFormed() {
		return
	}
	at := slices.DeleteFunc(c.awaited(t), func(s txn.ShardID) bool { return s == m.VisitedShard })
	sent, each := m.Share(len(at))
	for i := range sent {
		on := *m
		on.Shard, on.Budget, on.VisitedShard = at[(i+m.Round*sent)%len(at)], each, 0
		c.leaders.send(on.Shard, txn.Message{DeadlockProbe: &on})
	}
}

// awaited lists the shards whose reply the transaction awaits, rising.
func (c *Coordinator) awaited(t *transaction) (out []txn.ShardID) {
	switch {
	case t.commit != nil && !t.commit.Decided():
		return t.commit.Missing()
	case t.round != nil:
		out = c.reads.awaited(t.round)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
