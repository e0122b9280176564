// Package sourcedb has the agents' drivers of real databases: PostgreSQL through pgconn, MariaDB and MySQL through
// the Go MySQL driver, both as source.Driver. It is not for the protocol of branches; that is package source.
//
// How it works. A branch has a connection of a bounded pool. Statements that would cost a trip of their own are sent
// with another: the begin with the first statement, a savepoint with its statement, XA END with the PREPARE or COMMIT.
// A statement that is its whole transaction is sent alone where that is serializable too (once.go). A failed
// statement leaves the branch as it was before, in both dialects (PostgreSQL by a savepoint), unless the database has
// rolled back the transaction: then the error has Ends. A cancelled statement is cancelled at the server too, and ends
// its branch. Results are bounded while they are read.
//
// Values. Arguments are sent as strings whose types the server infers, except numbers declared as such
// (txn.Statement.Kinds): MySQL computes with a string as with a DOUBLE, and does not find it in an index of strings as
// it would a number. Results are in the server's text form: a PostgreSQL bytea as \x and hexadecimal digits, a boolean
// as t or f, a BLOB of MariaDB and MySQL as its bytes. MySQL's ZEROFILL is not padded.
//
// Prepared branches. PostgreSQL releases the connection immediately. MariaDB, and MySQL before 8.0.29, tie a prepared
// branch to its connection until that ends; the connection is parked with its place in the pool for Finish. A branch
// left by an ended connection can be finished by any other, in MariaDB at the earliest a second later
// (mysql_detach.go); so finish many in parallel.
//
// Isolation. Transactions that lock their reads run at READ COMMITTED in a PostgreSQL, with guards for missing rows
// (postgres_locks.go).
//
// MariaDB's locks of rows that a branch has read and not changed (shown by locks_test.go for 10.11):
//
//	event                   shared locks                     exclusive locks (FOR UPDATE)
//	PREPARE                 released, except at SERIALIZABLE kept
//	end of the connection   branch without changes is rolled back, all locks released (mysql_frail.go)
//	restart of the server   released                         released; only changed rows stay locked
//
// PostgreSQL keeps the locks of FOR SHARE and FOR UPDATE over all three. So the Facts of MariaDB and MySQL have
// ForgetsReads, and the server's start by its clock, in seconds, as Incarnation; a branch begins only on a connection
// of that start (restart_barrier.go of package source).
//
// Invariants.
//
//   - places in use + free = size; a parked connection keeps its place.
//   - A client's text is never joined with ours unless it has no semicolon (mysql_text.go).
//   - No statement is sent on a connection whose session settings are not confirmed (pins.go).
//   - Errors and warnings contain no secret of an address.
//
// What the caller owes it.
//
//  1. An account that may list and finish its prepared transactions, the same one each time (in MySQL 8 with
//     XA_RECOVER_ADMIN).
//  2. Statements without transaction control except savepoints.
//  3. Contexts that end: nothing else bounds a statement's wait.
//  4. Close at the end.
package sourcedb
