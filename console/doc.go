// Package console is what an operator looks at: figures of a running cluster,
// and the table that shows them.
//
// How it thinks. Every latency is printed beside the wide-area round trip that
// bounds it, and the ratio of the two: 1.00 is what physics allows. A Meter
// gathers, for each region, the latency of commits, the aborts, and the
// contention spans that the shards report; it keeps the last seconds (a window
// of slots, for the screen) and everything since the start (for the summary).
// A commit is "home" when all its rows are led from its own region, and "wide"
// otherwise; the two never share a percentile, since their bounds differ.
// Screen and Summary are plain text made from such figures, and know nothing of
// where they come from.
//
// What the caller owes it. Call Meter.Turn once a second. A Meter may be used by
// any goroutine; its Span method returns at once, as a node's loop needs.
package console
