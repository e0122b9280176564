package main

import (
	"sync"
	"testing"
	"time"
)

// A cluster switches to bonspiel, and under transfers within regions and between them one of its
// nodes is killed, which leads the shard of its region. The others continue, with that region's
// accounts as well; after its restart, each acknowledged transfer is in the ledger, and the
// accounts have the ledger's balances.
func TestBonspielContinuesWithoutALeader(t *testing.T) {
	const victim = 2
	c := initNodes(t, bankRegions, "--wan", "azure5", "--wan-scale", "0.05")
	c.startAll(t)
	order(t, "set-protocol", "bonspiel", "--config", c.about.Nodes[0].Config)
	mustExec(t, c.connect(t, 0), "CREATE DATABASE shop")
	b := &bank{acknowledged: map[int64]bool{}}
	b.connectTo(t, c)
	b.create(t)

	var clients sync.WaitGroup
	for region := range b.dbs {
		clients.Go(func() { b.client(region) })
	}
	b.await(t, 20)
	c.showsTemperatures(t)
	if err := c.nodes[victim].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.nodes[victim].wait()
	before := c.statusOf(t).leaders()
	for end := time.Now().Add(startTimeout); before == "" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		before = c.statusOf(t).leaders()
	}
	if before == "" {
		t.Fatal("a shard has no leader")
	}
	b.await(t, 60) // some of them with accounts whose leader was killed
	c.await(t, victim, c.start(t, victim))
	b.await(t, 20)
	b.disconnect()
	clients.Wait()
	if len(b.broken) > 0 {
		t.Errorf("a client got %v", b.broken[0])
	}
	b.connectTo(t, c)
	b.check(t)
	b.disconnect()
	if name := c.statusOf(t).Protocol; name != "bonspiel" {
		t.Errorf("it runs %s", name)
	}
}

// showsTemperatures: while rows are updated, tables and metrics tell how often.
func (c *testCluster) showsTemperatures(t *testing.T) {
	t.Helper()
	db, warm := c.connect(t, 1), 0
	const asked = "SELECT COUNT(*) FROM isochron.hot_rows WHERE table_name = 'accounts' AND updates_per_second > 0"
	for end := time.Now().Add(startTimeout); warm == 0; time.Sleep(20 * time.Millisecond) {
		if err := db.QueryRow(asked).Scan(&warm); err != nil || time.Now().After(end) {
			t.Fatalf("%d rows are warm: %v", warm, err)
		}
	}
	_, page := c.get(t, 0, "/metrics")
	if n, from := figure(t, page, "isochron_temperature_records"), figure(t, page, "isochron_temperature_threshold_updates"); n < float64(warm) || from <= 0 {
		t.Errorf("by the metrics %v records are warm from %v updates on, and hot_rows has %d", n, from, warm)
	}
}

// connectTo is connect to the nodes of a cluster.
func (b *bank) connectTo(t *testing.T, c *testCluster) {
	t.Helper()
	b.dbs = nil
	for i := range c.nodes {
		b.dbs = append(b.dbs, c.connectTo(t, i, "shop"))
	}
}

// await waits until so many more transfers are acknowledged.
func (b *bank) await(t *testing.T, more int) {
	t.Helper()
	count := func() int {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.acknowledged)
	}
	want := count() + more
	for end := time.Now().Add(startTimeout); count() < want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d transfers are acknowledged instead of %d", count(), want)
		}
	}
}
