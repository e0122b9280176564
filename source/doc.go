// Package source is a participant whose rows are in an external database: a PostgreSQL, MariaDB or MySQL
// with an agent beside it (GeoTP sections 3 and 4). It is not for rows Isochron stores; those are a
// shard's.
//
// How it works. A transaction has one branch at each source it touches: a transaction of that database,
// under a Name that contains its cluster, attempt and participant. Statements run in the branch one
// after the other, under the database's concurrency control. A Yes is a prepared branch: it outlives the
// agent, its connection and the database's restart, and only a decision ends it.
//
//	working --prepare--> preparing --ok--> prepared --decision--> ended
//	   |                     |--connection broke--> prepareUnknown --found--> prepared
//	   |--abort--> ended     |--error, or not found--> ended (No)
//
// A transaction with one branch and no other participant is not prepared. Its source commits it, together
// with its last statements if they come with the commit, and alone knows the outcome; a client that loses
// the reply receives "unknown", and nothing is retried.
//
// Guarantees. Transactions are atomic over all sources and shards, whatever crashes. They are
// serializable over all of them if a prepared branch keeps the locks of all it has read and written until
// it ends. Then of two conflicting transactions the one that commits first is first at every participant;
// shards, which lock reads or validate them at the vote, agree with that order.
//
//   - MariaDB and MySQL at SERIALIZABLE, the branches' level, do this, over restarts with the agent's help
//     (restart_barrier.go). Not covered: clients that bypass the agent, and the loss of an agent together
//     with its server while the transaction still takes locks elsewhere.
//   - PostgreSQL at SERIALIZABLE does not: its order (SSI) need not be the commit order. It holds for
//     statements whose reads are locked (Statement.Locks); they run at READ COMMITTED.
//   - At READ COMMITTED and REPEATABLE READ transactions are atomic, and reads without locks are as old as
//     the source allows.
//   - Over versions (yield.Policy.Versions) the agent does concurrency control itself; versions.go has the
//     argument.
//
// Invariants.
//
//   - vote(b) = Yes implies that b is prepared, or committed in one phase; only b.decided ends a prepared b.
//   - An attempt in memory.ender, or below its gateway's retired number, begins no branch.
//   - b.busy: exactly one step of b runs outside the loop.
//   - barrier.open > 0 implies that no branch begins.
//
// What the caller owes it.
//
//  1. Give each agent a term (OpenOptions.Epoch) that no earlier incarnation had.
//  2. Give it one Driver at a time, with an account that sees the transactions it has prepared.
//  3. Call its methods from one loop only; run RunAsync's work outside and its done in the loop.
//  4. Call Tick at NextWake or earlier.
//  5. Close the driver after the agent's last call. Prepared branches stay.
//
// DESIGN.md has the reasons. Stories: sim/testdata/22-sources-commit-in-one-round.txt,
// 29-a-source-deadlock-ends-early.txt and 50-scalardb-takes-three-round-trips.txt.
package source
