// Package sim runs whole clusters in virtual time: the nodes, coordinators and shards of production on
// simulated machines, disks, clocks and networks. It is not a model of the protocols, and it measures
// nothing: package lab measures with it.
//
// # How it works
//
// A Cluster is a heap of events ordered by time and, at one time, by creation; one event runs at a
// time. A host runs one node: a message costs CPU time, a sync costs disk time, and a crash leaves the
// node with the contents of its disk. With a loop (loop.go) a host does its work one piece at a time.
// The network has a delay matrix, jitter, loss, duplication, reordering and partitions. A Client is
// blocking code that runs as a coroutine; its calls park it until the node has answered.
//
//	client --request--> node (coordinator) --messages--> network --messages--> node (shard)
//	  ^                   |                                 ^                     |
//	  +------answer-------+            nemesis: crash, cut, delay, lose           +--sync--> disk
//
// A fault-injection run (RunSeed) has these phases:
//
//	open      build the cluster that the seed draws, and open the accounts
//	load      clients run workloads while the nemesis injects faults
//	heal      repair everything, and wait until nothing is undecided
//	judge     read everything, and check histories, replicas and promises
//
// Faults has the faults of a nemesis. Two of them depend on messages, not on time: a crash at an
// acknowledgement, just before or just after it is sent, and the loss of a role at one step of a
// transaction. Rare paths are made common by biased faults (biased_faults.go, timers.go) and by
// scenarios of several steps (scenario_*.go); a Summary lists which of them were reached. Injected bugs
// (inject_bug.go) test the runs themselves: each bug must be found.
//
// Databases are models of external databases; nodes call them from tasks that wait in virtual time
// (task.go). Stories in testdata show the protocols message by message.
//
// # Invariants
//
//   - One seed is one run, byte for byte: equal Config and seed imply equal Hash, with a trace or
//     without. No code here reads a clock, starts a goroutine that runs in parallel, or depends on the
//     order of a map.
//   - Each concern draws from its own generator, derived from Config.Seed.
//   - Events of an earlier boot of a host have no effect on a later one.
//   - A Yes of a leader and an answered commit are recorded on the synced disks of a majority of each
//     participant's voters when they are sent (oracle.go).
//
// # What the caller owes it
//
//  1. Call Close at the end: it unwinds clients that still run.
//  2. Use a Cluster from one goroutine.
//  3. Client code blocks only in the calls of its Client and of the transactions begun through it.
//  4. Read a Summary, Counts or history only when the run has ended.
//
// See DESIGN.md for the decisions, docs/generated/rules.md for the rules whose hits runs count, and
// docs/inside/testing.md for the commands.
package sim
