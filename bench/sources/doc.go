// Command sources holds middleware over several databases beside each other: the same loads on
// the same servers under the same delays, one system after another.
//
// How it works. A deployment is four throw-away servers of this machine: all PostgreSQL, all
// MariaDB, or two of each. Their tables are filled once, directly, in ranges of the key; before
// each server is a link of server/delay with the round trip of its region on the map from the first
// one, where clients and middleware are. Systems take turns on a deployment: each is started, runs
// all cells (a load, a skew, so many clients), has its memory measured, and is ended. The load is
// that of package sqlload, in this process, so that all systems are measured by the same clients.
// After each cell the servers themselves are queried: whether the money is complete, and whether a
// branch was left prepared; those are counted and ended.
//
// Isochron is a gateway and four agents, on the protocols ssp, ssp-parallel and geotp, and on each
// once more with clients that send the statements of a transaction in one message and mark the
// last. Ratios are between systems whose clients send alike. table1.sh runs these alone.
// ShardingSphere-Proxy commits by XA (Atomikos), Spider by its internal XA. Each has its best
// settings, as far as the guarantee stays the same: rows read and written are locked until the end
// on every server (MariaDB at SERIALIZABLE; PostgreSQL at READ COMMITTED under ShardingSphere,
// whose clients use FOR SHARE, since SERIALIZABLE there would refuse waiting transactions).
//
// What its caller owes it: run.sh, which fetches the peers; a machine with nothing else to do, or
// figures that mean little. Ctrl-C ends everything that was started.
package main
