package yield

// Forwarded reads (Natto section 3.4). A prepare blocked by exactly one transaction reads what that
// one writes, and of other rows the committed values of now. So its read can be answered by that
// transaction's coordinator, where the commit is known first. That holds as long as no other
// transaction enters between them: a late one with a smaller arrival time than the waiting prepare
// is refused.

// ForwardTo is the transaction whose coordinator may answer a prepare's read: the only one that
// conflicts with it, if it has voted.
func (q *ArrivalQueue) ForwardTo(i *QueuedPrepare) (on QueuedPrepare, ok bool) {
	voters := q.conflictingVotes(i)
	if !i.High || i.Forwarded || len(voters) != 1 || q.InTheWay(&i.LockSet, i) != nil {
		return on, false
	}
	on, ok = q.voted[voters[0]]
	return on, ok
}

// Between is a waiting prepare whose read was forwarded and which i would precede; nil if there is
// none. i is nil for a vote without an arrival time.
func (q *ArrivalQueue) Between(c *LockSet, i *QueuedPrepare) *QueuedPrepare {
	if i == nil {
		return nil
	}
	for _, w := range q.waits.list[placeAfter(q.waits.list, i):] {
		if w.Forwarded && w.Txn != i.Txn && w.LockSet.Clashes(c) {
			return w
		}
	}
	return nil
}
