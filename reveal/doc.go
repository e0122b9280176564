// Package reveal is the fourth move: when others may read a write.
//
// How it thinks. A write is pending from the vote to the decision, revealed
// from the moment its order is fixed, and applied once the log says so. The
// engine holds what is applied. Pending knows what is undecided, on every
// replica, so that a reader near by can tell that its answer may be old. An
// Overlay holds, at the leader alone, what is revealed and not yet applied; it
// is read before the engine.
//
// A row may reveal before the decision: who reads such a write depends on its
// writer. Early, at the leader, is the overlay with those who wait for decisions:
// conditional votes, and answers that nobody will validate. Dependents is the same
// in the log, at every replica.
//
// What the caller owes it. It says how attempts end, once each, and when the log has
// applied an attempt's writes. It drops Early with its leadership: whatever
// was revealed stands in the log as a vote, and its end will be found again.
package reveal
