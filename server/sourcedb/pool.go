package sourcedb

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"isochron/source"
)

// conn is a connection to a server, of either dialect.
type conn interface {
	// sound checks without a trip whether the connection still exists after a pause.
	sound(ctx context.Context, pause time.Duration) bool
	// close ends it; it may block for up to cleanUpMax.
	close()
}

// A pool bounds the connections to a source. Each connection, also while it is opened or closed, occupies a place;
// places are granted in the order of requests. A connection is used by one caller, idle, or parked under the name of
// a prepared branch that is tied to it.
type pool[C conn] struct {
	dial func(ctx context.Context) (C, error)
	size int

	mu      sync.Mutex
	free    int // unoccupied places
	idle    []idleConn[C]
	parked  map[source.Name]C
	waiting []chan struct{}
	closed  bool
	closing sync.WaitGroup // connections that are being closed
}

type idleConn[C conn] struct {
	c     C
	since time.Time
}

func newPool[C conn](size int, dial func(context.Context) (C, error)) *pool[C] {
	return &pool[C]{dial: dial, size: size, free: size, parked: map[source.Name]C{}}
}

// unseen is the longest time a connection may have been idle to be given unchecked to a caller that
// can send again: checking its socket costs 2 us.
const unseen = time.Second

// get returns a connection. used: it has served before and may turn out to be broken. wait bounds the wait for a
// place, as a branch's lock waits are bounded; 0: until ctx ends.
func (p *pool[C]) get(ctx context.Context, wait time.Duration) (c C, used bool, err error) {
	return p.getIdle(ctx, wait, 0)
}

// getIdle is get, without a check of a connection that has been idle for less than unlooked.
func (p *pool[C]) getIdle(ctx context.Context, wait, unlooked time.Duration) (c C, used bool, err error) {
	if err := p.place(ctx, wait); err != nil {
		return c, false, err
	}
	for {
		p.mu.Lock()
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			break
		}
		i := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		pause := time.Since(i.since)
		if pause < unlooked || pause < idleMax && i.c.sound(ctx, pause) {
			return i.c, true, nil
		}
		i.c.close()
	}
	c, err = p.dial(ctx)
	if err != nil {
		p.release()
	}
	return c, false, err
}

// place waits for a place, for at most wait; 0: until ctx ends.
func (p *pool[C]) place(ctx context.Context, wait time.Duration) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return &source.Error{Code: 1053, State: "08S01", Text: "the driver of the source is closed", Ends: true}
	}
	if p.free > 0 && len(p.waiting) == 0 {
		p.free--
		p.mu.Unlock()
		return nil
	}
	turn := make(chan struct{}, 1)
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	if wait > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, wait)
		defer stop()
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	i := slices.Index(p.waiting, turn)
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 {
		p.release() // it was handed over just now
	}
	return &source.Error{
		Code: 1040, State: "08004", Ends: true, Again: true,
		Text: fmt.Sprintf("all %d connections to the source are in use and none became free within innodb_lock_wait_timeout; the source's connections setting bounds their number", p.size),
	}
}

// release frees a place.
func (p *pool[C]) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) > 0 {
		p.waiting[0] <- struct{}{}
		p.waiting = p.waiting[1:]
		return
	}
	p.free++
}

// put returns a sound connection.
func (p *pool[C]) put(c C) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		p.drop(c)
		return
	}
	p.idle = append(p.idle, idleConn[C]{c, time.Now()})
	p.mu.Unlock()
	p.release()
}

// drop closes a connection in the background, after calling before.
func (p *pool[C]) drop(c C, before ...func()) {
	p.closing.Add(1)
	go func() {
		defer p.closing.Done()
		for _, f := range before {
			f()
		}
		c.close()
		p.release()
	}()
}

// forget closes the idle connections: one was found broken, so the others likely are.
func (p *pool[C]) forget() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, i := range idle {
		i.c.close()
	}
}

// park keeps a connection and its place for the call that finishes the branch.
func (p *pool[C]) park(n source.Name, c C) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		p.drop(c)
		return
	}
	p.parked[n] = c
	p.mu.Unlock()
}

// holds reports whether a connection is parked for a branch.
func (p *pool[C]) holds(n source.Name) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.parked[n]
	return ok
}

// take returns the connection parked for a branch, with its place.
func (p *pool[C]) take(n source.Name) (c C, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok = p.parked[n]
	delete(p.parked, n)
	return c, ok
}

// close closes all connections except those in use, which are closed when they are returned.
func (p *pool[C]) close() {
	p.mu.Lock()
	p.closed = true
	idle, parked := p.idle, p.parked
	p.idle, p.parked = nil, map[source.Name]C{}
	p.mu.Unlock()
	for _, i := range idle {
		i.c.close()
	}
	for _, c := range parked {
		c.close()
		p.release()
	}
	p.closing.Wait()
}
