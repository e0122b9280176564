// Command faults injects faults into a cluster of five processes for an hour, or for a given time.
//
// How it works. Package test/faults does the work; this command gives it a command line. It makes
// the cluster on this machine with the given isochron binary, runs three loads on it, injects one
// fault after the other, and prints a line for each; at the end a table. Exit code 1 is a
// violation, or a run that could not continue: then the data, the logs and the histories are kept,
// and the last line names their directory.
//
// With --sources the cluster has a PostgreSQL and a MariaDB beside it. With --gaps it prints the
// gap table instead: for each kind of fault, injected at the leader of the rows and at a gateway,
// the longest time in which a client that retries immediately committed nothing, and in which no
// client did. Exit code 1 is a gap beyond its bound as well.
//
// What its caller owes it: free ports, and root for the full disk, which is left out otherwise, aloud.
// Ctrl-C ends the processes and leaves nothing, unless a promise was broken by then.
package main
