package admission

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowd is an admission with its places.
type crowd struct {
	*Control
	mu  sync.Mutex
	all []*Place
}

func newCrowd(limit int) *crowd {
	c := &crowd{}
	c.Control = New(limit, func(f func(*Place)) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, p := range c.all {
			f(p)
		}
	})
	return c
}

func (c *crowd) join() *Place {
	p := &Place{admission: c.Control}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, p)
	return p
}

// empty checks that all places are free and nobody waits.
func (c *crowd) empty(t *testing.T) {
	t.Helper()
	if n, q := c.inside.Load(), c.queued.Load(); n != 0 || q != 0 || len(c.queue) != 0 {
		t.Errorf("at the end %d are inside and %d (%d) wait", n, q, len(c.queue))
	}
}

func TestAdmissionBoundsWhatWorks(t *testing.T) {
	c, ctx := newCrowd(4), context.Background()
	var inside, most, done atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		p := c.join()
		all.Go(func() {
			for range 20 {
				if err := c.Enter(ctx, p, false, false); err != nil {
					t.Error(err)
					return
				}
				n := inside.Add(1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				time.Sleep(10 * time.Microsecond)
				inside.Add(-1)
				c.Leave(p)
				c.Leave(p) // harmless
				done.Add(1)
			}
		})
	}
	all.Wait()
	// A machine may stop a statement for longer than placeLong, and another gets its place.
	if done.Load() != 2000 || most.Load() > 8 {
		t.Errorf("%d were done, and %d worked at a time", done.Load(), most.Load())
	}
	c.empty(t)
}

func TestAdmissionLetsOpenTransactionsPass(t *testing.T) {
	c, ctx := newCrowd(1), context.Background()
	holder, waits := c.join(), c.join()
	if err := c.Enter(ctx, holder, false, false); err != nil {
		t.Fatal(err)
	}
	came := make(chan error, 1)
	go func() { came <- c.Enter(ctx, waits, false, false) }()
	soon(t, "the second queues", func() bool { return c.queued.Load() == 1 })
	open := c.join()
	if err := c.Enter(ctx, open, true, false); err != nil { // it would wait for ever
		t.Fatal(err)
	}
	c.Leave(open)
	c.Leave(holder)
	if err := <-came; err != nil {
		t.Fatal(err)
	}
	c.Leave(waits)
	c.empty(t)
}

func TestAdmissionTakesThePlaceOfWhoWaitsInside(t *testing.T) {
	c, ctx := newCrowd(1), context.Background()
	locked, next := c.join(), c.join()
	if err := c.Enter(ctx, locked, false, false); err != nil {
		t.Fatal(err)
	}
	locked.Pause() // for a lock, say
	if err := c.Enter(ctx, next, false, false); err != nil {
		t.Fatalf("nobody works, and yet: %v", err)
	}
	locked.Resume() // continues immediately, beyond the bound
	if n := c.inside.Load(); n != 2 {
		t.Errorf("%d are inside, want 2", n)
	}
	c.Leave(next)
	c.Leave(locked)
	c.empty(t)
}

func TestAdmissionRefusesInTheEnd(t *testing.T) {
	c, ctx := newCrowd(1), context.Background()
	c.wait = 20 * time.Millisecond
	holder, late, gone := c.join(), c.join(), c.join()
	if err := c.Enter(ctx, holder, true, false); err != nil {
		t.Fatal(err)
	}
	if err := c.Enter(ctx, late, false, false); err == nil {
		t.Fatal("a place beyond the bound")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	c.wait = time.Hour
	if err := c.Enter(ended, gone, false, false); err == nil {
		t.Fatal("a place for a client that is gone")
	}
	c.Close()
	if err := c.Enter(ctx, late, false, false); err == nil {
		t.Fatal("a place at a server that is closed")
	}
	c.Leave(holder)
	if err := c.Enter(ctx, late, false, false); err != nil {
		t.Fatal(err)
	}
	c.Leave(late)
	c.empty(t)
}

// soon waits for what must hold soon.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Errorf("%s: not in a minute", what)
}
