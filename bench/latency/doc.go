// Command latency prints how long a client waits, beside what physics asks.
//
// How it works. It starts a map's regions in this process, with its delays between them, and lets
// one client at a time, in one region after the other, run statements without contention. Each line
// of its table has the measured median, the minimum of round trips under two-phase commit, and the
// ratio of the two: 1.00 is the physical limit.
//
// What its caller owes it: a machine with nothing else to do. Ctrl-C ends it and leaves nothing.
package main
