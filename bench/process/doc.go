// Package process runs what benchmarks compare: programs with a log of their own.
//
// How it thinks. A process is started apart from the terminal, so that Ctrl-C reaches its parent
// alone, and dies with its parent. What it says goes to a file, whose end is told when it fails.
//
// What the caller owes it. An End for each Spawn.
package process
