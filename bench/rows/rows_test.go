package main

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tableBench is a run with these results and nothing to measure.
func tableBench(t *testing.T, args []string, list ...result) *bench {
	t.Helper()
	c, err := parse(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	loads := tableLoads(1)
	if c.Collapse {
		loads = collapseLoads(1)
	}
	b := &bench{config: c, results: &results{}}
	if b.loads, err = choose(loads, c.Loads); err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		b.results.put(one)
	}
	return b
}

func cell(row, load string, connections, round int, perSecond float64) result {
	return result{Row: row, Load: load, Connections: connections, Round: round, figures: figures{PerSecond: perSecond, P99: 10, Longest: 1500, Tries: 3}}
}

// The default is held against the best other row by medians, not by one lucky round,
// and never against Galera.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		mine, other []float64
		want        string
	}{
		{[]float64{100}, []float64{90}, "first"},
		{[]float64{100}, []float64{105}, "within 5 %"},
		{[]float64{100}, []float64{106}, "**txsql beats it by 6 %**"},
		{[]float64{100, 100, 100}, []float64{80, 500, 90}, "first"},
		{[]float64{0}, []float64{0}, "within 5 %"},
		{[]float64{0}, []float64{7}, "**txsql beats it**"},
		{[]float64{100}, nil, "alone"},
		{nil, []float64{100}, "the default has no figures"},
	} {
		list := []result{cell(galeraRow, "hot0", 64, 0, 9999)}
		for i, v := range c.mine {
			list = append(list, cell("2pc+2pl", "hot0", 64, i, v))
		}
		for i, v := range c.other {
			list = append(list, cell("txsql", "hot0", 64, i, v))
		}
		b := tableBench(t, []string{"--protocols", "2pc+2pl,txsql", "--default", "2pc+2pl", "--loads", "hot0"}, list...)
		if got := b.columns()[0].verdict("2pc+2pl"); got != c.want {
			t.Errorf("%v beside %v: %q, want %q", c.mine, c.other, got, c.want)
		}
	}
}

// A protocol's line is sorted by throughput; a failure is reported, and not taken for a figure.
func TestTable(t *testing.T) {
	broken := cell("aria", "hot0", 64, 0, 0)
	broken.Error = "no | such\nthing"
	b := tableBench(t, []string{"--protocols", "2pc+2pl,txsql,aria", "--default", "2pc+2pl", "--loads", "hot0"},
		cell("2pc+2pl", "hot0", 64, 0, 50), cell("txsql", "hot0", 64, 0, 1234), broken)
	got := b.report()
	for _, want := range []string{
		"| hot0, 64 | 50.0 | txsql | 1234 | 0.04 | **txsql beats it by 2368 %** | - |",
		"| txsql | 1234 | 0.00 | 10 | 0.00 | 0.00 | 1.5 | 3 |  |\n| **2pc+2pl**, the default | 50.0 |",
		"| aria | - | - | - | - | - | - | - | failed 1 of 1 times: no / such thing |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// Throughput below four fifths of the best with fewer connections is reported, a smaller loss is
// not.
func TestCollapse(t *testing.T) {
	var list []result
	for i, v := range []float64{100, 200, 165, 158, 300} {
		one := cell("txsql", "bank20", []int{4, 16, 64, 256, 1024}[i], 0, v)
		one.Collapse = true
		list = append(list, one)
	}
	b := tableBench(t, []string{"--collapse", "--protocols", "txsql", "--loads", "bank20"}, list...)
	want := "| txsql | 100 (10) | 200 (10) | 165 (10) | **158 (10)** | 300 (10) | 0.79 | 1.5 | 3 |  |"
	if got := b.report(); !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}

// Cells in a file are not run again, but failed ones are; the file grows by added cells.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.json")
	first, err := openResults(path)
	if err != nil {
		t.Fatal(err)
	}
	failed := cell("txsql", "hot0", 256, 0, 0)
	failed.Error = "it broke"
	for _, one := range []result{cell("txsql", "hot0", 64, 0, 5), failed} {
		if err := first.add(one); err != nil {
			t.Fatal(err)
		}
	}
	b := tableBench(t, []string{"--protocols", "txsql,2pc+2pl", "--loads", "hot0,hot1", "--repeat", "2"})
	if b.results, err = openResults(path); err != nil {
		t.Fatal(err)
	}
	left := b.todo("txsql", site{name: siteNode}, 0)
	if len(left) != 1 || !slices.Equal(left[0].connections, []int{256}) {
		t.Errorf("left of txsql in the first round: %+v", left)
	}
	if cells, _ := b.left(); cells != 2*2*4-1 {
		t.Errorf("%d cells are left, want 15", cells)
	}
	if b.results.failures() == nil {
		t.Error("a failure is not reported")
	}
	if err := b.results.add(cell("txsql", "hot0", 256, 0, 6)); err != nil {
		t.Fatal(err)
	}
	if again, err := openResults(path); err != nil || len(again.list) != 2 || again.failures() != nil {
		t.Errorf("%+v, %v", again, err)
	}
	if err := os.WriteFile(path, []byte("{nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openResults(path); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a damaged file gives %v", err)
	}
}

// In each round another protocol is first, and all are run.
func TestTurns(t *testing.T) {
	b := tableBench(t, []string{"--protocols", "txsql,2pc+2pl,aria"})
	for round, want := range []string{"txsql", "2pc+2pl", "aria", "txsql"} {
		if rows := b.rows(round); rows[0] != want || len(rows) != 3 {
			t.Errorf("round %d: %v, want %s first", round, rows, want)
		}
	}
}

// Threads are added up; transactions under way count only when they were cut off.
func TestThreads(t *testing.T) {
	a, c := thread{Commits: 90, Lost: 20, Longest: 9_000, Most: 3}, thread{Commits: 8, Begun: 1_000_000, Tries: 7}
	a.Latencies[463], a.Latencies[926] = 98, 2 // of 100 commits two came after the time: 1 % buckets of 100 us and 10 ms
	f := ofThreads([]thread{a, c}, 2, false, 5_000_000)
	if f.PerSecond != 49 || f.Lost != 0.2 || f.Longest != 9 || f.Tries != 3 || f.Stuck != 0 {
		t.Errorf("got %+v", f)
	}
	if f.P50 < 0.099 || f.P50 > 0.102 || f.P99 < 9.9 || f.P99 > 10.2 {
		t.Errorf("p50 %v, p99 %v ms; want 0.1 and 10", f.P50, f.P99)
	}
	if f := ofThreads([]thread{a, c}, 2, true, 5_000_000); f.Longest != 4000 || f.Tries != 7 || f.Stuck != 1 {
		t.Errorf("cut off: %+v", f)
	}
	if f.P999 < 9.9 || f.P999 > 10.2 {
		t.Errorf("p99.9 %v ms; want 10", f.P999)
	}
	if n := binary.Size(thread{}); n != 7*8+2100*4 {
		t.Errorf("a thread has %d bytes", n)
	}
	if !strings.Contains(string(measured), "int64_t commits, lost, unknown, longest, most;") || !strings.Contains(string(measured), "latencies[2100]") {
		t.Error("measured.lua has another layout")
	}
}

// A copy has the protocol's name and shares files that are never written again.
func TestClone(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for name, text := range map[string]string{"c/node1.yaml": "format: 1\nprotocol: aria\nnodes: []\n", "c/node1/1.sst": "table", "c/node1/2.log": "log"} {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := (isochron{spec: "txsql"}).clone(from, to); err != nil {
		t.Fatal(err)
	}
	read := func(dir, name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := read(to, "c/node1.yaml"); got != "format: 1\nprotocol: txsql\nnodes: []\n" || strings.Contains(read(from, "c/node1.yaml"), "txsql") {
		t.Errorf("the copy has %q", got)
	}
	same := func(name string) bool {
		x, err1 := os.Stat(filepath.Join(from, name))
		y, err2 := os.Stat(filepath.Join(to, name))
		return err1 == nil && err2 == nil && os.SameFile(x, y)
	}
	if !same("c/node1/1.sst") || same("c/node1/2.log") || read(to, "c/node1/2.log") != "log" {
		t.Error("a table is to be shared and a log to be copied")
	}
}

// What makes no sense is refused before anything is begun.
func TestFlags(t *testing.T) {
	for _, args := range []string{"--protocols nonsense", "--default tapir", "--show", "--connections 0", "--repeat 0", "--scale 2", "--collapse --galera", "more"} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s is not refused", args)
		}
	}
	if _, err := choose(tableLoads(1), []string{"hot7"}); err == nil || !strings.Contains(err.Error(), "tpcc2-one") {
		t.Errorf("a missing load gives %v", err)
	}
}
