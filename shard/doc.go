// Package shard is a replicated participant: it stores a part of the rows in one Raft group, and
// applies the rules of yield, decide and reveal to them. It does not replicate by itself: package
// raftgroup does. Package replica is the participant without a log.
//
// # How it works
//
// A Replica is the state machine of a raftgroup.Group. It receives messages and ticks; through its
// Env it sends messages, applies batches to the engine, and registers calls for the time at which
// these are durable. Its state has two levels:
//
//   - the applied state (state.go, command.go, dependencies.go) is a function of the log and the same
//     on every replica: rows, undecided votes with their dependencies, outcomes, protected read
//     timestamps, the protocol in force;
//   - the leader's state (leader.go) exists in one term and is lost with it: the lock table, revealed
//     writes, votes and decisions being logged, refusals. Its parts are types with narrow
//     dependencies on each other: reader and snapshotReads answer reads, prepareHandler votes,
//     decisionHandler ends attempts, replySender answers.
//
// The life of an attempt at a leader, and the message that causes each transition:
//
//	           Prepare                applied              Decide               applied
//	(unknown) ---------> voting ---------------> prepared --------> deciding ----------> outcome
//	    |         |      (proposed)   (Vote is sent)     (revealed, unlocked)   (DecideAck is sent)
//	    |         +----> waiting (for locks) ----> voting or refused
//	    |         +----> refused (a No, valid in this term, not logged)
//	    +--------------> fenced  (Inquire without a vote; a permanent No, logged)
//
// # Invariants
//
//   - Durable before sent: no Yes, acknowledgement or InquireReply is sent before a majority has
//     the entry it reports. A No needs no entry: Prepare.Term makes it final.
//   - Proposed timestamps rise along the log: Proposed(vote) > MaxTS of all entries before it.
//   - Locks held = lock sets of undecided votes + locks of transactions in execution. restore rebuilds
//     the first part from the log.
//   - An undecided vote never crosses a Switch command.
//
// # What the caller owes it
//
//  1. Calls one at a time; Env.Now never runs backwards.
//  2. Messages for this replica go to Deliver or their On... method. After any call, call Process.
//  3. Functions passed to Env.AfterSync are called once, in order, when all earlier batches are
//     durable, and never after a crash.
//  4. Call Tick no later than NextWake.
//  5. Memory handed over in messages is not changed afterwards, by either side.
//
// DESIGN.md has the decisions behind it. Stories: sim/testdata/1-2pc-votes-are-the-commit.txt,
// 7-a-fence-makes-an-abort-safe.txt. Papers: D2PC sections 3 and 4; Natto section 3; Bonspiel section 3.
package shard
