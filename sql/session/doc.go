// Package session has what one connection keeps between and beside its statements, as far as the SQL
// engine is not asked for it.
//
// How it works. Variables works out of a connection's variables what each statement asks for, and
// keeps it until one changes; the values come through Source. Transactions is how transactions run:
// level, access mode and priority, and what SET TRANSACTION says of the next one alone. Lost is the
// transaction that lost to others, whose age its next try takes over. Interruption ends the context
// of a statement that is killed, out of time or without a client, but never within its commit.
// Patience, Stillness and Flow say how long a client may be idle or slow. Stats adds up what a
// statement costs over its tries.
//
// What the caller owes it.
//
//  1. Changed is called at each change of a variable, Patience.Read at changes of the timeouts.
//  2. A connection's values are used by the goroutine of its statement alone, but for Interruption,
//     Patience and Flow, which others may ask at any time.
//  3. Enter and Leave are called in pairs, in one goroutine; Commits and Committed around a commit.
package session
