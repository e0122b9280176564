// Command mutants asks of each rule of the core whether a test would notice its loss.
//
// How it thinks. A mutation takes one rule away: it replaces a text, which stands exactly once in a
// package, by another. The command copies the tree to a temporary directory (the checkout
// is never written), and for each mutation of the list it applies it there, runs the
// tests and the hunts that should see it, each for a bounded time, and takes it back. It
// prints a table: the mutation, what saw it and after how long. Exit 1 is a mutation that
// nothing saw and that is not listed as one that changes nothing (same, with its reason).
//
// A hunt that sees a mutation runs its seed once more without the mutation, and tests that
// see one run once more too: what fails either way is no sight but a failure of the tree.
//
// The list stands in the files list_*.go, by package. It grows with every protocol: whoever
// writes a rule adds the mutation that takes it away. A test holds that each still applies.
//
// What its caller owes it: a checkout that passes its tests, and time; Ctrl-C tells how far it came.
package main
