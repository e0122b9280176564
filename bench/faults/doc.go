// Command faults torments a cluster of five processes for an hour, or as long as it is told.
//
// How it thinks. Package test/faults does the work; this gives it a command line. It makes the
// cluster on this machine with the given isochron binary, puts three loads on it, does one fault
// after the other, and prints a line for each; at the end a table. Exit 1 is a violation, or a run
// that could not go on: then the data, the logs and the histories are kept, and the last line says
// where.
//
// With --sources the cluster has a PostgreSQL and a MariaDB beside it. With --gaps it prints the gap
// table instead: for each kind of fault, done to the leader of the rows and to a gateway, the longest
// time in which a client that tries again at once committed nothing, and in which nobody did. Exit 1
// is a gap beyond its bound as well.
//
// What its caller owes it: free ports, and root for the full disk, which is left out otherwise, aloud.
// Ctrl-C ends the processes and leaves nothing, unless a promise was broken by then.
package main
