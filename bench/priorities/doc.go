// Command priorities shows what priority is worth to SQL clients of a cluster of processes: one for
// each region, with the delays between them emulated, under load (sqlload.Priorities).
//
// How it thinks. It makes the cluster in a temporary directory with the given isochron binary, as
// "isochron init" and "isochron start" do. Batch jobs in all regions keep a few rows hot, and one
// client's payments are of low and of high priority by turns, so that both have the same machine,
// the same jobs and the same hour. Told is how long payments of either took, from their first try
// to their commit, how many jobs were done beside them, and what the p95 of one is of the other.
//
// What its caller owes it: a machine with nothing else to do, or figures that compare the turns and
// say nothing else. Ctrl-C ends the processes and leaves nothing; what ends it otherwise keeps its
// logs and says where.
package main
