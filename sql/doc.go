// Package sql is what an SQL client talks to: a MySQL server for each gateway,
// whose statements run in transactions of txn.DB.
//
// How it works. The SQL core (core.go) executes queries and changes: they are parsed (sql/parse), bound
// (sql/bind), planned (sql/rounds, sql/access) and executed (sql/exec, sql/expr, sql/change) by packages of ours,
// in as few parallel rounds as their data dependencies force, or refused in words (sql/refused).
//
// go-mysql-server, the engine, does the rest over the same tables (sql/legacy/enginetable), in the same
// transaction: SHOW, SET, the tables of information_schema and statements about users. It executes no query and no
// change of rows. Its wire library carries connections.
//
// A statement has one life, however it comes in and whatever plan it gets
// (execution.go): it becomes a request, is let in, is carried out by a plan, is tried
// again if it lost to another, ends its transaction if that is its own, is answered and
// is reported. What every statement is owed is done there. Plans (plans.go) are of five
// kinds: the core's; what names its rows by their keys is read, changed and committed in one request,
// as a statement (bykeys.go) or as a packet (declaredpacket.go); what is done at sources; EXPLAIN, which
// executes nothing; all else is the engine's.
//
// An update of one row by its key that a session has prepared and executed before is
// also read and answered where its bytes come in (wireexecute.go), before the wire
// library makes anything of it. Under TLS the library reads it first.
//
// A statement outside an explicit transaction is its own transaction: its rows
// are held back until it has committed, and if it lost to another it is done
// again, so a client never sees what did not happen. An error that such a
// statement would report, a duplicate key say, is first validated: an error seen
// in a state that never was is not reported but tried again.
//
// SERIALIZABLE is the default (level.go). Under the weaker levels a plain read sees
// a moment and is not validated; so whatever a write rests on is locked there: the
// rows that an UPDATE or DELETE joins, and those that foreign keys point at.
//
// KILL, a statement's time and a client that goes away cut a statement short, wherever
// it is (session.Interruption): its context ends.
//
// Errors carry MySQL's numbers. A transaction that lost is over: 1213/40001. A
// lock not had in time is 1205, with NOWAIT 3572; the transaction lives. 1412:
// the table's definition changed under an explicit transaction, which is over.
// 1158/08S01: no answer from a shard before anything was prepared; nothing was
// done. 1180/08007: the outcome of a commit is unknown; the connection is closed.
// 1235 and 1105 say that something cannot be done, and what to do instead.
//
// Not everything can be had from outside the engine: FOR SHARE cannot be prepared
// at the server (LOCK IN SHARE MODE can), and triggers, temporary tables, virtual
// columns, full-text and spatial indexes and changes of a primary key are refused
// in words.
//
// Users, rights and logins are package account's; here are the walks over the engine's
// trees that name what a statement touches (permit.go). The listener (listen.go) bounds
// what a client may send, for the wire library has no bounds.
//
// What a connection keeps that is not the engine's is package session's: its variables, how its
// transactions run, its interruption and its patience.
//
// What the caller owes it. A Server is closed before its txn.DB. All servers of a
// process are opened before a client connects to any of them: opening one resets
// counters that the engine keeps for the whole process, without a lock. Global variables
// of the engine (SET GLOBAL) are shared by the gateways of one process and
// forgotten at its end.
package sql
