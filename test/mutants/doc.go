// Command mutants checks, for each rule of the core, that a test notices its removal.
//
// How it works. A mutation removes one rule: it replaces a text, which occurs exactly once in a
// package, by another. The command copies the tree to a temporary directory (the checkout is never
// written), and for each mutation of the list it applies it there, runs the tests and the fault
// runs that should fail, each for a bounded time, and reverts it. It prints a table: the mutation,
// the check that failed and after how long. Exit code 1 means that a mutation was not noticed and
// is not listed as one that changes nothing (same, with its reason).
//
// A fault run that fails under a mutation runs its seed once more without it, and failing tests run
// once more too: a check that fails either way shows a fault of the tree, not the mutation.
//
// The list is in the files list_*.go, by package. It grows with every protocol: each new rule needs
// the mutation that removes it. A test checks that each still applies.
//
// Its caller needs a checkout that passes its tests, and time; Ctrl-C prints the results so far.
package main
