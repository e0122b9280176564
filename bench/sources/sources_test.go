package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/server/delay"
	"isochron/server/sourcedb/sourcetest"
	"isochron/sqlload"
)

// What makes no sense is refused before any server is started, with words that name the flag.
func TestParse(t *testing.T) {
	for want, args := range map[string][]string{
		"--deployments":  {"--deployments", "oracle"},
		"--systems":      {"--systems", "unknown"},
		"--loads":        {"--loads", "tpcc"},
		"--skews":        {"--skews", "0.9,1"},
		"--clients":      {"--clients", "0"},
		"--seconds":      {"--seconds", "0"},
		"--rows":         {"--rows", "10"},
		"--distributed":  {"--distributed", "25,101"},
		"--rounds":       {"--rounds", "0"},
		"--wan-scale":    {"--wan-scale", "-1"},
		"3 regions":      {"--wan", "alibaba3"},
		"is no flag":     {"now"},
		"--span between": {"--span", "5"},
		"--central":      {"--central", "5"},
	} {
		if _, err := parse(args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	c, err := parse([]string{"--clients", "1,64", "--wan-scale", "0.5", "--distributed", "25,75,0"}, io.Discard)
	if err != nil || len(c.Clients) != 2 || len(c.Skews) != 3 || !slices.Equal(c.Distributed, []int{25, 75, 0}) {
		t.Fatalf("%+v, %v", c, err)
	}
	got, err := c.delays()
	want := []time.Duration{0, 13500 * time.Microsecond, 36500 * time.Microsecond, 125500 * time.Microsecond}
	if err != nil || len(got) != 4 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("half of geotp4 is %v, %v; want %v", got, err, want)
	}
}

// fake is a deployment whose servers do not run.
func fake(t *testing.T, name, kind string) *deployment {
	t.Helper()
	d := &deployment{name: name, rows: 1000, delays: []time.Duration{0, time.Millisecond, time.Millisecond, time.Millisecond}}
	for range sources {
		link, err := delay.Listen("127.0.0.1:0", "127.0.0.1:1", 0)
		if err != nil {
			t.Fatal(err)
		}
		d.links = append(d.links, link)
		d.servers = append(d.servers, &sourcetest.Server{Kind: kind})
	}
	t.Cleanup(func() {
		for _, l := range d.links {
			_ = l.Close()
		}
	})
	return d
}

// Both systems divide the tables at the same keys, and go through the links that delay.
func TestPeersAreConfigured(t *testing.T) {
	d := fake(t, "pg", "postgres")
	dir := t.TempDir()
	if err := configure(dir, d); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "config-bench.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`sharding-ranges: "1000,2000,3000"`, "jdbc:postgresql://" + d.servers[0].Addr() + "/bank",
		"jdbc:postgresql://" + d.links[3].Addr() + "/bank", "ds_${0..3}.transfer_accounts", "ds_${0..3}.ycsb_records", "ds_3:"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("config-bench.yaml has no %s:\n%s", want, text)
		}
	}
	d = fake(t, "mysql", "mariadb")
	all := strings.Join(spiderTables(d), "\n")
	for _, want := range []string{"PARTITION p0 VALUES LESS THAN (1000)", "PARTITION p2 VALUES LESS THAN (3000)", "PARTITION p3 VALUES LESS THAN (MAXVALUE)", "CREATE SERVER s3"} {
		if !strings.Contains(all, want) {
			t.Errorf("Spider does not get %s:\n%s", want, all)
		}
	}
	if text := tables("mariadb", 1000, 1999); !strings.Contains(text, "seq_1000_to_1999") || strings.Count(text, "CREATE TABLE") != 2 {
		t.Errorf("the tables: %s", text)
	}
}

// The table has every cell, what went wrong with it, and the most memory of each system.
func TestReport(t *testing.T) {
	b := &bench{config: config{Loads: []string{"transfer", "ycsb-txn"}, Distributed: []int{20}}}
	for i, name := range []string{"shardingsphere", "spider"} {
		c := cell{System: name, Deployment: "mysql", Load: "transfer", Skew: 0.9, Clients: 8, Distributed: 20, Memory: memory{Resident: 100, Peak: float64(200 + i)}}
		r := &sqlload.Report{ByType: map[string]sqlload.Figures{"local": {LatencyMS: sqlload.Latency{P50: 1.5}}}}
		r.Total = sqlload.Figures{Commits: 10, Aborts: 5, Throughput: 12.34, Unknown: int64(i)}
		c.take(r)
		b.cells = append(b.cells, c)
	}
	b.cells[1].Left, b.cells[1].Violations = 3, []string{"the money is gone"}
	got := b.report()
	for _, want := range []string{"| shardingsphere, mysql | 0.9 | 8 | 12.3 |", "1.50 / 0.00", "0.50 | 100 |", "3 left prepared; 1 unknown; the money is gone", "| spider, mysql | 201 | 0 |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "ycsb-txn") {
		t.Errorf("a load without cells is in\n%s", got)
	}
}

// This process has memory, and one that does not exist has none.
func TestMemory(t *testing.T) {
	m, err := memoryOf(os.Getpid())
	if err != nil || m.Resident < 1 || m.Peak < m.Resident {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := memoryOf(1 << 30); err == nil {
		t.Error("a process that does not exist has memory")
	}
}
