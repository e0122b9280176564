// Package power cuts the power of whole clusters, and checks their data after the restart.
//
// How it works. The nodes are those that "isochron init" and "isochron start" make, in this
// process: their loops, syncers, engines and files, their TLS connections and their SQL ports
// (machine_test.go), on a disk that loses unsynced data (server/disk/disktest). SQL clients work
// all the time (load_test.go). At a change of the disk, chosen by chance or a rule, the disk stops
// for all nodes at the same time; the clients' connections break, the disk is rebuilt with none,
// some or any of the unsynced data, and the nodes start on it again (play_test.go). Writes
// acknowledged as committed must be there, writes reported as aborted must not, and each other
// transaction must be there whole or not at all: sqlload's ledger and history's checker of lists
// judge it. A first start is cut at any step (first_test.go). That all this can fail is shown by
// disks that lie as a server with a mistake would (teeth_test.go).
//
// Besides, bits of all files of a stopped node are flipped, one at a time (flips_test.go): make flips.
//
// The quick form is part of the tests; make power has more clusters and more cuts of each
// (-power.plays, -power.cuts, -power.seed).
//
// What the caller owes it. A directory for temporary files, and a few free ports.
package power
