package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"isochron/sqlload"
)

// runHere runs a command in this process and expects an exit code.
func runHere(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	if code := run(context.Background(), args, &out, &err); code != want {
		t.Fatalf("isochron %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, &out, &err)
	}
	return out.String(), err.String()
}

// Every workload is loaded, run from all regions and found sound; then
// something is broken by hand, and found.
func TestWorkloads(t *testing.T) {
	p := startDemo(t, 3, "--wan", "uniform:1ms:3", "--port", "0", "--load", "none")
	var addresses []string
	for _, port := range p.ports {
		addresses = append(addresses, fmt.Sprintf("127.0.0.1:%d", port))
	}
	dsn := "--dsn=" + strings.Join(addresses, ",")
	file := filepath.Join(t.TempDir(), "history.jsonl")
	if _, output := runHere(t, exitFailed, "workload", "bank", "run", dsn, "--db", "nothing_here"); !strings.Contains(output, "nothing_here") {
		t.Errorf("of a database that is not there it said %q", output)
	}
	for _, c := range []struct {
		name          string
		prepare, run  []string
		harm, message string // a statement that breaks it, and the check's report then
	}{
		{"bank", []string{"--rows", "50", "--placement", "hash:3"}, nil, "UPDATE bank_accounts SET balance = balance + 1 WHERE id = 7", "account 7 has"},
		{"smallbank", []string{"--rows", "100"}, []string{"--hot", "10"}, "UPDATE smallbank_savings SET bal = -1 WHERE custid = 7", "savings are down to -1"},
		{"ycsb", []string{"--rows", "100"}, []string{"--mix", "b", "--theta", "0.9", "--warmup", "100ms"}, "DELETE FROM usertable WHERE ycsb_key = 7", "there are 99 records"},
		{"fit", []string{"--rows", "2"}, nil, "UPDATE fit_accounts SET balance = balance + 1 WHERE id = 1", "account 1 has"},
		{"hotspot", nil, nil, "DELETE FROM hotspot_rows WHERE id = 0", "there are 0 rows"},
		{"list-append", []string{"--rows", "4"}, []string{"--history", file}, "", ""},
		{"tpcc", []string{"--scale", "0.003", "--placement", "hash:3"}, nil, "UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 1", "condition 1, warehouse 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runHere(t, exitOK, append([]string{"workload", c.name, "prepare", dsn, "--json"}, c.prepare...)...)
			out, _ := runHere(t, exitOK, append([]string{"workload", c.name, "run", dsn, "--json", "--for", "2s", "--clients", "4"}, c.run...)...)
			wantReport(t, c.name, out)
			runHere(t, exitOK, "workload", c.name, "check", dsn)
			if c.harm == "" {
				return
			}
			harm(t, addresses[0], c.harm)
			if out, output := runHere(t, exitFailed, "workload", c.name, "check", dsn); !strings.Contains(out, c.message) {
				t.Errorf("after %q the check said %s%s", c.harm, out, output)
			}
		})
	}
	checkHistory(t, file)
}

func wantReport(t *testing.T, name, out string) {
	t.Helper()
	var r sqlload.Report
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil || dec.More() {
		t.Fatalf("%v in %s", err, out)
	}
	if r.Workload != name || r.Total.Commits == 0 || r.Total.Throughput <= 0 || len(r.ByType) == 0 || len(r.Violations) > 0 ||
		r.Total.TriesMax < 1 || r.Total.LongestMS <= 0 || r.Total.LatencyMS.P50 <= 0 || r.Total.LatencyMS.Max < r.Total.LatencyMS.P99 {
		t.Errorf("got %s", out)
	}
}

func harm(t *testing.T, address, statement string) {
	t.Helper()
	db, err := sql.Open("mysql", "root@tcp("+address+")/workload")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkHistory judges a recorded history as it is, cut short, and with an
// element made to have been read before it was there.
func checkHistory(t *testing.T, file string) {
	out, _ := runHere(t, exitOK, "check", file, "--json")
	var r checkReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || !r.Serializable || r.Committed == 0 || r.Workload != "list-append" {
		t.Fatalf("%v in %s", err, out)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(string(whole[:len(whole)-10]))
	if _, output := runHere(t, exitUsage, "check", file); strings.Count(output, "\n") != 1 || !strings.Contains(output, "cut short") {
		t.Errorf("of a file cut short it said %q", output)
	}
	rewrite(`{"isochron_history":1,"workload":"list-append"}
{"index":0,"process":0,"invoke_ns":1,"complete_ns":9,"ops":[{"kind":"read","key":"x"},{"kind":"append","key":"y","value":1}],"outcome":"ok"}
{"index":1,"process":1,"invoke_ns":1,"complete_ns":9,"ops":[{"kind":"read","key":"y"},{"kind":"append","key":"x","value":1}],"outcome":"ok"}
{"index":2,"process":2,"invoke_ns":10,"complete_ns":11,"ops":[{"kind":"read","key":"x","list":[1]},{"kind":"read","key":"y","list":[1]}],"outcome":"ok"}
{"end":3}
`)
	if out, _ := runHere(t, exitFailed, "check", file); !strings.Contains(out, "G2-item: ") || !strings.Contains(out, "did not see") || !strings.Contains(out, "NOT serializable") {
		t.Errorf("of a write skew it said %q", out)
	}
}
