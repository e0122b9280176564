// Package raftgroup is Raft over the engine: a log that its members agree on, and the
// state that a machine makes of it. It knows no transactions: what it moves are
// commands, of which it knows how many there are and how long they are.
//
// How it thinks. A Group is one member: a state machine that takes messages and
// ticks, and through its Env sends messages and asks to be called once what it has
// written is durable. Around go.etcd.io/raft in its asynchronous form it has:
//
//   - the log on the engine (log.go, keys.go), the commands on their way into it
//     (proposals.go) and what the latest entries say (memo.go);
//   - the loop, which does what raft wants done (loop.go);
//   - elections (election.go), the lease of a leader, and what only a leader knows
//     (lease.go), and a leader that hears nobody (deaf.go);
//   - snapshots, fetched in pieces into a generation of their own (snapshot.go, offer.go);
//   - members, which change by entries of the log (membership.go, changes.go).
//
// What is made of the commands is the Machine's: the group has it apply them, one
// batch for all that is committed together, has it read and install the content of a
// snapshot, and tells it when it leads, serves and is deposed (machine.go).
//
// What its caller owes it. Calls come one at a time, with Env.Now not running
// backwards; after any call the caller runs Process, and now and then Tick,
// TickSnapshots, Steer and Trim. What Env.AfterSync was given is called once, in order,
// when all earlier batches are durable, and never after a crash. Machine.Apply makes the
// same of the same entries at every member: it depends on nothing but the state, the
// command and its place.
//
// What it promises. Entries are applied in the order of their indexes, each once in the
// life of a state on disk, and every member applies the same. Commands stand in the log
// in the order in which they were proposed; one may be lost with its leader, and so all
// after it, but none that Applied has named. Until LeaseUntil nobody else leads.
package raftgroup
