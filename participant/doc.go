// Package participant defines the contract between a node and the participants it hosts: a shard with a
// log, a shard whose replicas validate by themselves, or the agent of an external database. It has no
// implementation of its own.
//
// # How it works
//
// A participant is a state machine with a mailbox. The node delivers its messages and wakes it; the
// participant acts through its Env. A participant that must make blocking calls, such as to another
// database's driver, has its Env run them outside the loop and receives the result inside it
// (RunAsync), so that a run in virtual time remains a function of its seed.
//
// Capabilities that only some kinds have are separate interfaces (Processor, Scheduled, Member,
// TimestampTracker, ContentionReporter, LockReporter, MemoryReporter, Leased): a kind without members
// to change, without a clock or a lock table has no stubs for them. The node's directory contains
// the kind of a participant, a Factory opens it, and several kinds can be in one cluster.
//
// # Invariants
//
//   - Tick changes nothing before NextWake.
//   - A message is never changed after it was sent, by sender or receiver.
//
// # What the caller owes it
//
//  1. Every method is called from one loop, after the node's time has advanced.
//  2. *txn.Message is valid until Deliver returns; the values it points to stay valid and unchanged.
//  3. Work passed to RunAsync runs outside the loop, once; its result is delivered in the loop.
//  4. Retire ends a Member; it is not used afterwards.
//
// See package shard, replica and source for the implementations.
package participant
