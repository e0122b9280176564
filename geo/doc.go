// Package geo knows the map: regions, the delays between them, and what those
// delays force.
//
// How it thinks. A WAN is a symmetric matrix of round-trip times between named
// regions. It is one of the published ones (catalog.go), a uniform one, or one
// read from a file (file.go). From it follow the bounds that every latency in
// Isochron is printed beside (bounds.go): the round trip to the nearest quorum,
// to the farthest participant.
//
// What the caller owes it. A WAN is immutable: Scale and Parse return new ones,
// and nobody writes to Regions. Asking for a region that the WAN does not have
// gives a round trip of 0; Has tells.
package geo
