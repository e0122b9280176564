package admission

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// computes has a statement work for so long, in batches of a millisecond.
func computes(ctx context.Context, c *crowd, p *Place, long time.Duration) {
	for begun := time.Now(); time.Since(begun) < long; {
		time.Sleep(time.Millisecond)
		p.Work(ctx)
	}
}

func (c *crowd) enters(t *testing.T, p *Place) {
	t.Helper()
	if err := c.Enter(context.Background(), p, false, false); err != nil {
		t.Fatal(err)
	}
}

// Statements that compute for long leave half of the CPUs to those that begin, and all get their turns.
func TestHeavyStatementsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cpus := newCrowd(100), runtime.GOMAXPROCS(0)
		var working, most atomic.Int64
		var all sync.WaitGroup
		var batches [6]int
		light := c.join()
		stop := make(chan struct{})
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
					c.enters(t, light)
					c.Leave(light)
				}
			}
		})
		var heavies sync.WaitGroup
		for i := range batches {
			p := c.join()
			heavies.Go(func() {
				c.enters(t, p)
				defer c.Leave(p)
				for begun := time.Now(); time.Since(begun) < 3*time.Second; {
					n := working.Add(1)
					time.Sleep(time.Millisecond)
					working.Add(-1)
					if time.Since(begun) > 200*time.Millisecond { // all are known
						most.Store(max(most.Load(), n))
						batches[i]++
					}
					p.Work(context.Background())
				}
			})
		}
		heavies.Wait()
		close(stop)
		all.Wait()
		if bound := int64(max(1, cpus/2)); most.Load() > bound {
			t.Errorf("%d computed at a time beside others, of %d CPUs", most.Load(), cpus)
		}
		least, largest := batches[0], batches[0]
		for _, n := range batches {
			least, largest = min(least, n), max(largest, n)
		}
		if least == 0 || largest > 2*least {
			t.Errorf("turns are not shared: %v batches", batches)
		}
		if n := c.turns.heavy.Load(); n != 0 || len(c.turns.taken)+len(c.turns.queue) != 0 {
			t.Errorf("%d are left, %d at work, %d waiting", n, len(c.turns.taken), len(c.turns.queue))
		}
		c.empty(t)
	})
}

// Alone, as many compute as there are CPUs.
func TestHeavyStatementsMayHaveAllCPUs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cpus := newCrowd(100), runtime.GOMAXPROCS(0)
		var all sync.WaitGroup
		time.Sleep(time.Second) // nothing has begun for long
		for range cpus {
			p := c.join()
			c.enters(t, p)
			all.Go(func() {
				defer c.Leave(p)
				begun := time.Now()
				for range 1000 {
					time.Sleep(time.Millisecond)
					p.Work(context.Background())
				}
				if took := time.Since(begun); took > 1200*time.Millisecond {
					t.Errorf("it took %v", took)
				}
			})
		}
		all.Wait()
	})
}

// What computes for long without looking up keeps its turn for about as long as it has said.
func TestLongWorkKeepsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cpus := newCrowd(100), runtime.GOMAXPROCS(0)
		var working, most atomic.Int64
		var all sync.WaitGroup
		for range 10 * cpus {
			p := c.join()
			c.enters(t, p)
			all.Go(func() {
				defer c.Leave(p)
				p.WorkFor(context.Background(), 200*time.Millisecond)
				n := working.Add(1)
				most.Store(max(most.Load(), n))
				time.Sleep(200 * time.Millisecond)
				working.Add(-1)
			})
		}
		all.Wait()
		if most.Load() > int64(cpus) {
			t.Errorf("%d compute at a time, on %d CPUs", most.Load(), cpus)
		}
	})
}

// Statements that all compute for long, one after the other on each connection, have all CPUs.
func TestLongStatementsAloneHaveAllCPUs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cpus := newCrowd(100), runtime.GOMAXPROCS(0)
		time.Sleep(time.Second)
		begun := time.Now()
		var all sync.WaitGroup
		for range cpus {
			p := c.join()
			all.Go(func() {
				for range 20 {
					c.enters(t, p)
					p.WorkFor(context.Background(), 50*time.Millisecond)
					time.Sleep(50 * time.Millisecond)
					c.Leave(p)
					c.Leave(p) // as a statement does that was answered
				}
			})
		}
		all.Wait()
		if took := time.Since(begun); took > 1200*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

// A turn is given up by who waits for something else, ends, or is not heard of, and a wait ends with its statement.
func TestTurnsAreGivenUp(t *testing.T) {
	for name, gives := range map[string]func(c *crowd, p *Place){
		"a pause":    func(_ *crowd, p *Place) { p.Pause() },
		"an end":     func(c *crowd, p *Place) { c.Leave(p) },
		"a long one": func(*crowd, *Place) { time.Sleep(2 * turnLost) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(100)
				var held []*Place
				for range runtime.GOMAXPROCS(0) {
					p := c.join()
					c.enters(t, p)
					computes(context.Background(), c, p, 2*sliceLong)
					held = append(held, p)
				}
				short := c.join() // others are expected
				c.enters(t, short)
				c.Leave(short)
				waiting := c.join()
				c.enters(t, waiting)
				begun, done := time.Now(), make(chan time.Duration)
				go func() {
					computes(context.Background(), c, waiting, 2*sliceLong)
					done <- time.Since(begun)
				}()
				time.Sleep(sliceLong)
				for _, p := range held {
					gives(c, p)
				}
				if took := <-done; took > turnWait/2 {
					t.Errorf("its turn came after %v", took)
				}
			})
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(100)
			ctx, cancel := context.WithCancel(context.Background())
			p := c.join()
			c.enters(t, p)
			c.turns.heavy.Add(1) // one that holds all turns and is at work
			other := c.join()
			for range runtime.GOMAXPROCS(0) {
				c.turns.take(other, c.now()+int64(time.Hour))
			}
			time.AfterFunc(50*time.Millisecond, cancel)
			begun := time.Now()
			computes(ctx, c, p, 2*sliceLong)
			if took := time.Since(begun); took > 60*time.Millisecond || len(c.turns.queue) != 0 {
				t.Errorf("it ended after %v, %d wait", took, len(c.turns.queue))
			}
			begun = time.Now()
			computes(context.Background(), c, p, 2*sliceLong)
			if took := time.Since(begun); took < turnWait || took > 2*turnWait {
				t.Errorf("a wait without an end took %v", took)
			}
		})
	})
}
