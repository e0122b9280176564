// Command delay puts delays before servers: each link is a port that leads to a server, with the
// round trip of a wide-area network.
//
// How it thinks. Package server/delay does the work; this gives it a command line, says how late
// the machine was at the end, and can measure a link against an echo, so that one knows what a
// delay asked for is here.
//
// What its caller owes it: Ctrl-C, which ends it.
package main
