// Package lab is the laboratory: it measures a protocol, under a load, over a
// map, in virtual time.
//
// How it thinks. A Spec says everything about one experiment; two equal Specs
// give equal Results, to the last digit, on any machine. Run builds a world of
// package sim (one node a region, each shard led from one region and held by
// those nearest to it), waits until every leader is where it belongs, loads the
// rows, and lets clients work: closed (each waits for its own transaction) or
// open (they come at a rate, whether others are done or not). What clients and
// shards see goes into tallies, and these become the Result.
//
// Every value that a client writes begins with the number of its write, which is
// taken off again when it is read. So it is known who read from whom, and the
// first transactions of a run are checked for serializability, whatever the
// workload is. A workload that knows conditions of its rows has them checked when
// all clients are done (conditions.go). The rows carry eight bytes more for it, checked or not.
//
// Time costs what the Spec says: messages the CPU of who receives them, syncs
// the disk; and if it is asked for, statements the way to the server and its work on
// them (statements.go), locks the time of those who count them. The defaults and
// where they come from are in costs.go.
//
// What the caller owes it. A Spec that Validate accepts. Run uses one
// goroutine; RunAll uses as many as it is told.
package lab
