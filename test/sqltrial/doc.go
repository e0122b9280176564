// Command sqltrial compares libraries for the SQL core: three parsers, one binder and one evaluator of
// expressions. It is a module of its own, so that the libraries it compares are not dependencies of the
// database. docs/inside/decisions/sql-core.md has the decision it led to.
//
// How it works. Statements are collected from the repository's tests and cases, from directories that
// the caller names (--cases), and from a generator with a fixed seed. A MariaDB in a temporary directory
// is the yardstick: it prepares each statement (error 1064 means that the text is no SQL) and runs
// definitions and changes, so that names resolve. The parsers are github.com/dolthub/vitess (in use),
// vitess.io/vitess and github.com/pingcap/tidb/pkg/parser; the binder is vitess.io's semantics package.
// Expressions come from ../differential/functions.txt, a catalogue of the functions and operators in MySQL 8's
// manual, each called with a literal of every type in every argument; vitess.io's evalengine evaluates
// them beside MariaDB.
//
// What the caller owes it. MariaDB 10.11's mariadbd and mariadb-install-db in PATH, /usr/sbin or
// /usr/bin, and a writable temporary directory. It starts one server, listens on no port, and removes
// what it made.
//
//	cd test/sqltrial && go run . --cases ../../../shared/cases
package main
