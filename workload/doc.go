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
// A Mix is a benchmark, for runs that measure: NewMix makes it by name, Place
// says where its rows lie. It draws transactions, whose reads go in as few
// rounds as their logic allows, and leaves commits, retries and clocks to
// whoever drives it. Which rows are popular is a table of integers (zipf.go), so
// that one seed draws the same on every processor; each shard has its share of
// the popular ones (keys.go). A Mix that is Checked knows what must hold of its
// rows after a run; some must hear for that how each Job ended. The benchmarks of hot
// rows (sysbench.go, fit.go) send their statements one after another, as a client of
// a database does.
//
// What the caller owes it. A *rand.Rand of its own for each client. Env.Sleep
// returns when the time has passed. Record is called from the client's
// goroutine: a caller with several goroutines locks there.
package workload
