package yield

import "isochron/txn"

// Row by row: in execution a request of several rows that has to wait holds those of them that are
// free meanwhile, as two-phase locking has it where each row's lock is asked for by itself. Without
// it who asks for several rows in one round holds either all of them here or none, so that others
// wait for it less, and nobody of a single round both holds a row and waits for another at one
// shard.
//
// It goes with rules by which waits are in one order, as ages are: nobody looks for cycles here.

// free are those rows of a request that it could lock now.
func (r *rules) free(q *LockRequest) (c LockSet) {
	for _, k := range q.Shared {
		if r.couldLock(q, LockSet{Shared: []txn.Key{k}}) {
			c.Shared = append(c.Shared, k)
		}
	}
	for _, k := range q.Exclusive {
		if r.couldLock(q, LockSet{Exclusive: []txn.Key{k}}) {
			c.Exclusive = append(c.Exclusive, k)
		}
	}
	return c
}

// couldLock reports whether nobody is in the way of one row of a request.
func (r *rules) couldLock(q *LockRequest, one LockSet) bool {
	one.HoldsNothing, one.CommittedOnly = q.HoldsNothing, q.CommittedOnly
	return len(r.conflicts(q.Phase, q.Txn, q.Age, &one)) == 0
}
