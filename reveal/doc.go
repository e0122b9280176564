// Package reveal is the fourth move: when others may read a write.
//
// How it thinks. A write is pending from the vote to the decision, revealed
// from the moment its order is fixed, and applied once the log says so. The
// engine holds what is applied. Pending knows what is undecided, on every
// replica, so that a reader near by can tell that its answer may be old. An
// Overlay holds, at the leader alone, what is revealed and not yet applied; it
// is read before the engine.
//
// What the caller owes it. It reveals the writes of one key in the order of
// their timestamps, and tells the overlay when the log has applied them. It
// drops the overlay with its leadership: whatever was revealed is decided, and
// the decision will be found again.
package reveal
