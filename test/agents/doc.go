// Package agents loses gateways, agents and databases at each step of a commit over real databases.
//
// How it works. A cluster is processes: three nodes that hold data, a gateway, and an agent each
// beside a real PostgreSQL and a real MariaDB. They are this test's own program (node_test.go),
// which runs nodes as "isochron start" and "isochron agent" do, and reads commands from its
// standard input. A wrapper between an agent and its driver stops at a requested step
// (steps_test.go), reports it, and continues on request: so a process is killed at that step and
// not at some time. A transaction moves one unit from one database to the other, records that at
// both, and writes a row of a shard. Once the killed process is back and the cluster is quiet: no
// transaction of Isochron is prepared anywhere, other programs' prepared transactions still are,
// the three agree on the moves, acknowledged moves are among them, the sums are unchanged, and the
// next move commits.
//
// Histories (history_test.go) are what SQL clients at two gateways see of lists at both databases
// and in a shard, while agents and databases are killed or not; package history judges them.
//
// What the caller owes it. The programs of Debian's packages postgresql and mariadb-server, or its
// tests are left out.
package agents
