// Package table reads and writes tables: rows and indexes under keys of a transaction. It does not plan
// statements.
//
// How it works. Every lookup becomes an Access: the keys and spans of keys with the answer, over all partitions. Fetching
// an Access is one round of the transaction, or two through a secondary index without all needed columns: first all
// entries, then all rows. A write costs no round. What must be known before it (does the key exist?) is read; a caller
// that knows all rows of a statement in advance reads it for all of them in one round with Writer.Claim, after which the
// single reads are free.
//
// Invariant: a lock requested for a table is taken on rows, so a locking read never ends at an index entry, but for the question
// whether a row has children (Exists).
//
// What the caller owes it. A Descriptor comes from a catalogue Snapshot and is used only within its statement.
package table
