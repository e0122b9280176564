// Package routing is the directory: which shard stores a key, where its replicas are, and the operator's
// settings for the cluster. It does not move data: the shards' groups do.
//
// # How it works
//
// The key space has three parts:
//
//	0x01 shard name    shard-local: the key contains its shard
//	0x02 name          system: stored in the meta shard (1)
//	0x10 table ...     table: looked up in Ranges, sorted by Start; a range extends to the next Start
//
// A range can be split later: no package above knows how many ranges a table has. The directory is a
// value: it is replaced as a whole, with a higher Epoch, and never changed in place. It describes the
// desired state; the leader of each shard changes its group towards it, one safe step at a time.
//
// # Invariants
//
//   - Epoch rises with every version; node ids and source ids are never reused.
//   - Every change is idempotent: written twice, the second changes nothing.
//   - At most one protocol switch is in progress (Protocol.Try).
//
// # What the caller owes it
//
//  1. A change is made in a transaction on DirectoryKey in the meta shard, from the value read there.
//  2. Clone before a change, and raise Epoch.
//  3. A Directory that was published is shared by goroutines and must not be changed.
//
// See docs/inside/glossary.md for directory, range and placement.
package routing
