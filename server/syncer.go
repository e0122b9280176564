package server

import (
	"sync"
	"sync/atomic"

	"isochron/store"
)

// syncer runs the syncs of one engine: at most one at a time, and the one that
// follows covers every token asked for meanwhile. That is the whole of group
// commit, for all shards of the node together.
type syncer struct {
	engine *Engine
	failed func(error)
	asked  chan struct{} // has one element when wanted has risen
	ended  chan struct{} // has one element when synced has risen
	stop   chan struct{}
	gone   chan struct{}
	once   sync.Once

	wanted atomic.Uint64 // the highest token asked for
	synced atomic.Uint64 // the highest token that is durable
}

func newSyncer(e *Engine, failed func(error)) *syncer {
	return &syncer{
		engine: e, failed: failed,
		asked: make(chan struct{}, 1), ended: make(chan struct{}, 1),
		stop: make(chan struct{}), gone: make(chan struct{}),
	}
}

// request asks for a sync that begins after now; it does not wait.
func (s *syncer) request(token uint64) {
	s.wanted.Store(token)
	signal(s.asked)
}

func (s *syncer) run() {
	defer close(s.gone)
	defer s.recoverFailure()
	for {
		select {
		case <-s.stop:
			return
		case <-s.asked:
		}
		token := s.wanted.Load() // before the sync begins: it covers this one
		s.engine.Sync()
		s.synced.Store(token)
		signal(s.ended)
	}
}

func (s *syncer) recoverFailure() {
	switch p := recover().(type) {
	case nil:
	case *store.Failure:
		s.failed(p)
	default:
		panic(p)
	}
}

func (s *syncer) close() {
	s.once.Do(func() { close(s.stop) })
	<-s.gone
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
