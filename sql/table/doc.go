// Package table gives the engine its tables: rows and indexes kept under keys of
// a transaction.
//
// How it thinks. A lookup, whatever it asks, becomes an Access: the keys and the
// spans of keys that hold the answer, over all partitions. Fetching an Access is
// one round of the transaction, or two if it goes through a secondary index that
// does not hold every column wanted: first all entries, then all rows. A write
// costs no round of its own; what must be known before it (does the key exist?)
// is read, and a caller that knows all rows of a statement in advance reads it
// for all of them at once with Prefetch, after which asking again is free.
//
// What the caller owes it. Every session is a Session of this package. Tables
// come from a catalogue snapshot and are used within the statement that asked
// for them. Locks asked for a table are honoured on rows, so a locking read never
// stops at an index entry.
package table
