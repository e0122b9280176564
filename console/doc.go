// Package console has the figures of a running cluster for an operator's screen, and the table that shows them. It does
// not collect them from nodes; programs that run clients report to it.
//
// How it works. Every latency is printed with the wide-area round trip that bounds it and the ratio of the two: 1.00 is
// the physical limit. A Meter collects, for each region, the latency of commits, the aborts, and the contention spans
// reported by the shards. It keeps the last seconds (a window of slots, for the screen) and the total since the start
// (for the summary). A commit is "home" if all its rows are led from its own region, and "wide" otherwise; the two never
// share a percentile, since their bounds differ. Screen and Summary format figures as plain text.
//
// Invariant: the window has windowSlots slots of one second, of which the oldest is dropped at each Turn.
//
// What the caller owes it. Call Meter.Turn once a second. A Meter is safe for concurrent use; its Span method does not
// block, as a node's loop requires.
package console
