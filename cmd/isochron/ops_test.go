package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// get fetches a page of a node's HTTP port.
func (c *testCluster) get(t *testing.T, i int, path string) (int, string) {
	t.Helper()
	var resp *http.Response
	var err error
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if resp, err = http.Get("http://" + c.about.Nodes[i].HTTP + path); err == nil {
			break // the port is open
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// figure is the value of a sample, -1 if the page does not have it.
func figure(t *testing.T, page, sample string) float64 {
	t.Helper()
	for line := range strings.Lines(page) {
		if value, ok := strings.CutPrefix(line, sample+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	return -1
}

// awaitPage fetches a page until it answers so.
func (c *testCluster) awaitPage(t *testing.T, i int, path string, code int, say string) {
	t.Helper()
	var got int
	var page string
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got, page = c.get(t, i, path); got == code && strings.Contains(page, say) {
			return
		}
	}
	t.Fatalf("%s of node %d: %d %q; want %d and %q", path, i+1, got, page, code, say)
}

// families are the metrics that a node always has.
var families = []string{
	"isochron_transactions_total", "isochron_commit_duration_seconds", "isochron_commit_network_bound_ratio", "isochron_commit_recoveries_total",
	"isochron_disk_sync_duration_seconds", "isochron_disk_sync_batch_size", "isochron_sql_statement_duration_seconds",
	"isochron_sql_statement_rounds", "isochron_sql_statement_cross_region_rounds", "isochron_sql_transaction_failures_total", "isochron_sql_connections",
	"isochron_sql_unauthenticated_connections", "isochron_sql_unauthenticated_connections_evicted_total", "isochron_sql_login_failures_total",
	"isochron_shard_leads", "isochron_shard_leader_node", "isochron_shard_term", "isochron_shard_applied_index", "isochron_shard_last_index",
	"isochron_shard_undecided", "isochron_shard_lock_holders", "isochron_shard_lock_waiters", "isochron_shard_wounds_total", "isochron_shard_late_arrivals_total", "isochron_shard_proposals_total",
	"isochron_peer_up", "isochron_peer_round_trip_seconds", "isochron_peer_sent_bytes_total", "isochron_peer_dropped_frames_total",
	"isochron_mailbox_depth", "isochron_storage_usage_bytes", "isochron_storage_compaction_debt_bytes", "isochron_storage_cache_hits_total",
	"isochron_ready", "isochron_scrape_success", "go_goroutines", "process_open_fds",
}

const sentinel = "swordfish4711"

// TestWatching: what a started node shows over HTTP and in its log, and that
// neither holds what clients say.
func TestWatching(t *testing.T) {
	c := initCluster(t)
	c.edit(t, "sql_listen:", "slow_transaction: 1ms\nelection_timeout: 2s\nsql_listen:")
	first := c.start(t, 0)
	c.awaitPage(t, 0, "/readyz", http.StatusServiceUnavailable, "majority")
	c.awaitPage(t, 0, "/healthz", http.StatusOK, "ok")
	second := c.start(t, 1)
	c.await(t, 0, first)
	c.await(t, 1, second)
	c.awaitPage(t, 0, "/readyz", http.StatusOK, "ok")

	db := c.connect(t, 0)
	mustExec(t, db, "CREATE DATABASE d")
	mustExec(t, db, "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(40))")
	_, before := c.get(t, 0, "/metrics")
	for i := range 5 {
		mustExec(t, db, fmt.Sprintf("INSERT INTO d.t VALUES (%d, '%s')", i, sentinel))
	}
	if _, err := db.Exec("INSERT INTO d.t VALUES (1, '" + sentinel + "')"); err == nil {
		t.Error("a duplicate key was taken")
	}
	conflict(t, c)
	_, after := c.get(t, 0, "/metrics")
	for _, f := range families {
		if !strings.Contains(after, "\n# TYPE "+f+" ") {
			t.Errorf("no family %s", f)
		}
	}
	if a, b := figure(t, after, "isochron_commit_network_bound_ratio_sum"), figure(t, after, "isochron_commit_over_bound_ratio_sum"); a != b {
		t.Errorf("the old name has the value %v, the new one %v", b, a)
	}
	for sample, least := range map[string]float64{
		`isochron_transactions_total{cause="none",outcome="committed"}`:     5,
		`isochron_commit_duration_seconds_count{writes="yes"}`:              5,
		`isochron_commit_network_bound_ratio_count`:                         5,
		`isochron_sql_transaction_failures_total{cause="nowait"}`:           0,
		`isochron_sql_statement_rounds_count`:                               6,
		`isochron_disk_sync_duration_seconds_count`:                         1,
		`isochron_peer_sent_bytes_total{peer="2"}`:                          1,
		`isochron_transactions_total{cause="client",outcome="rolled_back"}`: 1,
	} { // order: each by itself
		if moved := figure(t, after, sample) - figure(t, before, sample); moved < least || figure(t, before, sample) < 0 {
			t.Errorf("%s moved by %v, want at least %v", sample, moved, least)
		}
	}
	problems, err := promlint.New(strings.NewReader(after)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}
	if !strings.Contains(c.nodes[0].stderr.String(), "slow transaction") || !strings.Contains(c.nodes[0].stderr.String(), "INSERT INTO d.t VALUES (?)") {
		t.Errorf("no slow transaction in the log:\n%s", c.nodes[0].stderr)
	}
	for i, p := range c.nodes[:2] {
		if strings.Contains(p.stderr.String(), sentinel) {
			t.Errorf("node %d logs a literal:\n%s", i+1, p.stderr)
		}
	}
	if strings.Contains(after, sentinel) {
		t.Error("the figures hold a literal")
	}
	c.nodes[1].cmd.Process.Kill()
	_ = c.nodes[1].wait()
	c.awaitPage(t, 0, "/readyz", http.StatusServiceUnavailable, "no known leader")
	c.awaitPage(t, 0, "/healthz", http.StatusOK, "ok")
}

// conflict holds a row and lets another ask for it: the slow line names the
// holder, and rolls back.
func conflict(t *testing.T, c *testCluster) {
	t.Helper()
	holder, waiter := c.connect(t, 0), c.connect(t, 1)
	ctx := context.Background()
	tx, err := holder.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var v string
	if err := tx.QueryRow("SELECT v FROM d.t WHERE id = 1 FOR UPDATE").Scan(&v); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		tx, err := waiter.BeginTx(ctx, nil)
		if err == nil {
			err = tx.QueryRow("SELECT v FROM d.t WHERE id = 1 FOR UPDATE").Scan(new(string))
		}
		if err == nil {
			err = tx.Commit()
		}
		got <- err
	}()
	for end := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		waits := 0.0
		for i := range 2 {
			_, page := c.get(t, i, "/metrics")
			for line := range strings.Lines(page) {
				if strings.HasPrefix(line, "isochron_shard_lock_waiters{") && !strings.HasSuffix(line, " 0\n") {
					waits++
				}
			}
		}
		if waits > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no wait for the row is shown")
		}
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	var line string
	for end := time.Now().Add(startTimeout); line == "" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for l := range strings.Lines(c.nodes[1].stderr.String()) { // it is read from a pipe
			if strings.Contains(l, "slow transaction") && strings.Contains(l, "(waited ") {
				line = l
			}
		}
	}
	if line == "" {
		t.Errorf("no slow line has the wait:\n%s", c.nodes[1].stderr)
		return
	}
	// The shard is led from r1, but on a busy machine perhaps from r2 by now.
	for _, want := range []string{"txn=t2.", "region=r2", "outcome=committed", "total_ms=", "user=root", "client=127.0.0.1:", "tries=1", "lock_wait_ms=",
		" in r", "(waited ", " for t1.", "SELECT v FROM d.t WHERE id = ? FOR UPDATE"} {
		if !strings.Contains(line, want) {
			t.Errorf("the slow line has no %q: %s", want, line)
		}
	}
	t.Log(line)
}
