// Package txn defines the values that parts of Isochron exchange: ids, messages, errors, events and
// the interface DB that clients use. It contains no logic of a protocol: that is in the moves
// (schedule, yield, decide, reveal) and in coordinator and shard.
//
// # How it works
//
// Two parts on both sides of a boundary know this package and not each other. A workload or a SQL
// session knows DB and Txn (session.go). A coordinator and a shard know Message (message.go). The
// messages of one transaction, in the order of its life:
//
//	gateway                        shard leader
//	Access           ->            read, with locks if requested
//	                 <-            AccessReply: rows, or a refusal
//	Prepare          ->            validate, then log the vote
//	                 <-            Vote, after a majority has logged it
//	Decide           ->            apply, release, log the decision
//	                 <-            DecideAck, after a majority has logged it
//
// The other families add messages: co-coordinators (cocoordinate.go), validation by every replica
// (integrated.go), 2FI transactions (fixedset.go), deadlock detection (deadlock.go), sources
// (source.go, statement.go), snapshot reads (asof.go).
//
// A transaction has an ID from its begin to its end, and an Age that its retries inherit. Each run
// of the commit protocol for it is an Attempt; votes and decisions belong to an attempt, and the
// attempt that wrote a row is the row's Version.
//
// # Invariants
//
//   - A Message has exactly one field set.
//   - A field's number is never reused and never changes its meaning: messages and logs are CBOR with
//     numbered fields (codec.go), so that versions before and after read each other.
//   - Attempt.Seq rises within an Incarnation; "all attempts below s have ended" is one number.
//   - Timestamps of one Clock rise strictly. Safety never depends on how close they are to real time.
//
// # What the caller owes it
//
//  1. A value handed over in a message is never changed afterwards, by sender or receiver.
//  2. Timestamps come from the Clock of the node that makes them; a timestamp that arrives is passed
//     to Clock.Observe first.
//  3. An error that reaches a client is an *Error. Its Kind determines what the client may conclude;
//     KindUnknown is never turned into another kind.
//  4. A Txn ends with Commit or Rollback, and is used by one goroutine at a time.
//
// See docs/inside/glossary.md for the terms; sim/testdata/1-2pc-votes-are-the-commit.txt shows the messages of a transfer.
package txn
