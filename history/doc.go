// Package history keeps what clients saw of a database, and judges it.
//
// How it thinks. A Record is one attempt at a transaction: when the client
// began it and when it learnt the outcome, what it did, and what it was told.
// A History is a list of them, kept as JSON lines so that one can be read
// again, cut down, and judged by another tool. Two checkers judge.
//
// CheckLists is Elle's published method (Kingsbury and Alvaro, VLDB 2020): when
// clients only append unique elements to lists, the longest list read of a key
// tells the order of its versions, every other read says which version it saw,
// and so the dependencies between transactions follow: ww (overwrote), wr
// (read from), rw (read what another then overwrote). A cycle of dependencies
// is an anomaly with a name (Adya's): G0, G1c, G-single, G2. Real time adds
// edges from each transaction to those begun after it was acknowledged; a cycle
// that needs such an edge breaks strict serializability only. What can be seen
// without cycles is reported too: aborted and intermediate reads, duplicate,
// lost and invented elements, orders that contradict each other.
//
// CheckBank judges transfers between accounts: every reading of all accounts
// has the same sum, a ledger written by the same transactions agrees with the
// balances, and no acknowledged transfer is missing from it.
//
// What the caller owes it. An outcome the client did not learn is Unknown,
// never Fail. Elements of a list are unique to the key, transfer ids unique to
// the history. The final read comes when the cluster is quiet and says Final.
package history
