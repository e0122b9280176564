package node

import "isochron/txn"

// outbox has the messages of a node's parts: to each other, and to other nodes.
type outbox struct {
	self    txn.NodeID
	local   []txn.Envelope // to this node itself, in order
	out     []txn.Envelope
	drained []txn.Envelope // the list returned last, reused

	tracesAll func(m *txn.Message) // nil: not traced
}

func (o *outbox) send(to txn.Address, m txn.Message) {
	env := txn.Envelope{From: o.self, To: to.Node, Msg: m, Part: to.Part()}
	if o.tracesAll != nil {
		received := m // a copy, or every message would be allocated on the heap for this
		o.tracesAll(&received)
	}
	if to.Node == o.self {
		o.local = append(o.local, env)
		return
	}
	o.out = append(o.out, env)
}

// refuse answers for a shard that has no replica here now.
func (o *outbox) refuse(to txn.NodeID, m *txn.Message, s txn.ShardID) {
	if request, attempt, ok := m.Asks(); ok {
		o.send(txn.Coordinator(to), txn.Message{NotLeader: &txn.NotLeader{Shard: s, Request: request, Attempt: attempt}})
	}
}

// take returns the messages for other nodes; the list is valid until the next take.
func (o *outbox) take() []txn.Envelope {
	out := o.out
	o.out, o.drained = emptied(o.drained), out
	return out
}

// maxRoom is the capacity up to which a list is reused.
const maxRoom = 1024

// emptied returns an empty list that reuses the memory, unless it is unusually large.
func emptied(list []txn.Envelope) []txn.Envelope {
	if cap(list) > maxRoom {
		return nil
	}
	clear(list)
	return list[:0]
}
