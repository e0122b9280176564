// Command differential runs generated statements on Isochron and on MariaDB and reports where the answers differ.
//
// How it works. Both servers get the same tables with the same rows. A form (form_*.go) draws a statement as a tree of
// texts (node.go) from a fixed seed: statement 17 of a form is the same in every run with this seed. It runs on both
// servers, by text, prepared, or both (wire.go has a client of its own: it needs the types, flags and warnings of the
// packets), and the answers are compared (compare.go): rows, in order where ORDER BY decides it, names and types of
// columns, warnings, error numbers, counts, the table after a change. A statement that differs is shrunk (shrink.go):
// parts of the tree are removed as long as a difference of the same kind remains. A difference is then matched against
// the closed list of reasons (reasons.txt), where MySQL 8's manual is not with MariaDB; what has no line there fails. A
// statement with two causes of one kind shrinks to one of them: the other is left to other statements.
// Isochron runs in a child process on the reference cluster of sql/sqltest, so that a crash is counted and survived.
//
// Tables that a statement joins are read by MariaDB without their indexes and by plain plans, and warnings of such statements
// are not compared: which rows a condition is computed for depends on the plan. Where MariaDB writes a thing in another way (a
// row of VALUES, the columns of a derived table, an interval in a frame), a node has its text, too.
//
// Tables under constraints are families (families.go): a view of all their rows is compared after a change of one. A check that
// fails has MySQL's number of the error.
//
// The width of integers on the wire is not compared: MariaDB sends an INT where MySQL 8 sends a BIGINT. Floating-point
// numbers may differ in the last digits, floatTolerance of their value. JSON documents are compared as values, if
// Isochron's is in MySQL's normal form.
//
// --keep writes shrunk cases with MariaDB's answers into a directory; those in testdata/kept are run by the tests of
// this package, without MariaDB.
//
// --sources puts Isochron's tables into two PostgreSQLs and two MariaDBs that it attaches, and runs the forms that read.
// What differs there has few reasons in the list: a source returns other types, decimals and names, its warnings are not
// passed on, and what has no form at a PostgreSQL is refused.
//
// What its caller owes it. The programs of Debian's package mariadb-server, or the address of a MariaDB 10.11 started
// as MariaDBOptions says; for --sources those of postgresql, too.
package main
