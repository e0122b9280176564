// Package peer connects the nodes of a cluster that are processes of their own:
// TCP, TLS 1.3 with certificates on both sides, and frames.
//
// How it thinks. A cluster has one certificate authority of its own, made by
// init, and each node a certificate of it that bears the node's number and the
// cluster's name (certs.go). Whoever connects proves with it who it is, and then
// says hello: the version it speaks, the cluster, itself, whom it wants, and the
// settings that all nodes must share (hello.go). Whoever is reached checks all of
// it and welcomes or refuses in words that end up in the log of both.
//
// A connection carries frames one way (frame.go), from the node that made it to
// the node that it reached; so between two nodes there are two. Each has a
// bounded queue, whose overflow is dropped and counted: what uses this package
// tolerates loss, and nobody ever waits for a slow peer (dial.go). A connection
// that breaks, or whose peer answers no ping, is made anew after a pause that
// doubles up to a bound. Pings measure the round trip on the way.
//
// A question (ask.go) is the other use of the same port: one frame there, one
// frame back. Operators' commands ask with the certificate of a node.
//
// What the caller owes it. Deliver and Answer are called by many goroutines and
// must not wait. A frame is what an authenticated node of the cluster sent and
// nothing more: its content is still to be checked. Close ends everything.
package peer
