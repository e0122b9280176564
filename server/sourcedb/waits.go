package sourcedb

import (
	"context"
	"sync"
	"time"

	"isochron/source"
)

// Lock waits at a server, in what both dialects share: the branch of each connection, and a connection beside the
// pool's to query on, since all of those may wait.

// serving maps the server's number of each connection to its branch, also to one that has ended, until the connection
// serves another. It has as many entries as there are connections.
type serving struct {
	mu    sync.Mutex
	names map[string]source.Name
}

// serves records a connection's branch.
func (s *serving) serves(id string, n source.Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]source.Name{}
	}
	s.names[id] = n
}

// left removes a connection.
func (s *serving) left(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, id)
}

// ids returns the connections of branches, in no order.
func (s *serving) ids(of []source.Name) (out []string) {
	wanted := map[source.Name]bool{}
	for _, n := range of {
		wanted[n] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, n := range s.names { // order: a set
		if wanted[n] {
			out = append(out, id)
		}
	}
	return out
}

// named returns a connection's branch.
func (s *serving) named(id []byte) (source.Name, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.names[string(id)]
	return name, ok
}

// asker has a connection beside the pool's, made for its first query.
type asker[C conn] struct {
	dial func(context.Context) (C, error)

	mu     sync.Mutex // of one query at a time, and of the fields below
	c      C
	since  time.Time // of its last use; zero: no connection
	closed bool
}

// ask runs a query, no sooner than apart after the answer to the last one.
func (a *asker[C]) ask(ctx context.Context, apart time.Duration, question func(c C) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := pause(ctx, apart-time.Since(a.since)); err != nil {
		return err
	}
	if a.closed {
		return over()
	}
	if !a.since.IsZero() && !a.c.sound(ctx, time.Since(a.since)) {
		a.forget()
	}
	if a.since.IsZero() {
		c, err := a.dial(ctx)
		if err != nil {
			return err
		}
		a.c = c
	}
	err := question(a.c)
	if a.since = time.Now(); err != nil {
		a.forget()
	}
	return err
}

// forget drops the connection; the mutex is held.
func (a *asker[C]) forget() {
	a.c.close()
	a.since = time.Time{}
}

// close ends it permanently.
func (a *asker[C]) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed = true; !a.since.IsZero() {
		a.forget()
	}
}
