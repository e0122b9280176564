package txn

// For is which parts of a node a message is for; several bits: each of them hears it.
type For uint8

// The parts of a node.
const (
	// ForUnsaid is in envelopes of a node that does not say (a version before it could):
	// whom they are for follows from what they carry.
	ForUnsaid For = 0
	// ForCoordinator is the node's coordinator.
	ForCoordinator For = 1
	// ForParticipant is the node's participant of the envelope's shard.
	ForParticipant For = 2
	// ForNode is none of its parts, but the node itself.
	ForNode For = 4
)

// Address is whom a message is for: a part of a node.
type Address struct {
	Node  NodeID
	For   For
	Shard ShardID // of ForParticipant
}

// Coordinator is a node's coordinator.
func Coordinator(n NodeID) Address { return Address{Node: n, For: ForCoordinator} }

// Participant is a node's participant of a shard.
func Participant(n NodeID, s ShardID) Address { return Address{n, ForParticipant, s} }

// Both are a node's coordinator and its participant of a shard: what is said is news to
// whichever of them has asked for it.
func Both(n NodeID, s ShardID) Address { return Address{n, ForCoordinator | ForParticipant, s} }

// Whole is the node itself.
func Whole(n NodeID) Address { return Address{Node: n, For: ForNode} }

// Part is the part of an address that says whom at its node, in one number: every message
// carries it. Shards are numbered below 1<<61.
type Part uint64

const forBits = 3

// Part is whom at its node the address means.
func (a Address) Part() Part { return Part(a.Shard)<<forBits | Part(a.For) }

// For is which parts of the node are meant.
func (p Part) For() For { return For(p & (1<<forBits - 1)) }

// Shard is whose participant is meant.
func (p Part) Shard() ShardID { return ShardID(p >> forBits) }

// Envelope is a message on its way. Part says whom it is for at the node To; a node of a
// version before passes over it.
type Envelope struct {
	From NodeID  `cbor:"1,keyasint,omitempty"`
	To   NodeID  `cbor:"2,keyasint,omitempty"`
	Msg  Message `cbor:"3,keyasint"`
	Part Part    `cbor:"4,keyasint,omitempty"`
}

// Asks is what a participant is asked in a message, if it is one whose sender waits for an
// answer and is told if nobody is there: the number of the request or the attempt.
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
