// Package decide is the third move: how votes become a decision, and which nodes receive it. It
// neither validates (yield) nor replicates votes (raftgroup).
//
// # How it works
//
// A Tally is one node's knowledge of one attempt: its participants and their votes. It decides as
// soon as its knowledge forces the decision: all Yes logged forces commit, at the largest proposed
// timestamp; one No that can never become a Yes forces abort. All that decide do so from the same
// logged facts, so a coordinator and a node that recovers its attempt cannot disagree. Votes that
// arrive and replies to inquiries count alike.
//
// An Attempt is a Tally in progress:
//
//	asking --all votes, or a No--> deciding --acknowledged by all that must know--> Done
//	   |                              ^
//	   +--silence--> terminating -----+   (asks the logs; a timer never decides)
//
// Which nodes are asked, which messages count and which nodes are notified is a vote path:
//
//	leaders    each participant's leader votes and replicates the decision
//	atLeader   as leaders, but the node of one of them decides for the gateway
//	bypass     as leaders, and replicas acknowledge past them to co-coordinators
//	replicas   every replica validates; enough equal votes count, otherwise the
//	           slow path: the leader proposes, or the coordinator
//
// Where a participant's votes cannot be looked up (a data source) the decision is logged: the votes
// force a proposal, and the first entry in the log of decisions is the verdict.
//
// A Decider opens attempts with the vote path of a protocol's Policy. A CoCoordinator takes part
// in attempts of other gateways; a Route determines which nodes receive votes past their leaders;
// Orphans finds undecided votes that need a coordinator.
//
// # Invariants
//
//   - verdict(t) != Open => verdict(t') = verdict(t) for all t' > t.
//   - Commit => every participant's Yes is given, logged by a majority, and all its dependencies
//     are committed.
//   - A logged commit and an abort of one attempt never exist together; Learned asserts it.
//   - Acknowledgements form a majority only for one entry of one term.
//   - A coordinator's proposal in one view never changes.
//
// # What the caller owes it
//
//  1. Call Open, then Ask; or Adopt, then Terminate. Calls come one at a time; nothing is shared.
//  2. Pass every message to Receive, and call Wake when Due.
//  3. Count a Yes only when a majority has logged it, a No only when that participant can never vote
//     Yes for this attempt: a leader refused it in the one term to which the Prepare is addressed, or
//     a fence is logged. Silence is neither.
//  4. After each call, Take; after a verdict, Announce, until Done.
//  5. Env may lose, duplicate or delay messages. Prepares that were sent are never changed.
//
// Reasons: DESIGN.md. Stories: sim/testdata/1-2pc-votes-are-the-commit.txt,
// 9-d2pc-reveals-before-the-decision.txt, 13-replicas-validate-in-one-round-trip.txt,
// 19-the-decision-is-logged-first.txt, 23-r4-leaders-learn-the-decision.txt,
// 25-gpac-takes-two-round-trips.txt. Papers: D2PC sections 3 and 4, R4 (SoCC'24), G-PAC section 4,
// Natto 2.1 and 3.3.2, GeoTP 4.1.
package decide
