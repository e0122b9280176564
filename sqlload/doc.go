// Package sqlload puts load on a MySQL server and checks the result. It uses plain SQL over
// database/sql, so that Isochron and any other MySQL server can be compared; package workload has
// the clients that use txn.DB directly.
//
// # How it works
//
// A Workload has its tables (Prepare), the next transaction of a client (a Txn: a name and a body),
// and the conditions afterwards (Check). The runner has closed-loop clients over the given
// addresses. Each takes a Txn and runs its body in a transaction until it has a final outcome:
//
//	answer of the server              outcome      next
//	COMMIT acknowledged               done         another Txn
//	1213, 1205                        not done     the same Txn in a new transaction
//	connection lost before COMMIT     not done     the same Txn at the next address
//	connection lost in COMMIT, 1180   unknown      another Txn; never retried
//	an unexpected error               broken       the run ends
//
// An unexpected answer ends the run, because load that continues after it hides the error. Only a
// table's COMMENT may be Isochron's own. Sizes are kept in the table load_settings, written last,
// so that a run needs no flag repeated and a half-loaded database is detected.
//
// # Invariants
//
//   - Every try has its own id or is counted, so Check finds writes of aborted tries.
//   - A transaction with an unknown outcome is never retried.
//
// # What the caller owes it
//
//  1. A database that may be filled, and Prepare before Run.
//  2. One driver at a time for one workload in one database.
//  3. A quiet database when Check is called.
//
// See the pages of docs/laboratory for the commands.
package sqlload
