// Package source is a participant whose rows are in a database that is not ours: a
// PostgreSQL, a MariaDB or a MySQL with an agent beside it (GeoTP sections 3 and 4).
//
// How it thinks. A transaction has one branch at each source that it touches: a
// transaction of that database, under a Name that says whose it is. Statements run in the
// branch one after the other, under the database's own concurrency control. To vote Yes is
// to prepare the branch there; what is prepared outlives the agent, its connection and the
// database's own restart, and ends by the decision alone. Whatever blocks is done by a
// Driver, outside the loop.
//
// What the caller owes it. The database is reached through one Driver at a time, with an
// account that sees the prepared transactions it has made.
package source
