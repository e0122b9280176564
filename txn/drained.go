package txn

// A cluster switches its protocol without a stop. Every Access and Prepare carries the number of
// the protocol of its transaction (ProtocolSeq, 0 for the first). A shard permanently refuses
// requests of a protocol it has left, and queues those of one it has not yet reached.

// Drained reports to the leader of the meta shard, during a switch, how far the sender has
// drained the old protocol.
type Drained struct {
	Try uint64 `cbor:"1,keyasint,omitempty"`
	// Left describes the work that is not drained yet; "": none.
	Left string `cbor:"2,keyasint,omitempty"`
}
