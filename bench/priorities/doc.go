// Command priorities shows what priority is worth to SQL clients of a cluster of processes: one for
// each region, with the delays between them emulated, under load (sqlload.Priorities).
//
// How it works. It makes the cluster in a temporary directory with the given isochron binary, as
// "isochron init" and "isochron start" do. Batch jobs in all regions keep a few rows hot, and one
// client's payments are of low and of high priority by turns, so that both have the same machine,
// the same jobs and the same hour. It reports the time of payments of either priority, from their
// first try to their commit, the number of jobs done beside them, and the ratio of their p95.
//
// Its caller needs a machine with nothing else to do, or uses only the comparison of the turns.
// Ctrl-C ends the processes and leaves nothing; after any other error the logs are kept and named.
package main
