// Package catalog knows what tables there are, what they look like, where their
// rows live and under which keys.
//
// How it thinks. Every object is one row in the meta shard. A gateway holds a
// Snapshot of all of them, replaced whole; a glance at the nearest replica at
// each statement tells whether anything changed. That glance may be stale, and
// it does not matter: the version of a table's schema is also written, by the
// same transaction that changes it, at every shard that holds the table, and
// each transaction is guarded on it there. Who planned with an old schema is
// refused and plans again.
//
// A change of schema is one transaction, a Change: all steps of its statement, and the rows that go
// with them. New key ranges are given to shards in the directory before it commits, in transactions
// of their own; a failure leaves ranges that nothing uses. What a change has ended is cleared away
// after it (leave.go). A change waits for open transactions that use its tables (users.go).
//
// The keys of a table are: table, index (0 is the rows themselves), partition,
// columns. The partition is a hash bucket, the number of a region in the
// table's own list, or 0.
//
// What the caller owes it. A Descriptor is not changed. Rows handed to RowKey
// and Entry are whole rows of the table, converted to its types. Column and
// index ids are never used twice, nor table ids. A table id changes when the
// table is truncated.
package catalog
