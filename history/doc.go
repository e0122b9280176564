// Package history records what clients observe of a database, and checks it for consistency. It runs no
// workload: packages workload and sim do.
//
// # How it works
//
// A Record is one try of a transaction: when the client began it and when it learned the outcome, its
// operations, and the results. A History is a list of records, stored as JSON lines so that it can be
// read again, reduced, and checked by another tool. There are three checkers.
//
// CheckLists is Elle's published method (Kingsbury and Alvaro, VLDB 2020). Clients only append unique
// elements to lists; the longest list read of a key gives the order of its versions, and every other read
// shows which version it saw. So the dependencies between transactions follow:
//
//	ww  it wrote what the other overwrote        G0       a cycle of ww
//	wr  it wrote what the other read             G1c      ww and wr
//	rw  it read what the other overwrote         G-single one rw; G2-item: several
//
// lost-update is the cycle of two transactions that write one key, of which the later had not seen the
// earlier. Real time adds edges from each transaction to those begun after its acknowledgement; a cycle
// that needs such an edge is named with -realtime and violates only strict serializability. Anomalies
// without cycles are reported too: aborted (G1a) and intermediate (G1b) reads, duplicate, lost and
// invented elements, contradictory orders.
//
// CheckRegisters does the same with values that are overwritten. A value does not show its
// predecessor, so the order of a key's versions is inferred from commit timestamps and from
// transactions that read one version and wrote the next; contradictions between the two are
// reported.
//
// CheckBank checks transfers between accounts: every read of all accounts has the same sum, a ledger
// written by the same transactions agrees with the balances, and no acknowledged transfer is missing.
//
// # Invariants
//
//   - A snapshot read has exactly the commits up to its timestamp (snapshot_reads.go).
//   - A verdict depends on the history alone; Load rejects files that are cut short.
//
// # What the caller owes it
//
//  1. An outcome that the client did not learn is Unknown, never Fail.
//  2. Elements of a list and written values are unique to the key, and no written value is 0; transfer
//     ids are unique to the history.
//  3. The final read is made when the cluster is quiet, and sets Final.
//
// See docs/laboratory/histories.md for the file format.
package history
