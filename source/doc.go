// Package source is a participant whose rows are in a database that is not ours: a
// PostgreSQL, a MariaDB or a MySQL with an agent beside it (GeoTP sections 3 and 4).
//
// How it thinks. A transaction has one branch at each source that it touches: a
// transaction of that database, under a Name that says whose it is. Statements run in the
// branch one after the other, under the database's own concurrency control. To vote Yes is
// to prepare the branch there; what is prepared outlives the agent, its connection and the
// database's own restart, and ends by the decision alone. A transaction that has one branch
// and nothing else prepares nowhere: its source commits it, with its last statements if they
// and the commit come together, and is then the only one to know whether it has; whoever
// loses the answer is told that it is not known, and nothing is done again. Whatever blocks is
// done by a Driver, outside the loop.
//
// What it guarantees. A transaction is atomic over all its sources and shards, whatever crashes.
// It is serializable over all of them if each source keeps its transactions in an order that
// others cannot contradict: if a branch that is prepared has locks of all that it has read and
// written until it has ended. Then of two transactions that conflict anywhere the one that
// commits first comes first everywhere, and shards, which lock or check what was read at the
// vote, agree with that.
//
//   - MariaDB and MySQL at SERIALIZABLE, which is what branches run at, do: every read within a
//     transaction is a locking one, of ranges too, and PREPARE keeps these locks. Over a restart
//     of the server they are gone; the agent holds others back in their stead (fence.go), and
//     over its own restart as well, for the end of its connection frees what a branch holds that
//     has changed nothing. If the connection of such a branch breaks while the agent lives, who
//     could have changed since what it has read does not vote (sourcedb's mysql_frail.go). What is
//     not covered: clients beside the agent, and an agent and its server that are lost together
//     while the branch's transaction still takes locks elsewhere.
//   - PostgreSQL at SERIALIZABLE does not by itself. Its order is found out afterwards (SSI), and
//     need not be that of the commits: T1 may have read what T2 has overwritten and come before
//     it although T2 has committed first. Two sources may find two orders, and no one of them
//     sees the cycle. It holds where what a transaction rests on is locked: rows by FOR SHARE
//     or FOR UPDATE, or by being written; and what it has found not to be there, or a range, by
//     a lock that its writers take too. The gateway's SQL says so of its statements
//     (Statement.Locks), with what guards them; a driver then runs them at READ COMMITTED, where
//     each sees what was committed when it has its locks. Of other statements whoever writes them
//     sees to that.
//   - At READ COMMITTED and REPEATABLE READ, of either, a transaction is atomic, and what it has
//     read without a lock is as old as the source says.
//
// Under rows whose policy compares versions (yield.Policy.Versions) a source is a store of single
// records, and none of this is asked of its own concurrency control: versions.go has why the
// transactions are serializable then.
//
// What the caller owes it. The database is reached through one Driver at a time, with an
// account that sees the prepared transactions it has made.
package source
