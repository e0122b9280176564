// Package deploy has the files of a cluster of processes: it writes them for a new one, and reads a node's.
//
// How it thinks. A Plan says which regions, how many nodes, which addresses;
// Write makes of it a directory with the cluster's certificate authority, and
// for each node a certificate, a key and a configuration (write.go). The
// configuration of a node is strict YAML (config.go): a key that is not known is
// refused with its line, and so is a value that cannot be right, before
// anything is opened. Paths in it are relative to it, so that a directory can be
// carried to another machine as it is. The nodes of a cluster are listed in every
// configuration, the same everywhere: nodes that differ in it refuse each other.
//
// What the caller owes it. Files that are not read here are not checked here:
// whether certificates are good is known when package peer has loaded them.
package deploy
