// Package raftgroup is Raft over the storage engine: a log that its members agree on, and the state
// that a Machine computes from it. It knows no transactions: its commands are opaque values with a
// number and a size. Package shard is such a Machine.
//
// # How it works
//
// A Group is one member: a state machine that receives messages and ticks, and through its Env sends
// messages and registers calls for the time at which its writes are durable. It runs go.etcd.io/raft
// with asynchronous storage writes and adds:
//
//   - proposals: commands proposed between two calls of Process share an entry (proposals.go);
//   - the log on the engine (log.go, keys.go) and a cache of decoded entries (entry_cache.go);
//   - seeded election timers, and turns, so that two followers rarely campaign together (election.go);
//   - the leader's lease (lease.go), and leadership transfer by a leader that receives no answers
//     (asymmetric_partition.go);
//   - snapshots, fetched in chunks into a generation of the state of their own (snapshot.go);
//   - changes of members through joint configurations (membership.go, changes.go).
//
// A member in its life:
//
//	uninitialized --snapshot--> follower <--> leader: elected --entry of its term applied--> serving
//	      ^                        |
//	      +------- Retire ---------+  removed: a leader has reported that it is no member
//
// A leader serves when an entry of its own term is applied: then it has applied every entry that
// earlier leaders committed.
//
// # Invariants
//
//   - Entries are applied in the order of their indexes, each once in the life of a state on disk, and
//     every member applies the same.
//   - Commands are in the log in the order of their proposals. One may be lost with its leader, and
//     then all after it, but none that Applied has reported.
//   - Until LeaseUntil there is no other leader: LeaseUntil <= echoed stamp of a majority + 0.98
//     ElectionTimeout.
//   - meta.First <= index of a held snapshot <= applied.Index; entries[i] has index meta.First+1+i.
//
// # What the caller owes it
//
//  1. Calls one at a time; Env.Now never runs backwards.
//  2. After any call, call Process; regularly Tick, TickSnapshots, Reconcile and Trim.
//  3. Functions passed to Env.AfterSync are called once, in order, when all earlier batches are
//     durable, and never after a crash.
//  4. Machine.Apply computes the same from the same entries at every member: it depends only on
//     the state, the command and its position. A Machine may propose and send within the group's
//     calls; it must not call Step, Process or Tick.
//  5. Commands and entries that the group hands out are shared and must not be changed.
//
// DESIGN.md has the decisions behind it. Story: sim/testdata/18-a-deaf-leader-hands-over.txt.
package raftgroup
