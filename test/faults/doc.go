// Package faults injects faults into a cluster of real processes under load, one after another, and
// checks the results.
//
// How it works. A Cluster is a process for each region that "isochron init" and "isochron
// start" make (cluster.go), reached only as an operator and a client reach them:
// by signals, by "isochron links", by a full disk (disk.go), over SQL. A seeded
// nemesis (nemesis.go, inflict.go) does one fault at a time and undoes it; meanwhile three
// loads of package sqlload go on. After each fault it measures in how long a
// transaction that touches every region commits again through every living node
// (service.go). The time is cut into periods (load.go): at the end of each the
// loads pause, and bank, TPC-C and the list-append history are checked, so that a
// history stays small enough to be judged. Whatever is wrong is named in the
// Report, and the data, the logs and the histories are kept.
//
// A run over sources (sources.go) is a cluster with two gateways and the agents of a real
// PostgreSQL and MariaDB. Clients move money among both and the shards (movers.go) and record each
// move at every place that it touches. Gateways, agents, databases and nodes are lost
// (sourcefaults.go); at the end of each period the databases themselves are asked (sourcejudge.go):
// no transaction of Isochron is prepared, other programs' prepared transactions are unchanged, the
// sums are right, and each move is at all of its places or at none, as its client was answered.
//
// The gap table (gaps.go) does the same faults one by one to the leader of five rows and
// to a gateway, while clients drive those rows, and measures for how long they could not
// commit (gapclient.go).
//
// What the caller owes it. A directory that may be filled, free ports, and for the
// full disk the rights of root; without them that fault is left out, aloud. For sources the
// programs of Debian's packages postgresql and mariadb-server.
package faults
