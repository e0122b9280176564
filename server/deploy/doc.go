// Package deploy writes the files of a new cluster of processes and reads a node's configuration. It does not start
// nodes; that is package server.
//
// How it works. A Plan has the regions, the number of nodes and the addresses. Write creates from it a directory with
// the cluster's certificate authority, and for each node a certificate, a key and a configuration (write.go). An
// Addition writes the files of one more node (add.go). A configuration is strict YAML (config.go): an unknown key, or a
// value that cannot be right, is refused with its key before anything is opened. Its paths are relative to it, so a
// directory can be copied to another machine. Every configuration lists the cluster's nodes, the same everywhere: nodes
// whose lists differ refuse each other.
//
// Invariants.
//
//   - Write's directory is complete or absent, also after a crash.
//   - An Addition's configuration exists only if all its other files are complete.
//   - No error contains a secret; no written configuration does.
//
// What the caller owes it.
//
//  1. Files that are not read here are not checked here: package peer checks the certificates when it loads them.
//  2. A Plan, an Addition or a Config is used by one goroutine at a time.
package deploy
