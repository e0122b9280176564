// Package agents loses gateways, agents and databases at each step of a commit over real databases.
//
// How it thinks. A cluster is processes: three nodes that hold data, a gateway, and an agent each
// beside a real PostgreSQL and a real MariaDB. They are this test's own program (node_test.go),
// which runs nodes as "isochron start" and "isochron agent" do, and takes orders on its
// standard input. Between an agent and its driver stands one that stops at a step when it was told
// to (steps_test.go), says so, and goes on when it is told to: so what is killed is killed at
// that step and not at some time. A transaction moves one unit from one database to the other,
// notes that at both, and writes a row of a shard. Once what was killed is back and all is
// quiet: nothing of ours is prepared anywhere, what somebody else has prepared still is, the
// three agree on which moves there were, what was acknowledged is among them, the sums are what
// they were, and the next move goes through.
//
// Histories (history_test.go) are what SQL clients at two gateways see of lists at both databases
// and in a shard, while agents and databases are killed or not; package history judges them.
//
// What the caller owes it. The programs of Debian's packages postgresql and mariadb-server, or its
// tests are left out.
package agents
