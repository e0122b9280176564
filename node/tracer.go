package node

import (
	"fmt"

	"isochron/txn"
)

// tracer forwards events and traces; each receiver may be nil.
type tracer struct {
	self     txn.NodeID
	observer Observer
	watcher  txn.EventListener
}

func (s *tracer) note(m txn.NodeEvent) {
	if s.watcher != nil {
		s.watcher.NodeEvent(m)
	}
}

func (s *tracer) tracing() bool { return s.observer != nil && s.observer.Tracing() }

func (s *tracer) trace(format string, args ...any) {
	if s.tracing() {
		s.observer.Event(s.self, fmt.Sprintf(format, args...))
	}
}
