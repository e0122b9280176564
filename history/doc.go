// Package history keeps what clients saw of a database, and judges it.
//
// How it thinks. A Record is one attempt at a transaction: when the client
// began it and when it learnt the outcome, what it did, and what it was told.
// A History is a list of them, kept as JSON lines so that one can be read
// again, cut down, and judged by another tool. Three checkers judge.
//
// CheckLists is Elle's published method (Kingsbury and Alvaro, VLDB 2020): when
// clients only append unique elements to lists, the longest list read of a key
// tells the order of its versions, every other read says which version it saw,
// and so the dependencies between transactions follow: ww (overwrote), wr
// (read from), rw (read what another then overwrote). A cycle of dependencies
// is an anomaly with a name (Adya's): G0 (ww alone), G1c (and wr), G-single (one
// rw), G2-item (several). Of these, lost-update is the cycle of two who write one
// key, of whom the later had not seen the earlier. Real time adds edges from each
// transaction to those begun after it was acknowledged; a cycle that needs such an
// edge is named with -realtime and breaks strict serializability only. What can be
// seen without cycles is reported too: aborted (G1a) and intermediate (G1b) reads,
// duplicate, lost and invented elements, orders that contradict each other.
//
// CheckRegisters does the same with plain values that are overwritten. A value
// does not tell what stood there before, so the order of a key's versions comes
// from the timestamps of their commits and from transactions that read one version
// and wrote the next; where these two disagree, that is reported too.
//
// CheckBank judges transfers between accounts: every reading of all accounts
// has the same sum, a ledger written by the same transactions agrees with the
// balances, and no acknowledged transfer is missing from it.
//
// A reading of one moment has all that was committed up to it, and nothing later,
// by the timestamps that the database told (moments.go).
//
// What the caller owes it. An outcome the client did not learn is Unknown,
// never Fail. Elements of a list and values written are unique to the key, and no
// value written is 0; transfer ids are unique to the history. The final read comes
// when the cluster is quiet and says Final.
package history
