package node

import "isochron/txn"

// outbox is what the parts of a node have to say: to each other, and to other nodes.
type outbox struct {
	self    txn.NodeID
	local   []txn.Envelope // to this node itself, in order
	out     []txn.Envelope
	drained []txn.Envelope // what was taken last: its room is used again

	tracesAll func(m *txn.Message) // nil: nobody does
}

func (o *outbox) send(to txn.Address, m txn.Message) {
	env := txn.Envelope{From: o.self, To: to.Node, Msg: m, Part: to.Part()}
	if o.tracesAll != nil {
		received := m // of its own, or every message would be made on the heap for this
		o.tracesAll(&received)
	}
	if to.Node == o.self {
		o.local = append(o.local, env)
		return
	}
	o.out = append(o.out, env)
}

// refuse answers for a shard that has no replica here (any more, or yet).
func (o *outbox) refuse(to txn.NodeID, m *txn.Message, s txn.ShardID) {
	if request, attempt, ok := m.Asks(); ok {
		o.send(txn.Coordinator(to), txn.Message{NotLeader: &txn.NotLeader{Shard: s, Request: request, Attempt: attempt}})
	}
}

// take hands out what is for other nodes; the list is good until the next take.
func (o *outbox) take() []txn.Envelope {
	out := o.out
	o.out, o.drained = emptied(o.drained), out
	return out
}

// maxRoom is how many messages a list keeps room for.
const maxRoom = 1024

// emptied is a list whose room is used again, unless it is uncommonly much.
func emptied(list []txn.Envelope) []txn.Envelope {
	if cap(list) > maxRoom {
		return nil
	}
	clear(list)
	return list[:0]
}
