package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"isochron/server/deploy"
	"isochron/server/sourcedb/sourcetest"
)

// joinAgent starts an agent of a server as a process that joins the cluster.
func (c *testCluster) joinAgent(t *testing.T, name string, s *sourcetest.Server) (*process, []string) {
	t.Helper()
	address, file := withoutPassword(t, c.dir, name, s.URL())
	base := freePorts(t, 1)
	args := []string{"agent", "--join", c.about.Nodes[0].Config, "--name", name, "--source", address, "--password-file", file,
		"--region", c.about.Nodes[len(c.about.Nodes)-1].Region, "--peer-port", fmt.Sprint(base), "--out", c.dir}
	return startAgent(t, args...), args
}

// startAgent starts an agent and waits until it prints that it is ready.
func startAgent(t *testing.T, args ...string) *process {
	t.Helper()
	p, out := startProcess(t, command(args...))
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "is ready: agent of ") || strings.Contains(lines.Text(), `"sources":["orders"]`) {
				close(ready)
			}
		}
		p.ended <- p.cmd.Wait()
	}()
	select {
	case <-ready:
	case err := <-p.ended:
		t.Fatalf("the agent ended before it was ready: %v\n%s", err, p.stderr)
	case <-time.After(startTimeout):
		t.Fatalf("the agent is not ready after %v\n%s", startTimeout, p.stderr)
	}
	return p
}

// withoutPassword puts an address's password into a file.
func withoutPassword(t *testing.T, dir, name, address string) (bare, file string) {
	t.Helper()
	scheme, rest, _ := strings.Cut(address, "://")
	account, where, _ := strings.Cut(rest, "@")
	user, _, _ := strings.Cut(account, ":")
	file = filepath.Join(dir, name+".password")
	if err := os.WriteFile(file, []byte(sourcetest.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return scheme + "://" + user + "@" + where, file
}

func (c *testCluster) awaitSource(t *testing.T, what string, ok func(sourceStatus) bool) {
	t.Helper()
	var last []sourceStatus
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		last = c.statusOf(t).Sources
		for _, s := range last {
			if ok(s) {
				return
			}
		}
	}
	t.Fatalf("%s: never; sources are %+v", what, last)
}

// postgresWithStock is a server with a table that its user may do everything with.
func postgresWithStock(t *testing.T) *sourcetest.Server {
	t.Helper()
	pg, err := sourcetest.Postgres()
	sourcetest.LeaveOut(t, err)
	t.Cleanup(pg.Close)
	if err := pg.Exec("CREATE TABLE stock (id bigint PRIMARY KEY, n bigint NOT NULL); GRANT ALL ON stock TO " + sourcetest.User); err != nil {
		t.Fatal(err)
	}
	return pg
}

// An agent joins a running cluster, as a process of its own; the status shows what it serves; it is
// refused with other data; its secrets are shown nowhere; and transactions that it blocks while it
// is stopped end.
func TestAnAgentJoins(t *testing.T) {
	pg := postgresWithStock(t)
	c := initNodes(t, 3, "--wan", "uniform:2ms:3", "--regions", "r1,r2,r3")
	c.startAll(t)
	p, args := c.joinAgent(t, "orders", pg)
	serving := func(s sourceStatus) bool {
		return s.Name == "orders" && s.Serving && s.Dialect == "postgres" && s.Version != "" && s.PreparedMax == 64 && s.Region == "r3"
	}
	c.awaitSource(t, "serving", serving)
	config := c.about.Nodes[0].Config
	text := order(t, "status", "--config", config)
	if !strings.Contains(text, "orders") || !strings.Contains(text, "serving") {
		t.Errorf("status prints\n%s", text)
	}
	if text := order(t, "status", "--config", config, "--in-doubt"); text != "nothing is in doubt\n" {
		t.Errorf("in doubt: %s", text)
	}
	var d doubts
	if err := json.Unmarshal([]byte(order(t, "status", "--config", config, "--in-doubt", "--json")), &d); err != nil || d.Sources == nil || d.Error != "" {
		t.Errorf("in doubt: %+v, %v", d, err)
	}
	c.countsAtAgent(t, args)
	c.sourceGoesAndComes(t, pg, serving)
	c.agentStops(t, p)

	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.wait()
	again := startAgent(t, append(slices.Clone(args), "--json")...) // the same command continues
	c.awaitSource(t, "serving again", serving)
	seen := p.stderr.String() + again.stderr.String() + text + strings.Join(args, " ") + order(t, "status", "--config", config, "--json")
	if strings.Contains(seen, "s3cret") {
		t.Errorf("the password is shown")
	}
	refusals(t, config)
	order(t, "source", "remove", "--config", config, "--name", "orders")
	for _, s := range c.statusOf(t).Sources {
		if s.Source != 0 {
			t.Errorf("after its removal: %+v", s)
		}
	}
}

// countsAtAgent has transactions at the source, of which the figures of its agent tell.
func (c *testCluster) countsAtAgent(t *testing.T, args []string) {
	t.Helper()
	db := c.connect(t, 0)
	for _, stmt := range []string{"CREATE DATABASE d", "CREATE TABLE d.own (id INT PRIMARY KEY)", "CALL isochron.import_table('orders', 'd')", "INSERT INTO d.stock VALUES (1, 1)"} {
		mustExec(t, db, stmt)
	}
	for _, ends := range []string{"COMMIT", "ROLLBACK"} {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, stmt := range []string{"BEGIN", "UPDATE d.stock SET n = n + 1 WHERE id = 1", "INSERT INTO d.own VALUES (1)", ends} {
			if _, err := conn.ExecContext(t.Context(), stmt); err != nil {
				t.Fatalf("%s: %v", stmt, err)
			}
		}
		mustExec(t, db, "DELETE FROM d.own")
		_ = conn.Close()
	}
	var port int
	if _, err := fmt.Sscan(args[slices.Index(args, "--peer-port")+1], &port); err != nil {
		t.Fatal(err)
	}
	agent := testCluster{about: initialized{Nodes: []initializedNode{{HTTP: deploy.DefaultHTTP(port)}}}}
	want := map[string]float64{
		`isochron_source_serving{source="orders"}`: 1, `isochron_source_in_doubt{source="orders"}`: 0, `isochron_source_branches{source="orders"}`: 0,
		`isochron_source_rounds_total{source="orders"}`: 3, `isochron_source_statements_total{source="orders"}`: 3,
		`isochron_source_ended_total{outcome="committed",source="orders"}`: 2, `isochron_source_ended_total{outcome="aborted",source="orders"}`: 1,
		`isochron_source_lock_hold_seconds_count{source="orders"}`: 3, `isochron_source_refusals_total{cause="lock_wait_timeout",source="orders"}`: 0,
		`isochron_source_recovery_waits_total{source="orders"}`: 0, `isochron_hot_records_bytes`: 0,
	}
	var wrong []string
	for end := time.Now().Add(startTimeout / 6); ; time.Sleep(50 * time.Millisecond) { // a branch ends after its client is answered
		_, page := agent.get(t, 0, "/metrics")
		wrong = nil
		for sample, n := range want { // order: each by itself
			if is := figure(t, page, sample); is != n {
				wrong = append(wrong, fmt.Sprintf("%s is %v, not %v", sample, is, n))
			}
		}
		problems, err := promlint.New(strings.NewReader(page)).Lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("promlint: %v %v", problems, err)
		}
		if len(wrong) == 0 || time.Now().After(end) {
			break
		}
	}
	if len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

// sourceGoesAndComes kills the database, and starts it again.
func (c *testCluster) sourceGoesAndComes(t *testing.T, pg *sourcetest.Server, serving func(sourceStatus) bool) {
	t.Helper()
	pg.Kill()
	c.awaitSource(t, "down", func(s sourceStatus) bool {
		return !s.Serving && s.state() == "DOWN" && strings.Contains(s.Reason, "source")
	})
	mustExec(t, c.connect(t, 0), "CREATE DATABASE beside") // no other test uses it
	if err := pg.Start(); err != nil {
		t.Fatal(err)
	}
	c.awaitSource(t, "back", serving)
}

// refusals are commands that are wrong, each with a line and its exit code.
func refusals(t *testing.T, config string) {
	t.Helper()
	join := []string{"agent", "--join", config, "--region", "r1", "--peer-port", "1", "--out", t.TempDir(), "--name"}
	for _, x := range []struct {
		code int
		text string
		args []string
	}{
		{exitUsage, "give --config for an agent that was made, or --join", []string{"agent"}},
		{exitUsage, "has a password, which others could read", append(join, "a", "--source", "postgres://u:pw@127.0.0.1/d")},
		{exitUsage, "cannot name a source", append(join, "A B", "--source", "postgres://u@127.0.0.1/d")},
		{exitUsage, "a source is postgres://... or mysql://...", append(join, "a", "--source", "oracle://u@127.0.0.1/d")},
		{exitUsage, "names no database", append(join, "a", "--source", "mysql://u@127.0.0.1")},
		{exitUsage, "the password cannot be read", append(join, "a", "--source", "mysql://u@127.0.0.1/d", "--password-file", "/no/such/file")},
		{exitUsage, "names no sources", []string{"agent", "--config", config}},
		{exitUsage, "the cluster has no source", []string{"source", "accept", "--config", config, "--name", "unknown"}},
		{exitUsage, "give --name of one", []string{"resolve", "--config", config}},
		{exitFailed, "1 of 1 have not ended", []string{"resolve", "--config", config, "--name", "isochron1.1.2.3.4/5.6"}},
		{exitOK, "0 ended, 0 did not", []string{"resolve", "--config", config, "--all"}},
	} {
		var out, stderr strings.Builder
		if code := run(context.Background(), x.args, &out, &stderr); code != x.code || !strings.Contains(out.String()+stderr.String(), x.text) {
			t.Errorf("%v: exit %d, %s%s", x.args, code, &out, &stderr)
		}
	}
}
