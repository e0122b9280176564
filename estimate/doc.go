// Package estimate turns measurements into predictions that a move can use: delays to nodes, lock waits
// and update rates of records. It sends no probes: servers and simulations do.
//
// # How it works
//
//   - Delays (delays.go, links.go). A probe gives a sample: its round trip and, if the other node
//     reported its clock, the one-way delay by the two clocks. That delay includes their skew on
//     purpose: a message that must arrive at a time of the other clock must be sent by it. For each
//     node there are a weighted average (GeoTP section 4.1) and the 95th percentile of a window (Natto
//     section 4.1); the caller chooses.
//   - Forecasts (hotrecords.go, footprint.go; GeoTP section 4.3). The time that a part of a
//     transaction takes at its place, and its chance to get all its locks, from statistics of
//     contended records.
//   - Temperatures (temperature.go, threshold.go; Bonspiel section 3.2). How often records are
//     updated, and the rate above which they are read at their leaders.
//
// Records are kept in one kind of bounded table, which evicts the least recently touched (recent.go).
//
// # Invariants
//
//   - Memory is bounded by nodes and samples, or by records and bytes, whatever is probed or accessed.
//   - accessing(record) = the open footprints that contain it; it is never negative.
//   - Temperatures are computed with integers only: equal on every processor.
//
// # What the caller owes it
//
//  1. Calls from one goroutine, with times of a clock that never runs backwards.
//  2. Each sample with the time of its arrival.
//  3. End for each Footprint, exactly when its transaction's locks are released.
package estimate
