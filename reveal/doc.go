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
// writer, and the overlay tells on whom. The rest of the tracking is the
// leader's, who hears of decisions.
//
// What the caller owes it. It reveals no write of a key of which the engine has
// a newer one, and tells the overlay when the log has applied an attempt's
// writes, or that it aborted. It drops the overlay with its leadership: whatever
// was revealed stands in the log as a vote, and its end will be found again.
package reveal
