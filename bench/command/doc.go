// Package command is what the programs of bench have alike: flags and their help, exit codes, what
// Ctrl-C does, a directory for the run, progress, and a report for people or as JSON.
//
// How it thinks. A program is a function of its arguments, of where its report goes (standard
// output) and of where its progress goes (standard error). Main runs it and turns how it ended into
// an exit code: 0 it did what was asked, 1 it could not, or what it looked for is there, 2 it was
// asked for what it does not understand. The first Ctrl-C, or SIGTERM, ends its context, the second
// ends the process.
//
// What the caller owes it. A function that ends soon after its context has, and has then ended all
// that it started; the usage of a program has at least one example.
package command
