// Package estimate turns measured delays into what a move can count on: how long
// a message to a node takes, and how long it takes there and back.
//
// How it thinks. A probe gives a sample: its round trip, and where the other's
// clock was told, its one-way delay by the two clocks, skew included on purpose:
// what is to arrive at a moment of the other's clock must be sent by it. Of each
// node's samples there is an average that forgets (GeoTP section 4.1) and the
// 95th percentile of those of a window of time (Natto section 4.1). Whoever asks
// names which one it goes by. How links between nodes are probed, and what of it a node
// is told, stands in links.go, for the real clock and the virtual one. How long a part of
// a transaction works at its place, and how likely it is to lose there, is forecast from
// statistics of the records that transactions contend for (hotrecords.go, footprint.go;
// GeoTP section 4.3). How often records are updated, and from which rate on they are read at
// their leaders, stands in temperature.go and threshold.go (Bonspiel section 3.2). Both keep what
// they know of records in one kind of bounded table, which forgets the longest untouched (recent.go).
//
// What the caller owes it. It gives each sample with the time at which it came,
// on a clock that never runs back, and calls from one goroutine. What is kept is
// bounded by nodes and samples, or by records and bytes, whatever is probed or accessed
// and how often.
package estimate
