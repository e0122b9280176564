// Package yield is the second move: who waits, who aborts, who goes first.
//
// How it thinks. A shard's leader keeps one Table of locks: points and spans,
// each held by a transaction that is either still executing (it may yet be
// refused) or has voted (it waits for a decision and cannot be refused here).
// Two-phase locking takes locks in execution; optimistic validation takes all
// of them in one step at prepare. Both are the same table, so a locking read
// under an optimistic row, and two rows side by side, need nothing more. What a
// requester does on meeting a holder is a Policy, a plain value that a protocol
// row chooses.
//
// Nothing waits in a cycle for long. Why, for the policies here:
//
//   - a request in execution waits for a voted holder, or for an older one that
//     still executes; a younger one is wounded;
//   - a request at prepare waits, if at all, for a voted and younger holder; it
//     wounds a younger one that still executes, and gives way to any older one.
//
// So a chain of waits climbs in age through executing transactions, and once it
// reaches one at its prepare it only descends in age through voted ones: it ends.
//
// High priority counts as age, or not at all, or has others make way beside what ages say, which adds
// no wait (priority.go).
//
// Without wounds (WaitDie, NoWait) every wait is of an older one for a younger, in execution and at
// prepare, or there is none.
//
// With Detect a request in execution waits for anybody, unless a walk over the
// waits of this shard leads back to it; deadlocks over several shards are chased, in two
// laps (chase.go). Rows for which many wait are hot: there one may wait in the queue, and
// go on from values that are not committed (chain.go). Chains are one more thing to
// wait for, in the order of updates and not of ages: so whoever has a place in one
// walks before it waits, and deadlocks over several shards are chased there too.
//
// A request is one question, Acquire, and its answer says all: granted, refused why, waiting behind
// whom, or to be asked again because others had to give way. What the table does to
// others on the way it tells the World, in order. Who ends takes along those who have gone on
// from its values, and whoever waited is asked again (ends.go, group.go).
//
// A Table is made of parts that know nothing of it: rows and holders are who has what, hot which rows
// are hot, waits who waits; locks and chains change these; the graph says who waits for whom, the
// rules what comes of a lock set. A Chaser looks over the graph for deadlocks over several shards.
//
// Declared transactions with a stamp ask in the order of their stamps: Instants stands before the
// Table and holds them back, and has those of high priority wait there (instants.go).
//
// Where rows have leases, who reads holds nothing in the Table, and commits at a timestamp that suits
// what it has read: Leases stand beside it (lease.go).
//
// What the caller owes it. It calls End or Drop exactly once for every transaction that may hold
// something, has a waiter know how it asks again before anything else happens, and calls
// Expire now and then. After a change of leader it starts from a new Table.
package yield
