// Package participant is for whoever votes on transactions: the contract between a node
// and the participants that it hosts, of whatever kind they are: a shard with a log, a
// shard whose replicas validate for themselves, or a database that is not ours.
//
// How it thinks. A participant is a state machine with a mailbox. The node hands it the
// messages that are for it and wakes it; what it wants done it says through its Env. A
// participant that must call something that blocks, such as another database's driver,
// has its Env run that outside the loop and gets the result back inside it (Outside), so
// that a run in virtual time stays a run of one seed.
//
// What only some kinds have is asked for by interfaces of their own (Working, Member,
// Clocked, Surveyed, Locking, Holding, Leased): a kind that has no members to change, no
// clock or no lock table has no stubs for them. A node's directory says of which kind a
// participant is, an Opener opens it, and kinds stand side by side in one cluster.
//
// What the caller owes it. Every method is called from one loop, after the node's time
// has moved on; what Outside runs is called beside it, once.
package participant
