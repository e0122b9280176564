// Package server runs the core in real time: processes, real disks, clocks and waits. It is not for
// concurrency control or commit; those are the core's (package node and below).
//
// How it works. The core takes inputs and returns outputs; it never waits and owns no goroutine. Here each
// node has one goroutine, its loop, the only one that calls the node (runner.go). All others reach the loop
// through a bounded mailbox:
//
//	transport --envelopes--> mailbox --batch--> loop: node.Deliver, Submit, Wake
//	clients   --requests-->                       |
//	syncer    --synced----------------------------+--> Drain: messages, sync, tasks, wake time
//
// The loop handles many inputs before it drains the node, so that a burst of commits costs one fsync.
//
// Storage is Pebble behind store.Engine (engine.go). A batch is visible immediately and durable
// after the next sync. All writes go through a disk.Disk, which a power cut leaves either complete
// or absent; tests use a disk that loses unsynced data.
//
// A wide-area network on one machine is a set of delay lines, one for each ordered pair of nodes (wan.go): a
// message waits half the round trip of its pair and passes the real codec. A line ends in the mailbox of a node
// of this process, or in a connection to another process (package peer, with certificates on both sides).
//
// A Cluster is several regions in one process over one data directory (cluster.go). A Process is one node of a
// cluster of processes (process.go); it adds a map's delays only if configured to. Both refuse a directory that
// belongs to another cluster or node (clusterfile.go, identity.go).
//
// Invariants.
//
//   - Only the loop calls the node.
//   - At most one sync is under way; synced <= wanted, and a sync covers all tokens requested before it began.
//   - A mailbox has at most mailboxMessagesMax messages and mailboxRequestsMax requests; a message beyond the
//     bound is dropped, a request refused.
//   - Messages of one pair are delivered in the order they were sent.
//
// What the caller owes it.
//
//  1. Give a data directory to one process at a time. PrepareMember creates a Process's.
//  2. Watch Failed: a node whose disk failed or whose invariant is violated stops permanently, and
//     the process should end with exit code 1.
//  3. Call the methods of Cluster and Process from any goroutine; callbacks (OnDrain, OnRoot, OnRemoved, OnUse)
//     must not block.
//  4. To stop a Process without delay for others: HandOver, let the clients go, Settle, Close.
//  5. Close what Start or StartProcess returned, after the clients have gone.
//
// DESIGN.md has the reasons.
package server
