// Package ports finds free ports of this machine for programs that need their port before they open it: nodes with
// configured addresses, and databases of a demonstration, a benchmark or a test.
//
// How it works. A free port may be taken before it is opened: by another process that searches, or
// by a connection to which the system assigns any free port. Against the second, ports are searched
// below the ones that systems assign. Against the first, a port is claimed with a UDP socket of its
// number, which is kept open: other users of this package skip it, and no file remains when the
// process ends.
//
// Invariant: no two Claims, in any processes, have a common port.
//
// What the caller owes it. Programs that use only TCP, since the UDP sockets are taken; Release once the ports are not
// opened again.
package ports
