// Package ports finds free ports of this machine for programs that must be told their port
// before they open it: nodes whose addresses stand in a configuration, databases started for a
// demonstration, a benchmark or a test.
//
// How it thinks. A port that is free when it is looked at may be taken before it is opened: by
// another process that looks for one, or by a connection to which the system gives any free port.
// Against the second, ports are sought below those that systems give out. Against the first, a
// port is claimed with a UDP socket of its number, which is kept: whoever seeks ports with this
// package passes over it, and nothing is left behind when the process ends, however it ends.
//
// What its caller owes it. Programs that use TCP alone, for the UDP sockets are taken; Release
// once the ports are not opened again.
package ports
