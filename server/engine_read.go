package server

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"isochron/store"
)

// snapshot is a state of the engine that does not change.
type snapshot struct {
	engine *Engine
	snap   *pebble.Snapshot
	closed bool
}

func (s *snapshot) Get(key []byte) ([]byte, bool) { return get(s.snap, s.engine.dir, key) }

func (s *snapshot) Iter(start, end []byte) store.Iterator {
	return iter(s.snap, s.engine.dir, start, end)
}

func (s *snapshot) Close() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	delete(s.engine.snapshots, s)
	if err := s.snap.Close(); err != nil {
		panic(s.engine.failure("closing a snapshot", err))
	}
}

func get(r pebble.Reader, dir string, key []byte) ([]byte, bool) {
	v, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false
	}
	if err != nil {
		panic(newFailure("reading a key", dir, err))
	}
	value := append(make([]byte, 0, len(v)), v...)
	if err := closer.Close(); err != nil {
		panic(newFailure("reading a key", dir, err))
	}
	return value, true
}

// iterator moves over keys in order. An unreadable disk is a panic and never the end of the range.
type iterator struct {
	it  *pebble.Iterator
	dir string
}

func iter(r pebble.Reader, dir string, start, end []byte) store.Iterator {
	if end != nil && bytes.Compare(end, start) < 0 {
		end = start // an empty range that passes Pebble's assertions
	}
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		panic(newFailure("opening an iterator", dir, err))
	}
	return &iterator{it, dir}
}

func (i *iterator) checked(on bool) bool {
	if !on {
		if err := i.it.Error(); err != nil {
			panic(newFailure("iterating", i.dir, err))
		}
	}
	return on
}

func (i *iterator) First() bool            { return i.checked(i.it.First()) }
func (i *iterator) Last() bool             { return i.checked(i.it.Last()) }
func (i *iterator) SeekGE(key []byte) bool { return i.checked(i.it.SeekGE(key)) }
func (i *iterator) SeekLT(key []byte) bool { return i.checked(i.it.SeekLT(key)) }
func (i *iterator) Next() bool             { return i.checked(i.it.Next()) }
func (i *iterator) Prev() bool             { return i.checked(i.it.Prev()) }
func (i *iterator) Key() []byte            { return i.it.Key() }

func (i *iterator) Value() []byte {
	v, err := i.it.ValueAndErr()
	if err != nil {
		panic(newFailure("reading a value", i.dir, err))
	}
	return v
}

func (i *iterator) Close() {
	if err := i.it.Close(); err != nil {
		panic(newFailure("iterating", i.dir, err))
	}
}
