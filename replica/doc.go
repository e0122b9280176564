// Package replica is a participant without a log: every replica of a shard
// validates a transaction for itself and tells the coordinator (Carousel, TAPIR,
// STARRY).
//
// How it thinks. A Replica is a state machine like a shard's. For each attempt it
// keeps an entry: its own opinion, or, once a majority has been made to take
// something in, what that is. What the coordinator decided replaces the entry by
// an ending, which is kept until the coordinator says that every replica has it.
// No order is kept between attempts: rows are put in order by the timestamps that
// coordinators propose, and attempts that do not fit beside each other are not
// both taken by any replica.
//
// Opinions and acceptances count within one view, whose number names its leader.
// A view changes when somebody asks after an attempt that nobody can tell the end
// of: every replica tells the next leader all that it remembers and takes no part
// any more; from a majority's records the leader settles every open attempt
// (merge.go), and begins the view with that.
//
// A Replica composes parts that own their state: what is written (record), the rows
// (committed), who holds what (holds), opinions (validator), reads that wait (readers),
// the slow path within one view (slowPath), the way into the next (viewChange, merger),
// and what was missed (comparing). They share no more than the member that they are of.
//
// What stays outside: the members are fixed; nothing is transferred but endings
// that are still remembered; reads take no locks and know no moments.
//
// What its caller owes it is what a shard's caller owes that.
package replica
