package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isochron/sql/archive"
	"isochron/txn"
)

// clusterOf starts a cluster of n regions, r1 to rn.
func clusterOf(t *testing.T, n int) *testCluster {
	t.Helper()
	c := &testCluster{dir: filepath.Join(t.TempDir(), "c"), nodes: make([]*process, n)}
	out := c.isochron(t, exitOK, "init", "--dir", c.dir, "--wan", fmt.Sprintf("uniform:4ms:%d", n), "--base-port", fmt.Sprint(freePorts(t, n)), "--json")
	if err := json.Unmarshal([]byte(out), &c.about); err != nil {
		t.Fatal(err)
	}
	var ready []<-chan struct{}
	for i := range n {
		ready = append(ready, c.start(t, i))
	}
	for i := range n {
		c.await(t, i, ready[i])
	}
	return c
}

// isochron runs a command and returns all that it said.
func (c *testCluster) isochron(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, err strings.Builder
	if code := run(t.Context(), args, &out, &err); code != want {
		t.Fatalf("isochron %s: exit %d, want %d: %s%s", strings.Join(args, " "), code, want, &out, &err)
	}
	return out.String() + err.String()
}

// shopSchema is a bank and a shop with all that a backup has to carry.
var shopSchema = []string{
	"CREATE DATABASE d", "CREATE DATABASE e",
	`CREATE TABLE d.acc (id INT PRIMARY KEY, v INT NOT NULL) COMMENT 'isochron: {"spread":"hash","shards":3,"leader":"r3"}'`,
	"CREATE TABLE d.ledger (id BIGINT AUTO_INCREMENT PRIMARY KEY, ref BIGINT NOT NULL, a INT NOT NULL, b INT NOT NULL, n INT NOT NULL, UNIQUE KEY by_ref (ref), KEY by_a (a))",
	"CREATE TABLE e.dropped (id INT PRIMARY KEY)",
	"CREATE TABLE e.note (text VARCHAR(100))",
	"DROP TABLE e.dropped",
	"INSERT INTO e.note VALUES ('one'), ('two'), ('two')",
}

const shopAccounts = 20

// bankLoad moves money until it is stopped, and remembers acknowledged moves.
type bankLoad struct {
	mu    sync.Mutex
	acked []int64
	next  atomic.Int64
	stop  atomic.Bool
	done  sync.WaitGroup
}

func (l *bankLoad) client(db *sql.DB) {
	for !l.stop.Load() {
		ref := l.next.Add(1)
		if l.transfer(db, ref) == nil {
			l.mu.Lock()
			l.acked = append(l.acked, ref)
			l.mu.Unlock()
		}
	}
}

func (l *bankLoad) transfer(db *sql.DB, ref int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	a, b, n := rand.IntN(shopAccounts), rand.IntN(shopAccounts), 1+rand.IntN(5)
	for _, stmt := range []string{
		fmt.Sprintf("UPDATE d.acc SET v = v - %d WHERE id = %d", n, a),
		fmt.Sprintf("UPDATE d.acc SET v = v + %d WHERE id = %d", n, b),
		fmt.Sprintf("INSERT INTO d.ledger (ref, a, b, n) VALUES (%d, %d, %d, %d)", ref, a, b, n),
	} {
		if _, err := tx.Exec(stmt); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (l *bankLoad) soFar() []int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int64(nil), l.acked...)
}

// await waits until so many transfers were acknowledged.
func (l *bankLoad) await(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(startTimeout); len(l.soFar()) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d transfers in %v, want %d", len(l.soFar()), startTimeout, n)
		}
	}
}

// ask is a query of one row of numbers.
func ask(t *testing.T, db *sql.DB, query string) []int64 {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		out = append(out, n)
	}
	return out
}

// TestBackupAndRestore: a bank works, a backup is taken amid that, the cluster is
// destroyed and brought back as one of fewer regions.
func TestBackupAndRestore(t *testing.T) {
	c := clusterOf(t, 3)
	db := c.connect(t, 0)
	for _, stmt := range shopSchema {
		mustExec(t, db, stmt)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, stmt := range []string{"USE d", "CREATE VIEW big AS SELECT id, v FROM acc WHERE v >= 0", "CREATE PROCEDURE notes() SELECT COUNT(*) FROM e.note"} {
		if _, err := conn.ExecContext(t.Context(), stmt); err != nil {
			t.Fatalf("%s: %v", stmt, err)
		}
	}
	_ = conn.Close()
	for i := range shopAccounts {
		mustExec(t, db, fmt.Sprintf("INSERT INTO d.acc VALUES (%d, 100)", i))
	}
	load := new(bankLoad)
	for i := range 6 {
		pool := c.connect(t, i%3)
		load.done.Go(func() { load.client(pool) })
	}
	load.await(t, 50)
	before := load.soFar()
	file := filepath.Join(t.TempDir(), "a.backup")
	config := c.about.Nodes[1].Config
	c.isochron(t, exitOK, "backup", "--config", config, "--out", file, "--json")
	after := len(load.soFar())
	load.await(t, after+20)
	load.stop.Store(true)
	load.done.Wait()
	t.Logf("%d transfers acknowledged before the backup, %d when it was done, %d in all", len(before), after, len(load.soFar()))
	if output := c.isochron(t, exitUsage, "backup", "--config", config, "--out", file); !strings.Contains(output, "nothing is overwritten") {
		t.Errorf("a second backup to the same file: %s", output)
	}
	c.end(t)
	password, err := os.ReadFile(c.about.RootPassword)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(c.dir); err != nil {
		t.Fatal(err)
	}
	c.isochron(t, exitOK, "backup", "--verify", file)

	to := clusterOf(t, 2)
	config = to.about.Nodes[0].Config
	if output := to.isochron(t, exitFailed, "restore", "--config", config, "--from", file); !strings.Contains(output, "--map-region r3=") {
		t.Errorf("a placement that cannot be: %s", output)
	}
	to.interrupted(t, config, file)
	to.isochron(t, exitOK, "restore", "--config", config, "--from", file, "--map-region", "r3=r2")
	if output := to.isochron(t, exitFailed, "restore", "--config", config, "--from", file, "--map-region", "r3=r2"); !strings.Contains(output, "has tables or views already") {
		t.Errorf("a restore over tables: %s", output)
	}
	if err := os.WriteFile(to.about.RootPassword, password, 0o600); err != nil { // users are restored too
		t.Fatal(err)
	}
	db = to.connect(t, 1)
	checkShop(t, db, before)
	to.end(t)
}

// failing is a cluster that is lost after so many writes.
type failing struct {
	archive.Cluster
	writes atomic.Int64
}

var errLost = errors.New("the cluster was lost")

func (f *failing) Do(ctx context.Context, q txn.OneShot) (txn.OneShotResult, error) {
	if len(q.Writes) > 0 && f.writes.Add(-1) < 0 {
		return txn.OneShotResult{}, errLost
	}
	return f.Cluster.Do(ctx, q)
}

// interrupted begins a restore that is interrupted: SQL clients get an error.
func (c *testCluster) interrupted(t *testing.T, config, file string) {
	t.Helper()
	about, err := readConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := rowsOf(about)
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	f := &failing{Cluster: rows}
	f.writes.Store(3)
	_, err = archive.Restore(t.Context(), f, in, map[string]string{"r3": "r2"}, func(archive.Progress) {})
	if !errors.Is(err, errLost) || !strings.Contains(err.Error(), "the restore is incomplete") {
		t.Fatalf("a restore into a cluster that was lost: %v", err)
	}
	for i := range c.about.Nodes {
		db := c.connect(t, i)
		for end := time.Now().Add(startTimeout / 6); ; time.Sleep(20 * time.Millisecond) {
			_, err := db.Exec("CREATE TABLE d.meanwhile (id INT PRIMARY KEY)")
			if err != nil && strings.Contains(err.Error(), "a restore into this cluster is incomplete") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("node %d refuses no client during a restore: %v", i+1, err)
			}
		}
	}
}

// checkShop sees that all of the bank and the shop is there, and works.
func checkShop(t *testing.T, db *sql.DB, acked []int64) {
	t.Helper()
	if got := ask(t, db, "SELECT SUM(v) FROM d.acc"); got[0] != 100*shopAccounts {
		t.Errorf("the balances sum to %d", got[0])
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var seen int64
	if _, err = conn.ExecContext(t.Context(), "USE d"); err == nil {
		err = conn.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM big").Scan(&seen)
	}
	if want := ask(t, db, "SELECT COUNT(*) FROM d.acc WHERE v >= 0"); err != nil || seen != want[0] {
		t.Errorf("the view shows %d rows, want %d; %v", seen, want[0], err)
	}
	_ = conn.Close()
	if got := ask(t, db, "CALL d.notes()"); got[0] != 3 {
		t.Errorf("the procedure sees %d notes, want 3", got[0])
	}
	if got := ask(t, db, "SELECT COUNT(*) FROM e.note"); got[0] != 3 {
		t.Errorf("%d notes, want 3", got[0])
	}
	have := map[int64]bool{}
	for _, ref := range ask(t, db, "SELECT ref FROM d.ledger") {
		have[ref] = true
	}
	for _, ref := range acked {
		if !have[ref] {
			t.Errorf("transfer %d, acknowledged before the backup began, is missing", ref)
		}
	}
	for id := range shopAccounts {
		want := ask(t, db, fmt.Sprintf("SELECT CAST(100 + COALESCE(SUM(CASE WHEN b = %d THEN n ELSE 0 END) - SUM(CASE WHEN a = %d THEN n ELSE 0 END), 0) AS SIGNED) FROM d.ledger", id, id))
		if got := ask(t, db, fmt.Sprintf("SELECT v FROM d.acc WHERE id = %d", id)); got[0] != want[0] {
			t.Errorf("account %d has %d; by the ledger %d", id, got[0], want[0])
		}
		byIndex := ask(t, db, fmt.Sprintf("SELECT COUNT(*) FROM d.ledger FORCE INDEX (by_a) WHERE a = %d", id))
		if byRows := ask(t, db, fmt.Sprintf("SELECT COUNT(*) FROM d.ledger WHERE a + 0 = %d", id)); byIndex[0] != byRows[0] {
			t.Errorf("account %d: %d entries by the index, %d by the rows", id, byIndex[0], byRows[0])
		}
	}
	top := ask(t, db, "SELECT MAX(id) FROM d.ledger")[0]
	mustExec(t, db, "INSERT INTO d.ledger (ref, a, b, n) VALUES (-1, 0, 0, 0)")
	if got := ask(t, db, "SELECT id FROM d.ledger WHERE ref = -1"); got[0] <= top {
		t.Errorf("AUTO_INCREMENT gave %d, and there was %d", got[0], top)
	}
	if _, err := db.Exec("INSERT INTO d.ledger (ref, a, b, n) VALUES (-1, 0, 0, 0)"); err == nil {
		t.Error("the unique index takes a second -1")
	}
	mustExec(t, db, "ALTER TABLE d.acc ADD COLUMN w INT")
	mustExec(t, db, "CREATE TABLE d.fresh (id INT PRIMARY KEY)")
	mustExec(t, db, "INSERT INTO d.fresh VALUES (1)")
}
