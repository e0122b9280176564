package node

import (
	"fmt"

	"isochron/txn"
)

// story is whom a node tells what happens; each may be nil.
type story struct {
	self     txn.NodeID
	observer Observer
	watcher  txn.Watcher
}

func (s *story) note(m txn.Note) {
	if s.watcher != nil {
		s.watcher.Note(m)
	}
}

func (s *story) tracing() bool { return s.observer != nil && s.observer.Tracing() }

func (s *story) trace(format string, args ...any) {
	if s.tracing() {
		s.observer.Event(s.self, fmt.Sprintf(format, args...))
	}
}
