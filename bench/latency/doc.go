// Command latency prints how long a client waits, beside what physics asks.
//
// It starts five regions in this process, with the map's delays between them,
// and lets one client at a time, in one region after the other, run statements
// without contention. Each line of its table has the median that was measured,
// the round trips that nothing can undercut, and the ratio of the two.
package main
