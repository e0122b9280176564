// Command delay puts delays before servers: each link is a port that leads to a server, with the
// round trip of a wide-area network.
//
// How it works. Package server/delay does the work; this command gives it a command line, reports
// at the end how late the machine was, and can measure a link against an echo, which shows the real
// delay of a requested one.
//
// What its caller owes it: Ctrl-C, which ends it.
package main
