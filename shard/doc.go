// Package shard is a replicated participant: the moves, joined on top of one Raft group
// that holds a part of the rows.
//
// How it thinks. A Replica is a state machine. It takes messages and ticks, and
// through its Env it sends messages, applies batches to the engine, and asks to
// be called once these are durable. It is the machine of a group (machine.go), whose
// log it gives its meaning:
//
//   - the state (command.go, state.go, dependents.go): what the log says, the same
//     on every replica: rows, undecided votes and what they depend on, outcomes;
//   - its seat in the group: who leads, and for how long (seat.go);
//   - the leader (leader.go): what only a leader knows and loses with its leadership:
//     locks, revealed rows, votes on their way. Its parts are types of their own, each
//     with what it needs of the others and no more: who answers reads of now (reader.go)
//     and of a moment (moments.go), who votes (prepare.go, in batches: batch.go), who
//     brings attempts to their end (finish.go), and what is said of all that (voice.go);
//     what it knows of attempts before its log does (attempts.go), its lock table
//     (locks.go), the newest rows (newest.go), what is written since a moment (since.go)
//     and what depends on what is revealed (early.go); leases of rows (leases.go); its
//     certainty that it leads (confirmation.go), its chases of deadlocks (deadlock.go),
//     its way from one protocol to the next (switch.go).
//
// Where the row says so, every replica tells of the votes on its disk past the
// leader (bypass.go).
//
// The rule between them: the leader decides by its volatile knowledge what goes
// into the log, and promises anything to others only once the log has it.
//
// What its caller owes it. Calls come one at a time, with Env.Now not running
// backwards. After any call the caller runs Process. What Env.AfterSync was given
// is called once, in order, when all earlier batches are durable, and never after
// a crash. A replica that nobody will ever restart can be marked so (ephemeral.go).
package shard
