// Package sources tries tables that lie at real databases as a client does: a cluster in this
// process with agents beside PostgreSQL and MariaDB, and the Go driver at its SQL door.
//
// How it works. Two servers of each kind are started once, on free ports, and have the tables of a
// bank and a shop. Each test imports what it needs into a database of its own name. The expected
// answers are MySQL's; they are in the tests. The cases of testdata/cases run on a MariaDB by
// itself, whose answers they have, on native tables, and on tables at one source of each kind and
// at two; known faults are marked in them. Cases without answers get the MariaDB's by go test -run
// TestCases -args -fill.
//
// What the caller owes it. The programs of Debian's packages postgresql and mariadb-server, or
// its tests are left out.
package sources
