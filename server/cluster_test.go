package server

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

func testConfig(t *testing.T, dir string, spec protocol.Spec) Config {
	t.Helper()
	wan, err := geo.Parse("uniform:2ms:3")
	if err != nil {
		t.Fatal(err)
	}
	return Config{Dir: dir, WAN: wan, WANName: "uniform:2ms:3", Spec: spec}
}

func startTest(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	c, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func closeTest(t *testing.T, c *Cluster) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// atomically retries a transaction until it commits.
func atomically(t *testing.T, db txn.DB, body func(context.Context, txn.Txn) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var last txn.Txn
	for {
		tx := db.Begin(txn.Options{RetryOf: last})
		err := body(ctx, tx)
		if err == nil {
			err = tx.Commit(ctx)
		}
		if err == nil {
			return
		}
		tx.Rollback()
		if txn.KindOf(err) != txn.KindAborted {
			t.Errorf("in %s: %v", db.Region(), err)
			return
		}
		last = tx
	}
}

func counter() txn.Key { return txn.Key(routing.SystemKey("test/counter")) }

// increment adds one to the counter.
func increment(ctx context.Context, tx txn.Txn) error {
	res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{counter()}, ForWrite: true})
	if err != nil {
		return err
	}
	tx.Put(counter(), append(append([]byte{}, res.Values[0]...), '+'))
	return nil
}

func count(t *testing.T, db txn.DB) int {
	t.Helper()
	n := 0
	atomically(t, db, func(ctx context.Context, tx txn.Txn) error {
		res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{counter()}, OnlyRead: true})
		if err != nil {
			return err
		}
		n = len(res.Values[0])
		return nil
	})
	return n
}

// Clients of all regions count together; the count survives a restart; no update is lost.
func TestClusterCountsAndRemembers(t *testing.T) {
	const each = 10
	for _, spec := range protocol.OverShards() {
		t.Run(spec.Name, func(t *testing.T) {
			cfg := testConfig(t, t.TempDir(), spec)
			for round := 1; round <= 2; round++ {
				c := startTest(t, cfg)
				var wg sync.WaitGroup
				for _, r := range cfg.WAN.Regions {
					db := c.DB(r)
					wg.Go(func() {
						for range each {
							atomically(t, db, increment)
						}
					})
				}
				wg.Wait()
				for _, r := range cfg.WAN.Regions {
					if got, want := count(t, c.DB(r)), round*each*len(cfg.WAN.Regions); got != want {
						t.Errorf("round %d: counted %d in %s, want %d", round, got, r, want)
					}
				}
				closeTest(t, c)
			}
		})
	}
}

func TestClusterRefusesToBeAnother(t *testing.T) {
	spec := protocol.Table()[0]
	cfg := testConfig(t, t.TempDir(), spec)
	c := startTest(t, cfg)
	if _, err := Start(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a directory in use: %v", err)
	}
	closeTest(t, c)
	other := cfg
	other.WAN, other.WANName = mustWAN(t, "uniform:2ms:4"), "uniform:2ms:4"
	if _, err := Start(context.Background(), other); err == nil || !strings.Contains(err.Error(), "regions") {
		t.Errorf("another set of regions: %v", err)
	}
}

func mustWAN(t *testing.T, spec string) geo.WAN {
	t.Helper()
	w, err := geo.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A client that stops waiting receives "unknown" immediately, and its transaction does not stay open.
func TestClientStopsWaiting(t *testing.T) {
	cfg := testConfig(t, t.TempDir(), protocol.Table()[0])
	c := startTest(t, cfg)
	defer closeTest(t, c)
	db := c.DB(cfg.WAN.Regions[1])
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	tx := db.Begin(txn.Options{})
	_, err := tx.Read(gone, txn.Read{Gets: []txn.Key{counter()}, Lock: txn.LockExclusive})
	if txn.KindOf(err) != txn.KindUnavailable {
		t.Errorf("an abandoned read: %v", err)
	}
	tx.Rollback()
	atomically(t, db, increment)
	if got := count(t, db); got != 1 {
		t.Errorf("counted %d, want 1", got)
	}
	tx = db.Begin(txn.Options{})
	tx.Put(counter(), []byte("++"))
	if err := tx.Commit(gone); txn.KindOf(err) != txn.KindUnknown {
		t.Errorf("an abandoned commit: %v", err)
	}
	tx.Rollback()
}

// After Close pending clients receive an error.
func TestClosedClusterAnswers(t *testing.T) {
	cfg := testConfig(t, t.TempDir(), protocol.Table()[0])
	c := startTest(t, cfg)
	db := c.DB(cfg.WAN.Regions[0])
	closeTest(t, c)
	tx := db.Begin(txn.Options{})
	if _, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{counter()}}); txn.KindOf(err) != txn.KindUnavailable {
		t.Errorf("a read after the end: %v", err)
	}
}
