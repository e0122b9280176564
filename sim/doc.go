// Package sim runs whole clusters in virtual time: the same nodes, coordinators
// and shards as in production, and everything around them made of numbers.
//
// How it thinks. A World is a heap of events ordered by time and, at one time,
// by the order in which they were made; one event runs at a time. Hosts run a
// node each: a message costs its host CPU time, a sync costs its disk time, and
// a crash leaves the node with what its disk had. A host may take all of that one at a
// time, and pay for what its lock tables do (loop.go). The Network carries messages
// with a delay matrix, jitter, loss, duplication, reordering and partitions.
// Clients are plain blocking code run as coroutines: a Client is a
// coordinator.Port whose Do parks the coroutine until the node has answered.
//
// All chance comes from generators seeded by Config.Seed, one for each
// concern, so that one seed is one run, byte for byte: Hash proves it. Nothing
// here reads a clock, starts a goroutine, or lets the order of a map show.
//
// A Hunt runs workloads in a world while a nemesis breaks it, then heals it,
// waits until it is quiet, reads everything and judges the histories. What a
// nemesis may do is in Faults; the two that no clock would find are the crash
// at an acknowledgement (just before or just after it leaves) and the loss of
// a role at one step of a transaction. A Violation comes with the seed, and the
// seed is all one needs to see it again. Paths that chance alone seldom finds are
// forced (forced.go, timers.go), some as plots of several steps (lostvote.go,
// oldentry.go, lostmoment.go, guests.go, halfheard.go, leftbehind.go, fulllog.go,
// lateprepare.go, laterterm.go, overtaken.go, lostpromise.go, latecascade.go), and the
// summary says which rare paths of each row were reached and which were not. A hunt itself
// is tried by planting bugs in the nodes (plant.go), each of which it must find.
//
// Databases are models of databases that are not ours (database.go, dblocks.go): a node
// reaches them from tasks that wait in virtual time (task.go). Hunts of rows for sources have
// some (huntsources.go).
//
// Scripts in testdata tell the protocols as stories: a small cluster, a step
// at a time, each message in words (go test ./sim -run Script -rewrite writes
// them anew).
//
// What the caller owes it. A World is used by one goroutine. Client code blocks
// only in the calls of its Client and of the transactions begun through it.
package sim
