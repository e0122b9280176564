// Package node joins the parts of one process: its replicas, its coordinator, and the routing between
// them. It has no goroutines and no network: package server and package sim drive it.
//
// # How it works
//
// A Node is a state machine like its parts. Messages of its parts to other nodes leave through Drain;
// messages between its parts are delivered inside, in order, before Drain returns. The node learns
// the directory of shards from the meta shard's rows as they are applied, and opens the replicas that
// the directory places here.
//
//	driver:  Deliver, Submit, Synced, Finished, Wake  ->  Node  ->  Drain: Messages, SyncToken, Tasks, WakeAt
//	                                                       |
//	         coordinator (gateway)   hostedParticipants (shards, replicas, agents)   directoryView
//
// The parts own their state and have no reference to the node: where shards are (directoryView), the
// participants here (hostedParticipants) and how they are opened (opener), protocol switches
// (switching), timers (timerSchedule), messages (outbox), calls that wait for the disk (syncs), and
// work outside the loop (asyncTasks).
//
// # Invariants
//
//   - Messages between parts of the node are delivered in the order in which they were sent.
//   - A call passed to AfterSync runs once, in order, and only after its sync.
//   - No transaction begins before the node's incarnation is durable.
//   - Iteration over participants is in the order of shard ids, so that a run is reproducible.
//
// # What the caller owes it
//
//  1. One call at a time, with a time that does not run backwards.
//  2. Drain after each call or batch of calls; Output.Messages is valid until the next Drain.
//  3. Synced after each sync that Drain requested, Finished after each task, Wake at Output.WakeAt.
//  4. After a panic the node must not be used again: it cannot guarantee anything more.
//
// ARCHITECTURE.md shows a node among the other packages.
package node
