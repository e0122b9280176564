// Package command has the common parts of the programs of bench: flags and their help, exit codes,
// Ctrl-C, a directory for the run, progress, and a report for people or as JSON.
//
// How it works. A program is a function of its arguments, of the receiver of its report (standard
// output) and of its progress (standard error). Main runs it and turns its result into an exit
// code: 0 success, 1 it failed, or found what it looked for, 2 a request that it does not
// understand. The first Ctrl-C, or SIGTERM, ends its context, the second ends the process.
//
// What the caller owes it. A function that ends soon after its context has, and has then ended all
// that it started; the usage of a program has at least one example.
package command
