// Package errorcodes lists the MySQL error numbers that a gateway sends to its clients, with their
// SQLSTATE, MySQL's name, the cause and what an application does. The packages that return errors do
// not use it; docs/generated/errors.md is made from it.
//
// # How it works
//
// All is written by hand. The test of the page reads the source files of the packages that return
// errors (sql and the packages below it that it imports, source, server) and of the SQL engine, and
// collects numbers and SQLSTATEs: calls of mysql.NewSQLError, constants named code..., tables of codes. It fails for a
// number that All lacks, for one that no code has, and for another SQLSTATE.
//
// # Invariants
//
//   - Numbers are unique and ascending.
//   - A MySQL or MariaDB source may send further numbers, which a gateway passes to its clients.
//
// # What the caller owes it
//
// Do not modify All. A package that returns a new number adds it to All.
package errorcodes
