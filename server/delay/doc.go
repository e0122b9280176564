// Package delay forwards TCP connections with a wide-area link's delay: a WAN on one machine for programs that connect by
// themselves, such as a database's driver. Links between nodes are emulated by package server (wan.go).
//
// How it works. A Proxy listens at its own address and connects each client to the target:
//
//	client --rtt/2--> target
//	       <--rtt/2--
//
// Data is held for half of a round trip in each direction and forwarded in order; the end of a stream is held like its
// bytes. A connection costs what one over the link costs: a round trip for the client's handshake, and half of one until
// it reaches the target. Nothing is lost. Each direction of a connection holds at most bytesInFlight; then nothing more
// is read from the sender, as with a full TCP window. Lateness counts how much later than due data was forwarded: it
// shows how far to trust a measurement through a proxy.
//
// Invariants: bytes leave in the order they arrived, no sooner than rtt/2 later.
//
// What the caller owes it: Close, which cuts all connections and waits for their goroutines.
package delay
