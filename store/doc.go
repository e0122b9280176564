// Package store is the ground a replica stands on: an ordered map of bytes with
// atomic batches, and the layout of multi-version rows on it.
//
// How it thinks. An Engine applies a Batch at once for readers, and durably
// later: what was applied before a sync began survives a crash after that sync
// ended. Nothing in the core waits for a sync; whoever drives the core (server
// or sim) runs syncs and tells it when one has ended. Two engines stand behind
// the interface: Pebble on a real disk (in package server) and Mem here, which
// can crash on purpose and forget what was not synced.
//
// What the caller owes it. One goroutine at a time writes. Keys and values
// given to a batch are not changed afterwards; slices got from an iterator are
// valid until its next move. An engine that cannot do its work (a full disk, a
// corrupt file) panics with a *Failure: the node must stop, for it can promise
// nothing any more.
package store
