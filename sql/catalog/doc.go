// Package catalog has the definitions of tables and other objects, the places of their rows, and their keys. It does not
// read or write rows of users' tables, except to rewrite or clear them.
//
// How it works. Every object is one row in the meta shard. A gateway holds a Snapshot of all of them, replaced as a
// whole. Each statement checks the nearest replica for a change. This check may be stale, without harm: the transaction
// that changes a table's schema also writes its version at every shard that holds the table, and each transaction checks
// the version there (SchemaCheck). A transaction planned with an old schema is refused and planned again.
//
//	statement --local read--> Snapshot current? --plan--> transaction --SchemaCheck at the shards--> commit, or replan
//
// A change of the schema is one transaction, a Change: all steps of its statement, and the rows that change with them.
// New key ranges are assigned to shards in the directory before it commits, in transactions of their own; a failure
// leaves unused ranges. Rows and ranges of dropped objects are cleared after it (leave.go). A change waits for open
// transactions that use its tables (users.go).
//
// A table's keys are: table, index (0: the rows themselves), partition, columns. The partition is a hash bucket, the
// number of a region in the table's own list, or 0.
//
// Invariants.
//
//   - A Snapshot and a Descriptor never change.
//   - Column, index and table ids are never reused. A TRUNCATE changes the table id.
//   - A committed transaction's schema version equals the version at each shard it used.
//
// What the caller owes it. Rows given to RowKey and Entry are whole rows of the table, converted to its types. Snapshots
// are safe to share.
package catalog
