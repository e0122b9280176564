// Package peer connects the nodes of a cluster of processes: TCP, TLS 1.3 with certificates on both sides, and
// frames. It is not for SQL clients (sql/listen.go), and does not interpret messages.
//
// How it works. init creates a certificate authority for the cluster and a certificate for each node, with the
// node's number and the cluster's name (certs.go). A connection starts with a handshake (handshake.go):
//
//	dialer                        acceptor
//	  TLS, both certificates  <-->  TLS
//	  hello                    -->  checks version, cluster, receiver, certificate, settings, start (boot.go)
//	                          <--   welcome, or a refusal that both log
//	  envelopes, pings, ...    -->
//
// Envelopes go one way, from the dialer to the acceptor, so two nodes have two connections. Each has a bounded
// queue (dial.go); frames beyond the bound are dropped and counted. Users of this package tolerate loss, and no
// sender ever waits for a slow peer. A broken or silent connection is made again after a pause that doubles up to
// a bound. Pings measure the links (ping.go).
//
// A query (ask.go) uses the same port: one frame there, one frame back. Operators' commands send queries with a
// node's certificate.
//
// Two processes with one node's id would vote twice. boot.go admits one start of each node: a restart replaces
// the start before it, a copy of the data directory is refused.
//
// Invariants.
//
//   - Deliver(from, ...) is called only for an authenticated, admitted node from.
//   - Frames of one connection are delivered in the order they were sent.
//   - len(queue) <= room, except for a single frame; at most strangersMax connections are unauthenticated.
//   - The recorded start of each node never decreases.
//
// What the caller owes it.
//
//  1. New opens the port; call SetBoots before Start.
//  2. Deliver and Answer are called by many goroutines; Deliver must not block.
//  3. A frame's content is only authenticated: check it.
//  4. Send may be called by any goroutine; it does not keep the envelope.
//  5. Close ends everything and waits.
package peer
