// Command faults torments a cluster of five processes for an hour, or as long as it is told.
//
// It makes the cluster on this machine with the given isochron binary, puts three
// loads on it, does one fault after the other, and prints a line for each; at the
// end a table. Exit 1 is a violation or a run that could not go on: then the data,
// the logs and the histories are kept, and the last lines say where.
package main
