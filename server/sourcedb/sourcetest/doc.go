// Package sourcetest starts throw-away servers of PostgreSQL and MariaDB for tests and for the demo.
//
// How it thinks. Whatever programs Debian's packages postgresql and mariadb-server have put
// on the machine are run on free ports of the loopback interface, in a directory of their
// own, as a user without rights where the tests run as root (PostgreSQL refuses root). A
// server can be killed and started again on the same data. It dies with the process that
// started it. Where a program is missing nothing is installed: the error says which package
// has it, and LeaveOut skips the test with that line, or fails it if the environment has
// ISOCHRON_NEED_SOURCES, which `make test` sets once it has installed them.
//
// What its caller owes it. A Close for each server. It is for tests: passwords stand in the
// code, and the superuser of a server has none.
package sourcetest
