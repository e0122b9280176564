// Package process starts and stops the servers that benchmarks compare, each with a log file of its
// own.
//
// How it works. A server runs in a process group of its own, so that Ctrl-C in the terminal does
// not reach it, and receives SIGTERM when its parent ends. Its output is appended to the log file;
// if it does not become ready, the error has the last lines of that file.
//
// What the caller owes it. Call End once for each Spawn.
package process
