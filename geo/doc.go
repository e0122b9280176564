// Package geo is the map: regions, the delays between them, and the lower bounds that follow from these
// delays. It measures nothing: package estimate does.
//
// # How it works
//
// A WAN is a symmetric matrix of round-trip times between named regions. It is a published one
// (catalog.go), a uniform one, a star, or one read from a file (file.go). The bounds printed beside every
// latency follow from it (bounds.go): the round trip to the nearest quorum, and to the farthest
// participant.
//
//	va --67ms-- wa      QuorumRTT(va, {va, wa, pr}) = 67 ms: itself and wa
//	 \--80ms-- pr       MaxRTT(va, {wa, pr})        = 80 ms
//
// # Invariants
//
//   - RTT(a, b) = RTT(b, a); RTT(a, a) = Intra.
//   - A WAN is immutable: Scale and Parse return new ones. Arithmetic on delays is on integers.
//
// # What the caller owes it
//
//  1. Regions must not be changed; a WAN may be shared by goroutines.
//  2. RTT of an unknown region is 0: call Has first.
//
// See docs/laboratory/guide.md for the maps by name.
package geo
