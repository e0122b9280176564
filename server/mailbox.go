package server

import (
	"sync"

	"isochron/coordinator"
	"isochron/node"
	"isochron/txn"
)

// The bounds of a mailbox. Beyond them requests are refused and messages are dropped, as a full network queue
// drops them.
const (
	mailboxMessagesMax = 1 << 16
	mailboxRequestsMax = 1 << 14
)

// input is one thing for a node's loop: exactly one of envelope, request and call is set.
type input struct {
	envelope []byte               // a txn.Envelope, encoded
	from     txn.NodeID           // the authenticated sender of the envelope; 0: a node of this process
	request  *coordinator.Request // of a client
	call     func(*node.Node)     // to run in the loop
}

// mailbox is the queue of a node's loop.
type mailbox struct {
	wake chan struct{} // has one element when the mailbox may be non-empty

	mu       sync.Mutex
	waiting  []input
	messages int    // of waiting
	bytes    int64  // of messages
	room     int64  // bound of bytes; 0: none. One message is always accepted
	dropped  uint64 // messages
	refused  uint64 // requests and calls
}

// newMailbox returns a mailbox for room bytes of messages; 0: no bound.
func newMailbox(room int64) *mailbox { return &mailbox{wake: make(chan struct{}, 1), room: room} }

// put adds an input; false: the mailbox is full and the input is dropped.
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

// putAlways adds an input that must not be refused; the callers bound their number.
func (m *mailbox) putAlways(in input) {
	m.mu.Lock()
	m.waiting = append(m.waiting, in)
	m.mu.Unlock()
	signal(m.wake)
}

// take empties the mailbox, which fills spare next.
func (m *mailbox) take(spare []input) []input {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.waiting
	m.waiting, m.messages, m.bytes = spare[:0], 0, 0
	return out
}

// held returns the bytes of queued messages.
func (m *mailbox) held() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}
