// Package preauth protects the ports of a node against unauthenticated clients. It does not check
// passwords: the protocols on the ports do.
//
// # How it works
//
// A port has a bounded number of places for unauthenticated connections (as MaxStartups of OpenSSH),
// apart from those for clients that have logged in. If all are taken, a newcomer is admitted and another
// unauthenticated connection is closed: of the address with the most, the oldest that has sent nothing,
// otherwise the oldest. So an address that opens thousands of connections closes its own, and other
// clients find a place. A new connection has a minimum time first, for bursts of honest clients;
// meanwhile newcomers wait in the kernel's queue.
//
//	kernel's queue --Admit--> unauthenticated --Leave: logged in--> client
//	                               |
//	                               +--evicted by a newcomer, after SilentMin or SpokenMin--> closed
//
// Failures delays the answer to a wrong password, longer with each failure, by account and by address.
// Only answers to failures wait: a correct password is accepted immediately, so that a client cannot
// lock out another by guessing.
//
// # Invariants
//
//   - Len <= places; the memory of failures is bounded by Delays.Size.
//   - Unauthenticated and Failures get the time as an argument; only Limiter reads the clock.
//
// # What the caller owes it
//
//  1. Leave exactly once for each ClientConn that Enter or Admit accepted, when it has logged in or
//     ended.
//  2. Admit from one goroutine: the one that accepts. Unauthenticated and Failures are for one
//     goroutine at a time; Limiter is safe for many.
//
// The SQL and peer ports (packages sql and server) use it.
package preauth
