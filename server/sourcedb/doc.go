// Package sourcedb is the driver of real databases for agents: PostgreSQL through pgconn, and
// MariaDB and MySQL through the Go MySQL driver, both behind source.Driver.
//
// How it thinks. A branch has a connection of a bounded pool for itself. What would cost a
// trip of its own rides with another: the begin with the first statement, the savepoint of a
// statement with it, XA END with the PREPARE or the COMMIT that follows; and a statement that is
// its whole transaction goes alone where that is serializable too (once.go). A statement that
// fails leaves the branch as it was before it, in both dialects (PostgreSQL by a savepoint),
// unless the database has rolled back the whole transaction: the error says so. A statement
// that is given up is ended at the server too, and takes its branch along. Answers are
// bounded while they are read. What is asked of two dialects stands in one file for each;
// what both need stands once (pool.go, answer.go, words.go, inflight.go, once.go).
//
// Values. Arguments go as strings, whose types the server infers, but numbers that are said to
// be numbers (txn.Statement.Kinds): MySQL computes with a string as with a DOUBLE, and does not
// look for it in an index of strings as for a number. Answers are as the server prints them in text: PostgreSQL
// a bytea as \x and hexadecimal digits (bytea_output is set to that) and a boolean as t and
// f, MariaDB and MySQL a BLOB as its bytes. Of MySQL's, ZEROFILL is not padded.
//
// Prepared branches. PostgreSQL lets go of the connection at once. MariaDB, and MySQL before
// 8.0.29, tie a prepared branch to the connection that prepared it until that ends; so such a
// connection stays aside, with its place in the pool, for Finish. A branch that a connection
// which has ended left behind is finished by any other: in MariaDB a second after that at the
// earliest (mysql_detach.go says why), so whoever finishes many does it side by side.
//
// Isolation. Transactions that lock what they read run at READ COMMITTED in a PostgreSQL, with
// guards for what was not there (postgres_locks.go).
//
// What MariaDB does to locks of rows that a branch has read and not changed (locks_test.go
// shows it for the server at hand, 10.11): PREPARE lets go of shared ones, unless the branch
// runs at SERIALIZABLE, and keeps exclusive ones (FOR UPDATE). The end of the connection ends
// a prepared branch that has changed nothing, and with it all of its locks. A restart of the
// server forgets them all, of each branch and at each level: only changed rows are held then.
// PostgreSQL keeps what FOR SHARE and FOR UPDATE have locked, over all three. So Facts say of
// MariaDB and MySQL that they forget reads, and when the server was started, by its own clock
// in seconds; a branch is begun on a connection of that start alone (source's fence.go). What the
// end of a connection does, mysql_frail.go deals with.
//
// What the caller owes it. An account that may list and finish what it has prepared (the same
// account each time; for MySQL 8 with XA_RECOVER_ADMIN), statements without transaction
// control but savepoints, and a Close at the end. Contexts with an end: nothing else bounds
// how long a statement waits.
package sourcedb
