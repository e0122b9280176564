// Package server drives the core in real time: one process, real disks, real
// clocks, real waiting.
//
// How it thinks. The core (package node and what stands below it) takes inputs
// and says what it wants done; it never waits and owns no goroutine. Here each
// node gets one goroutine, its loop, which is the only one that ever calls it
// (runner.go). Everything else talks to the loop through a bounded mailbox:
// the transport with messages, the disk with "synced", clients with requests.
// The loop takes many inputs at once and then asks the node once what is to be
// done, so that a burst of commits costs one fsync and not one each.
//
// Whatever is written is written through a disk.Disk (package disk), so that a power cut leaves
// it whole or as if it had never been; a test puts a disk in its place that loses what was not
// synced.
//
// Storage is Pebble behind store.Engine (engine.go). Applied batches are
// visible at once and durable after the next sync; a node has at most one sync
// under way, and the one that follows covers all that was applied meanwhile.
//
// A wide-area network on one machine is a set of delay lines, one for each
// ordered pair of nodes (wan.go): a message waits for half the round trip of
// its pair, in order, and pays for the real codec on its way. Lines are bounded:
// what does not fit is dropped and counted, as on any network.
//
// Lines end in the mailbox of a node of the same process, or in a connection to
// another process: package peer has those, with certificates on both sides. A
// Process is one node of such a cluster (remote.go); its lines add the delays of
// a map only if it is told to, so that processes on one machine can be regions.
//
// A Cluster is several regions in one process over one data directory
// (cluster.go), which remembers what it was created as (clusterfile.go,
// identity.go) and refuses to be opened as anything else.
//
// What the caller owes it. A data directory belongs to one process at a time.
// Close what Start and StartProcess returned, after the clients have gone. Whoever starts a
// cluster watches Failed: a node that lost its disk or found one of its own
// invariants broken stops for ever, and the process should end with exit code 1.
package server
