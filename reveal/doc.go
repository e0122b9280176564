// Package reveal is the fourth move: when others may read a write. It keeps revealed versions and
// their dependencies; locks are yield's, and decisions are decide's.
//
// # How it works
//
// A write has three states at a shard:
//
//	pending ------------> revealed ------------> applied
//	(a vote, undecided)   (its order is fixed)   (in the engine)
//
// Pending is the set of keys with undecided writes, on every replica, so that a near reader knows
// that its reply may be outdated. An Overlay holds, at the leader only, the rows that are revealed
// and not applied; it is read before the engine. A Walk merges both for scans.
//
// A Policy may reveal before the decision: then a reader depends on the writer. Early, at the
// leader, is the overlay plus the messages that wait for decisions: conditional votes, and replies
// that are not validated later. Dependents is the same information in the log, at every replica.
//
// # Invariants
//
//   - Rows of a key in the Overlay are in the order of their votes in the log, which is the order
//     of their timestamps; the newest is newer than the engine's version.
//   - Revealed and undecided => in the log, or on its way there, before every dependent vote.
//   - committed(reader) => committed(every writer it depends on); one abort dooms the reader.
//   - A transaction record is revealed only from the log.
//
// # What the caller owes it
//
//  1. Report each attempt's decision once (Decided), and its application (Applied).
//  2. Drop Early with the leadership: its votes are in the log, and their outcome will be found
//     again. A new leader starts from NewEarly.
//  3. Call Expire when NextExpiry has passed.
//  4. One call at a time. Callbacks run inside calls; one of Expire must not register another wait.
//  5. Rows returned by Get and Span share their values with the Overlay: do not modify them.
//
// Reasons: DESIGN.md. Stories: sim/testdata/9-d2pc-reveals-before-the-decision.txt,
// 10-a-reader-depends-on-its-writer.txt, 11-a-cascade-aborts-the-reader.txt,
// 14-hot-row-writers-commit-as-a-group.txt, 16-hot-row-writers-overlap-over-shards.txt. Papers:
// D2PC sections 4.2 and 4.3, TXSQL 4, Bonspiel 3.1.4, Natto 3.3.2.
package reveal
