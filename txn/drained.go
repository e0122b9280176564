package txn

// A cluster goes from one protocol to another without a stop. Every Access and
// Prepare says under which protocol its transaction runs (ProtocolSeq, 0 for what
// the cluster began with). A shard refuses those of a protocol that it has left,
// for ever, and lets those wait that are ahead of it.

// Drained tells the leader of the meta shard, while a switch is under way, how far
// the sender has come with it.
type Drained struct {
	Try uint64 `cbor:"1,keyasint,omitempty"`
	// Left is what keeps the node from being drained, in words; "": nothing does.
	Left string `cbor:"2,keyasint,omitempty"`
}
