package yield

// Forwarded reads (Natto section 3.4). Who waits for one alone reads what that one writes, and else what
// is committed now: so its read can be answered where that one's commit is first known. That
// holds as long as nobody goes between them: who comes late, with a smaller stamp than the one
// that waits, gives way.

// ForwardTo is whom one waits for whose coordinator may answer what it reads: the only one in its way,
// which has voted.
func (q *ArrivalQueue) ForwardTo(i *QueuedPrepare) (on QueuedPrepare, ok bool) {
	voters := q.conflictingVotes(i)
	if !i.High || i.Forwarded || len(voters) != 1 || q.InTheWay(&i.LockSet, i) != nil {
		return on, false
	}
	on, ok = q.voted[voters[0]]
	return on, ok
}

// Between is one that waits, whose read was forwarded, and that another would go before; nil if there is
// none. i is nil for one that has no stamp.
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
