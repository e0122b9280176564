package test

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// counter receives the cost of every transaction and keeps the last.
type counter struct {
	mu   sync.Mutex
	last txn.Stats
	seen int
}

// Committed implements the observer of package sql.
func (c *counter) Committed(_ time.Duration, stats txn.Stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = stats
	c.seen++
}

// Aborted implements the observer of package sql.
func (c *counter) Aborted(txn.Kind) {}

// since waits for a transaction after the first n and returns its cost.
func (c *counter) since(t *testing.T, n int) txn.Stats {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < endless; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		last, seen := c.last, c.seen
		c.mu.Unlock()
		if seen > n {
			return last
		}
	}
	t.Fatal("no transaction was reported")
	return txn.Stats{}
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// TestRounds: a statement costs as many rounds as its data dependencies force, whatever it touches;
// EXPLAIN reports the number beforehand, and the execution has it.
func TestRounds(t *testing.T) {
	if *dsn != "" {
		t.Skip("rounds are ours")
	}
	for _, spec := range protocol.OverShards() {
		// Started before the subtests run: see start.
		spent := new(counter)
		c := startFor(t, spec, node.InjectedBugs{}, spent)
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			s := c.house().stage(t, layouts[1])
			s.exec("INSERT INTO kv VALUES ('va', 30, 0, 1), ('wa', 5, 0, 1), ('pr', 15, 0, 1), ('sg', 25, 0, 2)")
			s.exec("CREATE TABLE plain (id INT PRIMARY KEY, name VARCHAR(20), v INT, UNIQUE KEY by_name (name))")
			s.exec("INSERT INTO plain VALUES (1, 'one', 1), (2, 'two', 2)")
			c.awaitHome(t)
			ctx, cancel := context.WithTimeout(context.Background(), endless)
			defer cancel()
			conn := s.conn(ctx, 0)
			defer conn.Close()
			for _, want := range roundsWanted {
				want.check(t, ctx, conn, spent, spec.Decide.FixedSet())
			}
		})
	}
}

// wanted is the expected cost of a statement from va. wide bounds the rounds that wait for another
// region (a protocol that reads at the nearest replica may have fewer); commit are the rounds in
// which votes are gathered. A SELECT over several shards, or in two rounds, has to validate that
// its rows existed at one time.
type wanted struct {
	text                 string
	rounds, wide, commit int
}

var roundsWanted = []wanted{
	{"SELECT v FROM kv WHERE region = 'va' AND id = 30", 1, 0, 0},
	{"SELECT v FROM kv WHERE region = 'sg' AND id = 25", 1, 1, 0},
	{"SELECT v FROM kv WHERE region IN ('wa', 'pr', 'sg') AND id IN (5, 15, 25)", 1, 1, 1},
	{"SELECT * FROM kv", 1, 1, 1},
	{"SELECT * FROM kv WHERE region = 'va' AND id BETWEEN 1 AND 99", 1, 0, 0},
	{"SELECT region, id FROM kv WHERE grp = 1", 1, 1, 1},
	{"SELECT v FROM kv WHERE grp = 1", 2, 2, 1},
	{"SELECT COUNT(*) FROM kv", 1, 1, 1},
	{"SELECT id FROM plain WHERE name = 'two'", 1, 0, 0},
	{"SELECT v FROM plain WHERE name = 'two'", 2, 0, 1},
	{"SELECT * FROM plain ORDER BY id DESC LIMIT 1", 1, 0, 0},
	{"UPDATE kv SET v = v + 1 WHERE region = 'va' AND id = 30", 1, 0, 1},
	{"UPDATE kv SET v = v + 1 WHERE region IN ('wa', 'pr', 'sg') AND id IN (5, 15, 25)", 1, 1, 1},
	{"UPDATE kv SET v = v + 1 WHERE grp = 1", 2, 2, 1},
	{"INSERT INTO kv VALUES ('wa', 6, 0, 3), ('pr', 16, 0, 3), ('sg', 26, 0, 3)", 0, 0, 1}, // its vote checks the keys
	{"DELETE FROM kv WHERE region = 'wa' AND id = 6", 1, 1, 1},
	{"INSERT INTO plain VALUES (3, 'three', 3)", 0, 0, 1},
	{"UPDATE plain SET v = 4 WHERE name = 'three'", 2, 0, 1},
}

// revertOf has the statement that reverts one which can be executed only once, so that it can be
// tried again.
var revertOf = map[string]string{
	"INSERT INTO kv VALUES ('wa', 6, 0, 3), ('pr', 16, 0, 3), ('sg', 26, 0, 3)": "DELETE FROM kv WHERE id IN (6, 16, 26)",
	"DELETE FROM kv WHERE region = 'wa' AND id = 6":                             "INSERT INTO kv VALUES ('wa', 6, 0, 3)",
	"INSERT INTO plain VALUES (3, 'three', 3)":                                  "DELETE FROM plain WHERE id = 3",
}

// check executes the statement. fixedSets: an insertion is a 2FI transaction, whose prepares read.
func (w wanted) check(t *testing.T, ctx context.Context, conn *sql.Conn, spent *counter, fixedSets bool) {
	t.Helper()
	if got := explained(t, ctx, conn, w.text); got != fmt.Sprint(w.rounds) {
		t.Errorf("%s: EXPLAIN reports %q rounds, want %d", w.text, got, w.rounds)
	}
	if w.rounds == 0 && fixedSets {
		w.rounds = 1
	}
	var got txn.Stats
	costs := func() bool {
		before := spent.count()
		must(t, ctx, conn, w.text)
		got = spent.since(t, before)
		return got.Rounds == w.rounds && got.WideRounds <= w.wide && got.CommitRounds == w.commit
	}
	// Where the last decision has not arrived yet something may have to be asked again.
	pause := 20 * time.Millisecond
	time.Sleep(pause)
	for !costs() {
		if pause *= 2; pause < 5*time.Second {
			if undo := revertOf[w.text]; undo != "" {
				must(t, ctx, conn, undo)
			}
			time.Sleep(pause)
			continue
		}
		t.Errorf("%s: %d rounds, %d of them wide, and %d to commit; want %d, at most %d, %d",
			w.text, got.Rounds, got.WideRounds, got.CommitRounds, w.rounds, w.wide, w.commit)
		return
	}
}

// explained is the number of rounds that EXPLAIN gives for the whole statement.
func explained(t *testing.T, ctx context.Context, conn *sql.Conn, text string) string {
	t.Helper()
	rows, err := conn.QueryContext(ctx, "EXPLAIN "+text)
	if err != nil {
		t.Fatalf("EXPLAIN %s: %v", text, err)
	}
	defer rows.Close()
	rounds := "no line 'all'"
	for rows.Next() {
		var step, table, access, count, shards, regions, locks, path string
		if err := rows.Scan(&step, &table, &access, &count, &shards, &regions, &locks, &path); err != nil {
			t.Fatal(err)
		}
		if step == "all" {
			rounds = count
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return rounds
}
