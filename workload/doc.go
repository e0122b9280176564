// Package workload is what clients do to a database in tests, simulations and
// the laboratory, written as plain blocking code.
//
// How it thinks. A Client is one process at one gateway. It knows transactions
// through txn.DB and time through Env, so that the same code runs on the real
// clock and, as a coroutine, on the simulated one. A transaction is a body that
// may be run several times: a retry is a new transaction with the age of the
// first. Every attempt is recorded, with what the client was told and nothing
// more, for package history to judge.
//
// Bank moves money between accounts and writes a ledger; ListAppend appends
// unique numbers to a few hot lists. Both spread their rows over all shards,
// read by key and by range, insert into ranges that others have counted, and
// now and then lock, use savepoints, or give up.
//
// What the caller owes it. A *rand.Rand of its own for each client. Env.Sleep
// returns when the time has passed. Record is called from the client's
// goroutine: a caller with several goroutines locks there.
package workload
