package sql

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowd is an admission with its places.
type crowd struct {
	*admission
	mu  sync.Mutex
	all []*place
}

func newCrowd(limit int) *crowd {
	c := &crowd{}
	c.admission = newAdmission(limit, func(f func(*place)) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, p := range c.all {
			f(p)
		}
	})
	return c
}

func (c *crowd) join() *place {
	p := &place{admission: c.admission}
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
				if err := c.enter(ctx, p, false, false); err != nil {
					t.Error(err)
					return
				}
				n := inside.Add(1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				time.Sleep(10 * time.Microsecond)
				inside.Add(-1)
				c.leave(p)
				c.leave(p) // harmless
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
	if err := c.enter(ctx, holder, false, false); err != nil {
		t.Fatal(err)
	}
	came := make(chan error, 1)
	go func() { came <- c.enter(ctx, waits, false, false) }()
	eventually(t, "the second queues", func() bool { return c.queued.Load() == 1 })
	open := c.join()
	if err := c.enter(ctx, open, true, false); err != nil { // it would wait for ever
		t.Fatal(err)
	}
	c.leave(open)
	c.leave(holder)
	if err := <-came; err != nil {
		t.Fatal(err)
	}
	c.leave(waits)
	c.empty(t)
}

func TestAdmissionTakesThePlaceOfWhoWaitsInside(t *testing.T) {
	c, ctx := newCrowd(1), context.Background()
	locked, next := c.join(), c.join()
	if err := c.enter(ctx, locked, false, false); err != nil {
		t.Fatal(err)
	}
	locked.pause() // for a lock, say
	if err := c.enter(ctx, next, false, false); err != nil {
		t.Fatalf("nobody works, and yet: %v", err)
	}
	locked.resume() // goes on at once, beyond the bound
	if n := c.inside.Load(); n != 2 {
		t.Errorf("%d are inside, want 2", n)
	}
	c.leave(next)
	c.leave(locked)
	c.empty(t)
}

func TestAdmissionRefusesInTheEnd(t *testing.T) {
	c, ctx := newCrowd(1), context.Background()
	c.wait = 20 * time.Millisecond
	holder, late, gone := c.join(), c.join(), c.join()
	if err := c.enter(ctx, holder, true, false); err != nil {
		t.Fatal(err)
	}
	if err := c.enter(ctx, late, false, false); err == nil {
		t.Fatal("a place beyond the bound")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	c.wait = time.Hour
	if err := c.enter(ended, gone, false, false); err == nil {
		t.Fatal("a place for a client that is gone")
	}
	c.close()
	if err := c.enter(ctx, late, false, false); err == nil {
		t.Fatal("a place at a server that is closed")
	}
	c.leave(holder)
	if err := c.enter(ctx, late, false, false); err != nil {
		t.Fatal(err)
	}
	c.leave(late)
	c.empty(t)
}

// Statements that wait for a row lock must not keep out the one that frees it.
func TestABusyServerDoesNotStarveTheHolderOfALock(t *testing.T) {
	f := start(t)
	adm := f.servers["va"].gateway.admission
	adm.limit = 2
	holder := f.connect(t, "va", "shop")
	holder.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	holder.exec("INSERT INTO t VALUES (1, 0)")
	holder.exec("BEGIN")
	holder.exec("UPDATE t SET v = v + 1 WHERE id = 1")
	holder.query("SELECT * FROM t WHERE id = 1 FOR UPDATE")
	var all sync.WaitGroup
	for range 8 {
		c := f.connect(t, "va", "shop")
		all.Go(func() {
			if _, err := c.conn.ExecContext(context.Background(), "UPDATE t SET v = v + 1 WHERE id = 1"); err != nil {
				t.Error(err)
			}
		})
	}
	other := f.connect(t, "va", "shop")
	other.expect("SELECT 1", "1") // those who wait give their places
	holder.exec("UPDATE t SET v = v + 1 WHERE id = 1")
	holder.exec("COMMIT")
	all.Wait()
	other.expect("SELECT v FROM t", "10")
	eventually(t, "all places are free", func() bool { return adm.inside.Load() == 0 && adm.queued.Load() == 0 })
}
