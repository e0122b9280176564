// Package delay forwards TCP connections as a wide-area link would: a WAN on one machine for
// programs that connect by themselves, such as the driver of a database.
//
// How it thinks. A Proxy listens at an address of its own and connects each client to the
// target. What passes is held for half of a round trip in each direction and handed on in order;
// an end of the stream is held as its bytes are. A connection costs what one over the link costs:
// a round trip for the client's handshake, and half of one until the target hears of it. Nothing
// is lost. Each direction of a connection holds at most bytesInFlight: then nothing more is read
// from whoever sends, as with a full window of TCP.
//
// How late the machine was in handing on, beyond the delay asked for, is counted (Lateness): a
// figure measured through a proxy is worth what that says.
//
// What its caller owes it: a Close, which cuts all connections and waits for what is left.
package delay
