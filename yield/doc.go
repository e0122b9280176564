// Package yield is the second move: which transaction waits, which aborts, which goes first at one
// shard. It grants locks and judges conflicts; it neither stores rows, nor logs, nor decides commits.
//
// # How it works
//
// A shard's leader keeps one Table of locks on rows and spans. A holder either executes (it may be
// aborted here) or has voted (it waits for its decision, and cannot be aborted here). Two-phase
// locking acquires locks in execution, optimistic validation acquires all of them in one step at
// the prepare: both use the same table, so a locking read under an optimistic policy, and two
// protocols side by side, need nothing more. A Policy is the value by which a protocol chooses the
// rules.
//
// A request is one call, Acquire, with one of four results:
//
//	            conflict?  no ------------------------> granted
//	                |
//	        rules of the Policy
//	   /            |            \
//	refused    waits behind     Again: victims were aborted,
//	(reason)   a transaction    the caller retries
//	                |
//	     released: Retry     deadline, abort, deadlock: Refuse
//
// TableEvents receives what happens to other transactions meanwhile, in order.
//
// Beside the Table: ArrivalQueue orders prepares of 2FI transactions by arrival time; Leases are
// for policies whose reads hold no locks; TimestampTable is for replicas that validate for
// themselves; Batches judge prepares together; DeadlockDetector finds deadlocks over several shards;
// GatewayLeases finds transactions whose gateway is gone; Admission and LateScheduler run at
// gateways.
//
// # Invariants
//
//   - A row has one exclusive holder or any number of shared ones.
//   - voted(T) => T leaves the Table only by its decision.
//   - granted or not at all: a lock set is held as a whole (IncrementalLocking excepted).
//   - U has read a published value of T => T ends before U votes, and aborted(T) => aborted(U).
//   - Waits form no cycle, or a detector ends it: see DESIGN.md for each policy.
//
// # What the caller owes it
//
//  1. A new Table, and Restore for each undecided vote in log order, after a change of leader.
//  2. One call at a time: nothing here is safe to share. A Table spawns nothing and reads no clock;
//     times are monotonic and do not run backwards.
//  3. Set Retry and Refuse of LockResult.Waits before any other call.
//  4. Call End or Drop exactly once for every transaction that may hold something.
//  5. Call Expire when NextWake has passed.
//
// A Holder belongs to the Table and is reused after its transaction's end: keep its id instead.
//
// Reasons and proofs: DESIGN.md. Stories: sim/testdata/3-the-older-transaction-wins.txt,
// 14-hot-row-writers-commit-as-a-group.txt, 15-a-deadlock-probe-aborts-one.txt,
// 26-reservations-protect-multi-region-reads.txt, 41-natto-votes-by-arrival-time.txt. Papers: TXSQL
// section 3, Bonspiel 3.1, Natto 3.2 to 3.4, GeoTP 4.3, D2PC.
package yield
