// Package sqlload puts load on a MySQL server, and judges what the server did with it.
//
// How it thinks. A Workload says what its tables are (Prepare), what a client
// does next (a Txn: a name and a body), and what must hold afterwards (Check).
// The runner has closed-loop clients over the addresses it was given: each takes
// a Txn, runs its body in a transaction, and runs it again in a new one when the
// server says that it lost (1213, 1205). What a client is told of a commit has
// three values: done, not done, unknown. A lost connection in COMMIT is unknown,
// and so is error 1180; anywhere else a lost connection is "not done", and the
// client goes on at the next address. What the server was never expected to say
// ends the run, for load that goes on after a wrong answer hides it.
//
// It speaks plain SQL over database/sql, so that Isochron and any other MySQL
// server can be held beside each other; only a table's COMMENT may be Isochron's
// own. Sizes are kept in the table load_settings, written last, so that a run
// needs no flag repeated and a half-loaded database is noticed.
//
// What the caller owes it. A database that may be filled; one driver at a time
// for one workload in one database; a quiet database when Check is called.
package sqlload
