// Package node joins the parts of one process: its replicas, its coordinator,
// and the routing between them.
//
// How it thinks. A Node is a state machine like its parts. What its parts say
// to others goes out through Drain; what they say to each other goes round
// inside, in order, before Drain returns. The node learns the directory of
// shards from the meta shard's rows as they are applied, and opens the replicas
// that the directory places here.
//
// Its parts own their state and have no way back to the node: where everything is
// (places), the participants that are here (hosts) and how they are opened
// (opener), the way from one protocol to another (switching), timers (wakes), what
// is said (mail), what waits for the disk (syncs), and work outside the loop
// (outside).
//
// What its caller owes it. One call at a time, with a time that does not run
// backwards; Drain after each call or batch of calls; Synced after each sync
// that Drain asked for. After a panic the node is not used again: it has found
// that it can promise nothing more.
package node
