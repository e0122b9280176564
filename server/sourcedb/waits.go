package sourcedb

import (
	"context"
	"sync"
	"time"

	"isochron/source"
)

// Who waits for whom at a server, in what both dialects have alike: which branch a connection
// serves, and a connection besides the pool's to ask on, for all of those may wait.

// serving says whose branch each connection has, by the server's number of the connection; also
// of a branch that has ended, until the connection serves another. It holds as many as there are
// connections.
type serving struct {
	mu    sync.Mutex
	names map[string]source.Name
}

// serves says whose branch a connection has from now on.
func (s *serving) serves(id string, n source.Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]source.Name{}
	}
	s.names[id] = n
}

// left says that a connection is no more.
func (s *serving) left(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, id)
}

// ids are the connections of branches, in no order.
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

// named is whose branch a connection has.
func (s *serving) named(id []byte) (source.Name, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.names[string(id)]
	return name, ok
}

// asker has a connection besides the pool's, made when it is first asked.
type asker[C conn] struct {
	dial func(context.Context) (C, error)

	mu     sync.Mutex // of one question at a time, and of what follows
	c      C
	since  time.Time // when it was last used; zero: there is none
	closed bool
}

// ask has a question be asked, no sooner than so long after the answer to the last.
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

// forget gives up the connection; the mutex is held.
func (a *asker[C]) forget() {
	a.c.close()
	a.since = time.Time{}
}

// close ends it for good.
func (a *asker[C]) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed = true; !a.since.IsZero() {
		a.forget()
	}
}
