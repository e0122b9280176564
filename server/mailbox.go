package server

import (
	"sync"

	"isochron/coordinator"
	"isochron/node"
	"isochron/txn"
)

// The bounds of a mailbox. What is beyond them is refused to clients and
// dropped for messages, as a full network queue drops them.
const (
	mailboxMessagesMax = 1 << 16
	mailboxRequestsMax = 1 << 14
)

// input is one thing for a node's loop: exactly one of envelope, request and call is set.
type input struct {
	envelope []byte               // a txn.Envelope, encoded
	from     txn.NodeID           // who proved to have sent the envelope; 0: a node of this process
	request  *coordinator.Request // of a client
	call     func(*node.Node)     // something to do in the loop
}

// mailbox holds what waits for a node's loop.
type mailbox struct {
	wake chan struct{} // has one element when the mailbox may hold something

	mu       sync.Mutex
	waiting  []input
	messages int    // of waiting
	bytes    int64  // of messages
	room     int64  // for bytes; 0: no bound. One message always finds room
	dropped  uint64 // messages
	refused  uint64 // requests and calls
}

// newMailbox is for messages of so many bytes; 0: no bound.
func newMailbox(room int64) *mailbox { return &mailbox{wake: make(chan struct{}, 1), room: room} }

// put adds an input; false means that the mailbox is full and the input is gone.
func (m *mailbox) put(in input) bool {
	m.mu.Lock()
	room := len(m.waiting)-m.messages < mailboxRequestsMax
	if in.envelope != nil {
		size := int64(len(in.envelope))
		if room = m.messages < mailboxMessagesMax && (m.room == 0 || m.bytes == 0 || m.bytes+size <= m.room); room {
			m.messages++
			m.bytes += size
		} else {
			m.dropped++
		}
	}
	if room {
		m.waiting = append(m.waiting, in)
	} else if in.envelope == nil {
		m.refused++
	}
	m.mu.Unlock()
	signal(m.wake)
	return room
}

// putAlways adds an input that must not be refused; whoever calls it bounds how many there are.
func (m *mailbox) putAlways(in input) {
	m.mu.Lock()
	m.waiting = append(m.waiting, in)
	m.mu.Unlock()
	signal(m.wake)
}

// take empties the mailbox and gives it the spare slice to fill next.
func (m *mailbox) take(spare []input) []input {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.waiting
	m.waiting, m.messages, m.bytes = spare[:0], 0, 0
	return out
}

// held is how many bytes of messages wait.
func (m *mailbox) held() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}
