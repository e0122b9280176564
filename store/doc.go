// Package store is the storage interface of a replica: an ordered map of bytes with atomic batches,
// and the layout of multi-version rows on it. Pebble implements it in package server; here is Mem,
// which can crash on purpose and lose unsynced writes.
//
// # How it works
//
// An Engine applies a Batch immediately for readers, and makes it durable later: writes applied
// before a sync began survive a crash after that sync has ended. Nothing in the core waits for a
// sync; the driver of the core (server or sim) runs syncs and reports their ends.
//
//	Apply(b1)  Apply(b2)  sync begins  Apply(b3)  sync ends  crash
//	durable for certain: b1, b2        possible after the crash: {b1, b2} or {b1, b2, b3}
//
// A version of a row is one key: prefix, escaped row key, inverted timestamp. So the versions of a row
// are adjacent, the newest first (mvcc.go). RowCache keeps newest versions in memory (rowcache.go).
//
// # Invariants
//
//   - A crash keeps a prefix of the applied batches.
//   - A deleted row reads as one that was never written: collecting deletions changes no read.
//   - A cached row equals the engine's newest version.
//
// # What the caller owes it
//
//  1. One goroutine at a time writes.
//  2. Keys and values in a batch are not changed afterwards.
//  3. Slices from an iterator are valid until its next move; iterators and snapshots are closed.
//  4. An engine that cannot continue (a full disk, a corrupt file) panics with a *Failure: the node
//     must stop, because it can guarantee nothing more.
package store
