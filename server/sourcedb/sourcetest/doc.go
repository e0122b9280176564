// Package sourcetest starts throw-away servers of PostgreSQL and MariaDB for tests and for the demo.
//
// How it works. The programs of Debian's packages postgresql and mariadb-server run on free ports of the loopback
// interface, in a directory of their own, and as an unprivileged user if the tests run as root (PostgreSQL refuses root). A
// server can be killed and started again on the same data. It ends with the process that started it. Nothing is installed:
// the error of a missing program names its package, and LeaveOut skips the test with that line, or fails it if the
// environment has ISOCHRON_NEED_SOURCES, which `make test` sets once it has installed them.
//
// What the caller owes it. A Close for each server. It is for tests: passwords are in the code, and a server's superuser has
// none.
package sourcetest
