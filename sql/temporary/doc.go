// Package temporary has the temporary tables of a session: their definitions and their rows, in the memory of the gateway.
//
// How it works. A temporary table has a descriptor as any table has, with an id that no stored table gets. Overlay puts it into the
// catalogue that the session's statements see, in the place of a table of its name; Over serves the keys of temporary tables from memory
// and leaves the others to the transaction:
//
//	statement --> Txn --keys of temporary tables--> Tables
//	                  --other keys--> transaction
//
// Writes are noted, so that a savepoint or the transaction can be rolled back. Nothing is replicated, and nothing of another session is
// seen. The bytes of all rows of a session are bounded; a write beyond fails its statement.
//
// What the caller owes it. One transaction at a time, which is ended by Commit or Rollback.
package temporary
