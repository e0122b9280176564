package txn

// For is a set of parts of a node, one bit each; the message is delivered to each of them.
type For uint8

// The parts of a node.
const (
	// ForUnspecified is in envelopes of versions before this field: the node infers the receivers
	// from the message's contents.
	ForUnspecified For = 0
	// ForCoordinator is the node's coordinator.
	ForCoordinator For = 1
	// ForParticipant is the node's participant of the envelope's shard.
	ForParticipant For = 2
	// ForNode is the node itself, none of its parts.
	ForNode For = 4
)

// Address is the destination of a message: a part of a node.
type Address struct {
	Node  NodeID
	For   For
	Shard ShardID // of ForParticipant
}

// Coordinator addresses a node's coordinator.
func Coordinator(n NodeID) Address { return Address{Node: n, For: ForCoordinator} }

// Participant addresses a node's participant of a shard.
func Participant(n NodeID, s ShardID) Address { return Address{n, ForParticipant, s} }

// Both addresses a node's coordinator and its participant of a shard, for a message that may
// answer either of them.
func Both(n NodeID, s ShardID) Address { return Address{n, ForCoordinator | ForParticipant, s} }

// Whole addresses the node itself.
func Whole(n NodeID) Address { return Address{Node: n, For: ForNode} }

// Part encodes an address within its node in one number, which every message carries.
// Shard ids are below 1<<61.
type Part uint64

const forBits = 3

// Part returns the address without its node.
func (a Address) Part() Part { return Part(a.Shard)<<forBits | Part(a.For) }

// For returns the addressed parts of the node.
func (p Part) For() For { return For(p & (1<<forBits - 1)) }

// Shard returns the shard of the addressed participant.
func (p Part) Shard() ShardID { return ShardID(p >> forBits) }

// Envelope is a message in transit. Part is its destination at node To; versions before this field
// ignore it.
type Envelope struct {
	From NodeID  `cbor:"1,keyasint,omitempty"`
	To   NodeID  `cbor:"2,keyasint,omitempty"`
	Msg  Message `cbor:"3,keyasint"`
	Part Part    `cbor:"4,keyasint,omitempty"`
}

// Asks returns the number of the request or the attempt, if m is a message to a participant that
// needs an answer: if the shard has no replica at the receiver, the sender is notified.
func (m *Message) Asks() (request uint64, attempt Attempt, ok bool) {
	switch {
	case m.Access != nil:
		return m.Access.Request, Attempt{}, true
	case m.Prepare != nil:
		return 0, m.Prepare.Attempt, true
	case m.Inquire != nil:
		return 0, m.Inquire.Attempt, true
	}
	return 0, Attempt{}, false
}
