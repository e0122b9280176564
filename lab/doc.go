// Package lab measures a protocol under a load, over a map, in virtual time. It does not look for
// errors: package sim injects faults and checks histories; figures of papers are in lab/figure.
//
// # How it works
//
// An Experiment specifies everything about one measurement. Run creates a cluster of package sim,
// with one node a region, and each shard led from one region and held by the nearest ones:
//
//	bringUp   wait until every leader is in its region
//	load      write the rows of the workload
//	warm-up   clients work, unmeasured
//	measured  clients work, and transactions and spans are counted in tallies
//	drain     open transactions end
//	check     the recorded history is checked, and the conditions of the workload
//
// Clients form a closed loop (each waits for its own transaction) or an open one (transactions
// arrive at a rate, whether others have ended or not).
//
// Every value that a client writes begins with the number of its write, which is removed when the
// value is read. So the writer of every value read is known, and the first transactions of a run
// are checked for serializability, whatever the workload. The rows are eight bytes longer for it,
// checked or not.
//
// Costs are those of the Experiment: CPU time of messages at their receivers, syncs of the disk;
// and on request the way of statements to the server and its work on them (statements.go), and the
// work of lock tables. The defaults and their origin are in costs.go.
//
// # Invariants
//
//   - Equal Experiments give equal Results, to the last digit, on any machine, except Result.WallS.
//   - Recording and checking a history does not change the run.
//   - A Result counts a transaction once, in the window in which it ends (or begins: CountBegun).
//
// # What the caller owes it
//
//  1. An Experiment that Validate accepts; Defaults returns one. Run validates too.
//  2. A context to cancel. Run uses one goroutine; RunAll uses as many as requested.
//  3. A progress function that returns soon. Results are values and may be shared.
//
// See DESIGN.md for the decisions, docs/laboratory for the guide and the papers' claims.
package lab
