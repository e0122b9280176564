package sim

import (
	"context"
	"testing"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/workload"
	"isochron/yield"
)

// counting is a node whose lock tables report a fixed amount of work at each request.
type counting struct {
	*node.Node
	locks, steps    uint64
	eachLocks, each uint64
}

func (c *counting) LockWork() yield.LockStats {
	return yield.LockStats{Locks: c.locks, Steps: c.steps, WaitersExamined: c.steps}
}

func (c *counting) Submit(now txn.Now, req *coordinator.Request) {
	c.locks, c.steps = c.locks+c.eachLocks, c.steps+c.each
	c.Node.Submit(now, req)
}

var loopKey = txn.Key(routing.TablePrefix(1001) + "a")

// loopWorld is one host, on two cores, whose node has a loop.
func loopWorld(t *testing.T, hw Hardware, locks, steps uint64) *Cluster {
	t.Helper()
	wan, err := geo.Parse("uniform:1ms:1")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := protocol.ByName("2pc+2pl-home")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	workload.Spread(dir, 1)
	hw.Cores, hw.Loop = 2, true
	w, err := New(Config{Seed: 1, WAN: wan, Spec: spec, Directory: dir, Hardware: hw,
		boot: func(cfg node.Config, now txn.Now) (process, error) {
			n, err := node.New(cfg, now)
			return &counting{Node: n, eachLocks: locks, each: steps}, err
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if !w.RunUntil(time.Minute, w.Ready) {
		t.Fatal("no leader")
	}
	return w
}

// readers lets clients read a row each times; it returns the time until all have finished.
func readers(t *testing.T, w *Cluster, clients, each int) time.Duration {
	t.Helper()
	began, left := w.Elapsed(), clients
	for range clients {
		w.Go(1, func(c *Client) {
			for range each {
				tx := c.DB().Begin(txn.Options{ReadOnly: true})
				if _, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{loopKey}}); err != nil {
					t.Error(err)
				}
			}
			left--
		})
	}
	for left > 0 {
		if !w.Step(began + time.Minute) {
			t.Fatal("the readers do not finish")
		}
	}
	return w.Elapsed() - began
}

// A loop processes one request after the other, each with its cost in the lock tables.
func TestALoopRunsOneTaskAtATime(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		hw           Hardware
		locks, steps uint64
		each         time.Duration
	}{
		{Hardware{RequestCPU: 100 * us}, 0, 0, 100 * us},
		{Hardware{RequestCPU: 100 * us}, 5, 7, 100 * us}, // nothing is charged for them
		{Hardware{RequestCPU: 100 * us, LockCPU: 10 * us}, 5, 7, 150 * us},
		{Hardware{RequestCPU: 100 * us, StepCPU: us, LockCPU: 10 * us}, 5, 200, 350 * us},
		{Hardware{StepCPU: us}, 0, 200, 200 * us},
		{Hardware{BesideCPU: us}, 0, 300, 300 * us},
	} {
		w := loopWorld(t, c.hw, c.locks, c.steps)
		before := w.Worked(1)
		took, want := readers(t, w, 4, 25), 100*c.each
		if took < want || took > want+want/50 {
			t.Errorf("%+v, %d locks and %d steps each: 100 requests of 4 clients took %v, want %v", c.hw, c.locks, c.steps, took, want)
		}
		if worked := w.Worked(1) - before; worked < want || worked > want+want/50 {
			t.Errorf("%+v: its cores have worked for %v, want %v", c.hw, worked, want)
		}
	}
}

// Work that clients give a node runs beside its loop.
func TestWorkBesideTheLoop(t *testing.T) {
	w := loopWorld(t, Hardware{RequestCPU: time.Millisecond}, 0, 0)
	worked := time.Duration(0)
	w.Go(1, func(c *Client) {
		began := c.Elapsed()
		c.Work(50 * time.Millisecond)
		c.WorkBeside(time.Second)
		worked = c.Elapsed() - began
	})
	if took := readers(t, w, 1, 100); took > 102*time.Millisecond || worked != 50*time.Millisecond {
		t.Errorf("100 requests took %v, and 50 ms of work beside them %v", took, worked)
	}
}

// Work of the loop is queued there, and later work waits for it.
func TestLoopWorkIsQueued(t *testing.T) {
	w := loopWorld(t, Hardware{RequestCPU: time.Millisecond}, 0, 0)
	worked := time.Duration(0)
	w.Go(1, func(c *Client) {
		began := c.Elapsed()
		c.QueueWork(0)
		c.QueueWork(50 * time.Millisecond)
		worked = c.Elapsed() - began
	})
	if took := readers(t, w, 1, 100); took < 148*time.Millisecond || took > 154*time.Millisecond || worked < 50*time.Millisecond || worked > 52*time.Millisecond {
		t.Errorf("100 requests took %v, and 50 ms of the loop's own work %v", took, worked)
	}
}

// A crash in the middle of a turn loses the queued requests, and no answer.
func TestALoopIsLostWithItsHost(t *testing.T) {
	w := loopWorld(t, Hardware{RequestCPU: time.Millisecond, LockCPU: time.Millisecond}, 1, 0)
	refused := 0
	for range 5 {
		w.Go(1, func(c *Client) {
			tx := c.DB().Begin(txn.Options{})
			if _, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{loopKey}}); err != nil {
				refused++
			}
		})
	}
	w.Run(4500 * time.Microsecond) // a turn is two milliseconds
	w.host(1).crash(strictly)
	w.Run(5 * time.Millisecond)
	if refused != 3 || len(w.host(1).loop.waiting) > 0 || w.host(1).loop.running {
		t.Errorf("%d of 5 were refused, want 3: %+v", refused, w.host(1).loop)
	}
}
