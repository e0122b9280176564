package yield

import "isochron/txn"

// Incremental locking: in execution a request for several rows that must wait holds the free ones
// meanwhile, as in two-phase locking with one lock request a row. Without it a request for several
// rows in one round holds all of them here or none: others wait for it less, and no transaction of
// a single round holds a row and waits for another at one shard.
//
// It needs rules that order all waits, as ages do: no cycle is detected here.

// free lists the rows and spans of a request that it could lock now.
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
	for _, s := range q.Spans {
		if r.couldLock(q, LockSet{Spans: []txn.Span{s}}) {
			c.Spans = append(c.Spans, s)
		}
	}
	return c
}

// couldLock reports whether nothing conflicts with one row or span of a request.
func (r *rules) couldLock(q *LockRequest, one LockSet) bool {
	one.HoldsNothing, one.CommittedOnly = q.HoldsNothing, q.CommittedOnly
	return len(r.conflicts(q.Phase, q.Txn, q.Age, &one)) == 0
}
