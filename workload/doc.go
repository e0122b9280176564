// Package workload has the clients that tests, simulations and the laboratory run, as blocking
// code. It uses databases through txn.DB only: package sqlload has the clients of an SQL server. It
// records histories, which package history checks.
//
// # How it works
//
// A Client is one process at one gateway. It uses transactions through txn.DB and time through Env,
// so that the same code runs on the real clock and, as a coroutine, in virtual time. A transaction
// is a body that may run several times: a retry is a new transaction with the age of the first.
// Every try is recorded, with exactly the results and the outcome that the client received.
//
//	checked workloads   Bank moves money between accounts and writes a ledger; ListAppend appends unique
//	                    numbers to a few hot lists; Registers overwrites a few hot values. Their rows are
//	                    in all shards. They read by key and by range, insert into ranges that others have
//	                    counted, and sometimes lock, use savepoints, or roll back.
//	benchmarks          A Mix draws transactions for runs that measure. NewMix makes it by name, Place
//	                    puts its rows into the directory. Its driver begins, commits, retries and times.
//
// Rows are drawn by a table of integer weights (zipf.go), so that a seed draws the same rows on
// every processor; popular rows are spread evenly over the shards (keys.go). A Mix that implements
// Checked verifies invariants of its rows after a run; some of these need the outcome of each Job
// (Job.Ended). The benchmarks of hot rows (sysbench.go, fit.go) send their statements one after
// another, as a client of a database does.
//
// # Invariants
//
//   - Every value written by a checked workload is unique, so a read identifies its write.
//   - An outcome is recorded as committed only if the client received it.
//   - Body and FixedSet of a Job have the same reads and writes, and each try makes the same
//     choices.
//   - Equal seeds draw equal transactions.
//
// # What the caller owes it
//
//  1. A directory with the tables: Spread or SpreadOver, and Place.
//  2. Setup before the first Step.
//  3. A *rand.Rand of its own for each client.
//  4. An Env whose Sleep returns when the time has passed.
//  5. Record is called from the client's goroutine: a caller with several goroutines locks
//     there.
//
// See package history for the checkers, and package sqlload for clients of SQL.
package workload
