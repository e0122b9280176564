package server

import (
	"sync"
	"sync/atomic"
	"time"

	"isochron/store"
)

// syncer runs one engine's syncs: at most one at a time; the next covers every token requested meanwhile. This
// is group commit for all shards of the node.
type syncer struct {
	engine *Engine
	failed func(error)
	asked  chan struct{} // has one element when wanted has risen
	ended  chan struct{} // has one element when synced has risen
	stop   chan struct{}
	gone   chan struct{}
	once   sync.Once

	wanted atomic.Uint64 // the highest requested token
	synced atomic.Uint64 // the highest token that is durable
	begun  atomic.Int64  // when the sync under way began, in clock nanoseconds; 0: none is
	clock  clock
	took   func(time.Duration) // called with each sync's duration; may be nil
}

func newSyncer(e *Engine, c clock, failed func(error), took func(time.Duration)) *syncer {
	return &syncer{
		engine: e, clock: c, failed: failed, took: took,
		asked: make(chan struct{}, 1), ended: make(chan struct{}, 1),
		stop: make(chan struct{}), gone: make(chan struct{}),
	}
}

// request requests a sync that begins after now; it does not wait.
func (s *syncer) request(token uint64) {
	s.wanted.Store(token)
	signal(s.asked)
}

// busy reports whether a sync is under way or requested.
func (s *syncer) busy() bool { return s.synced.Load() < s.wanted.Load() }

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
		began := s.clock.mono()
		s.begun.Store(int64(max(began, 1)))
		s.engine.Sync()
		s.begun.Store(0)
		if s.took != nil {
			s.took(s.clock.mono() - began)
		}
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
