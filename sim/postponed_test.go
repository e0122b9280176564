package sim

import (
	"context"
	"testing"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
	"isochron/workload"
)

// A remote row is locked by another transaction whenever one arrives for it and for a row nearby.
// With round trips alone a protocol locks the near row while it waits for the remote one, and holds
// it longer. With a forecast it holds the near one no longer than the remote one.
func TestNearLocksAreHeldNoLongerThanFarOnes(t *testing.T) {
	var held []time.Duration
	for _, c := range []struct {
		spec   string
		scale  float64
		longer bool
	}{
		{"2pc+2pl-together", 0, true},
		{"2pc+2pl-postponed", 1e-9, true}, // no forecast
		{"2pc+2pl-postponed", 0, true},    // a quarter of the forecast is not enough here
		{"2pc+2pl-postponed", 1, false},
	} {
		near, far := heldNearAndFar(t, c.spec, c.scale)
		if near > far != c.longer || near <= 0 {
			t.Errorf("%s, forecasts scaled by %v: locks are held for %v next door and %v far away", c.spec, c.scale, near, far)
		}
		held = append(held, near)
	}
	// The wait at the remote row is 460 ms each time.
	for i, least := range []time.Duration{0, 100 * time.Millisecond, 400 * time.Millisecond} {
		if less := held[1] - held[i+1]; less < least {
			t.Errorf("near locks are held for %v less than without a forecast, want at least %v", less, least)
		}
	}
}

// heldNearAndFar runs transactions from va over a row nearby and one at pr, 80 ms away, again and
// again, each time while the latter is held at pr; it returns how long the last one held each.
func heldNearAndFar(t *testing.T, name string, scale float64) (near, far time.Duration) {
	t.Helper()
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := protocol.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions[:3])
	for i, region := range wan.Regions[:3] {
		dir.AddRange(scriptPrefix(i), dir.EnsureShard(dir.Shards[0].Replicas, string(region), 0))
	}
	nextDoor, there := txn.Key(scriptPrefix(0)+"a"), txn.Key(scriptPrefix(2)+"c")
	nearShard, _ := dir.ShardOf(string(nextDoor))
	farShard, _ := dir.ShardOf(string(there))
	w, err := New(Config{
		Seed: 1, WAN: wan, Spec: spec, Directory: dir, Codec: true,
		Params: node.Params{Forecast: txn.Forecasts{Scale: scale}}, Hardware: Hardware{Fsync: time.Millisecond},
		Spans: func(s Span) {
			switch {
			case s.Client != wan.Regions[0]: // the holder
			case uint64(s.Shard) == nearShard:
				near = max(near, s.Held) // its decision's record is a shorter one
			case uint64(s.Shard) == farShard:
				far = max(far, s.Held)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if !w.RunUntil(30*time.Second, w.Ready) {
		t.Fatal("the cluster has no leaders after 30 s")
	}
	w.Run(5 * time.Second)
	const cycle, cycles = 3 * time.Second, 15
	locks := func(c *Client, keys ...txn.Key) txn.Txn {
		tx := c.DB().Begin(txn.Options{})
		if _, err := tx.Read(context.Background(), txn.Read{Gets: keys, ForWrite: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return tx
	}
	w.Go(3, func(c *Client) {
		for range cycles {
			tx := locks(c, there)
			c.Sleep(600 * time.Millisecond)
			tx.Rollback()
			c.Sleep(cycle - 600*time.Millisecond)
		}
	})
	committed := 0
	w.Go(1, func(c *Client) {
		for range cycles {
			c.Sleep(100 * time.Millisecond)
			near, far = 0, 0
			begun := c.Elapsed()
			tx := locks(c, nextDoor, there)
			tx.Put(nextDoor, []byte("1"))
			tx.Put(there, []byte("1"))
			if tx.Commit(context.Background()) == nil {
				committed++
			}
			c.Sleep(begun + cycle - 100*time.Millisecond - c.Elapsed())
		}
	})
	w.Run(cycles * cycle)
	if committed != cycles {
		t.Errorf("%s: %d of %d commits", name, committed, cycles)
	}
	return near, far
}
