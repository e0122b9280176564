// Package admission bounds how many statements of a node work at a time.
//
// How it works. Each session has a Place. Control.Enter lets a statement begin, or has it queue
// while all places are taken; a statement of an open transaction never queues, for others may wait
// for its locks. A statement that waits for reads, locks or its commit says so (Pause, Resume), and
// its place goes to another if that takes long and others queue; it takes one again without
// queueing. Queue and wait are bounded, and beyond them the client gets an error that drivers retry.
//
// A statement that computes for long takes turns with others of its kind (turns.go): it calls Place.Work once a batch of rows,
// which waits for its turn. While other statements end, those turns take half of the processors.
//
// What the caller owes it. A place joins one Control before its first statement and has one
// statement at a time. Every Enter that returned no error has its Leave.
package admission
