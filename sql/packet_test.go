package sql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/txn"
)

// many is a client that sends several statements at once.
func (f *fixture) many(t *testing.T, region, db string) *client {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.DBName, cfg.MultiStatements = "tcp", f.servers[region].Addr().String(), "root", db, true
	pool, err := sql.Open("mysql", cfg.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	conn, err := pool.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); pool.Close() })
	return &client{t, conn, pool}
}

// all are the rows of every result of a packet, "-" between two results.
func (c *client) all(packet string) (string, error) {
	rows, err := c.conn.QueryContext(context.Background(), packet)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var out []string
	for {
		names, err := rows.Columns()
		if err != nil {
			return "", err
		}
		for rows.Next() {
			cells := make([]sql.NullString, len(names))
			ptrs := make([]any, len(names))
			for i := range cells {
				ptrs[i] = &cells[i]
			}
			if err := rows.Scan(ptrs...); err != nil {
				return "", err
			}
			for _, cell := range cells {
				out = append(out, cell.String)
			}
		}
		if !rows.NextResultSet() {
			return strings.Join(out, " "), rows.Err()
		}
		out = append(out, "-")
	}
}

// A transaction in one packet is done again as a whole: its client sees the answers
// of the try that committed.
func TestAPacketIsDoneAgain(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT)")
	c.exec("INSERT INTO t VALUES (1, 10), (2, 20)")
	cases := []struct {
		packet, want string
		after        string // of the rows
		transactions string // that began, r: as a retry
	}{
		{"BEGIN; SELECT n FROM t WHERE id = 1; UPDATE t SET n = n + 1 WHERE id = 1; SELECT n FROM t WHERE id = 1; COMMIT", "10 - 11", "11 20", "nrr"},
		{"BEGIN; SELECT n FROM t WHERE id = 1; SELECT n + 1 INTO @x FROM t WHERE id = 1; UPDATE t SET n = @x + @x WHERE id = 2; COMMIT; SELECT @x", "10 - 11", "10 22", "nrr"},
		{"START TRANSACTION; UPDATE t SET n = n + 1; SAVEPOINT a; UPDATE t SET n = 0; ROLLBACK TO a; COMMIT; SELECT n FROM t WHERE id = 2", "21", "11 21", "nrrn"},
		{"/* mine */ begin; SET @y = COALESCE(@y, 0) + 1; UPDATE t SET n = n + @y; COMMIT", "", "11 21", "nrr"},
		{"SET @z = 4; BEGIN; UPDATE t SET n = n + @z WHERE id = 1; COMMIT; BEGIN; UPDATE t SET n = n + @z WHERE id = 1; COMMIT", "", "18 20", "nrrn"},
	}
	for _, tc := range cases {
		c.exec("UPDATE t SET n = id * 10")
		c.exec("SET @y = NULL")
		l := startLosing(f, txn.KindAborted, 2, false)
		a := watchAges(f)
		got, err := c.all(tc.packet)
		if strings.Trim(got, " -") != tc.want || err != nil {
			t.Errorf("%s\ngot %q, %v; want %q", tc.packet, got, err, tc.want)
		}
		l.stop(f)
		if began := a.drain(); began != tc.transactions {
			t.Errorf("%s\ntransactions began as %q, want %q", tc.packet, began, tc.transactions)
		}
		if rows, err := c.all("SELECT n FROM t"); rows != tc.after || err != nil {
			t.Errorf("%s\nleaves %s, %v; want %s", tc.packet, rows, err, tc.after)
		}
	}
	if n := f.servers["va"].gateway.held.Load(); n != 0 {
		t.Errorf("%d bytes are counted as held when nothing is", n)
	}
}

// A packet without its end: what it has shown by then is not done again.
func TestAPacketThatEndsInATransaction(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 10), (2, 20)")
	l := startLosing(f, txn.KindAborted, 3, true)
	if got, err := c.all("BEGIN; SELECT n FROM t WHERE id = 1; SELECT n FROM t WHERE id = 2"); strings.Trim(got, " -") != "10 - 20" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	l.stop(f)
	l = startLosing(f, txn.KindAborted, 1, false)
	if _, err := c.all("SELECT 5; COMMIT; SELECT 6"); numberOf(err) != 1213 {
		t.Errorf("the commit of what was seen lost, and the client heard %v", err)
	}
	l.stop(f)
	// Its second statement loses when the first has answered.
	c.exec("BEGIN")
	reads := startLosing(f, txn.KindAborted, 0, true)
	reads.left.Store(2)
	if got, err := c.all("SELECT n FROM t WHERE id = 1; SELECT n FROM t WHERE id = 2; COMMIT"); strings.Trim(got, " -") != "10 - 20" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	reads.stop(f)
}

// Of a packet, what stands behind an error is not done, and what cannot be undone
// back is not done again.
func TestWhatOfAPacketIsNotDone(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	for _, tc := range []struct {
		packet string
		lose   int64
		kind   txn.Kind
		want   int
		left   string
		tries  int64
	}{
		{"BEGIN; INSERT INTO t VALUES (3, 1); INSERT INTO t VALUES (1, 5); UPDATE t SET n = 9; COMMIT", 0, 0, 1062, "10 20", 0},
		{"INSERT INTO t VALUES (1, 5); UPDATE t SET n = 9", 0, 0, 1062, "10 20", 1},
		{"BEGIN; UPDATE t SET n = 8; COMMIT; UPDATE t SET n = 9", 1, txn.KindUnavailable, 1158, "10 20", 1},
		{"BEGIN; UPDATE t SET n = 8; COMMIT; UPDATE t SET n = 9", 1 << 40, txn.KindAborted, 1213, "10 20", 4},
		{"BEGIN; SELECT GET_LOCK('x', 1); UPDATE t SET n = 8; COMMIT; UPDATE t SET n = 9", 1, txn.KindAborted, 1213, "10 20", 1},
		{"BEGIN; SET SESSION sql_mode = ''; UPDATE t SET n = 8; COMMIT; UPDATE t SET n = 9", 1, txn.KindAborted, 1213, "10 20", 1},
		{"BEGIN; UPDATE t SET n = 8; COMMIT; UPDATE t SET n = 9", 1, txn.KindUnknown, 1180, "10 20", 1},
	} {
		c.exec("ROLLBACK")
		c.exec("SET isochron_retry_max = 3")
		c.exec("REPLACE INTO t VALUES (1, 10), (2, 20)")
		l := startLosing(f, tc.kind, tc.lose, false)
		if _, err := c.all(tc.packet); numberOf(err) != tc.want {
			t.Errorf("%s\nfailed with %v, want %d", tc.packet, err, tc.want)
		}
		if tries := l.stop(f); tries != tc.tries {
			t.Errorf("%s\ncommitted %d times, want %d", tc.packet, tries, tc.tries)
		}
		if tc.kind == txn.KindUnknown {
			c = f.many(t, "va", "shop")
		}
		c.exec("ROLLBACK")
		if rows, err := c.all("SELECT n FROM t"); rows != tc.left || err != nil {
			t.Errorf("%s\nleaves %s, %v; want %s", tc.packet, rows, err, tc.left)
		}
	}
}

// Answers beyond what is held go out as they come.
func TestALongPacketIsNotHeld(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, s TEXT)")
	for i := range 80 {
		c.exec(fmt.Sprintf("INSERT INTO t VALUES (%d, REPEAT('x', 20000))", i))
	}
	a := watchAges(f)
	got, err := c.all("BEGIN; SELECT 1; SELECT s FROM t; SELECT count(*) FROM t; COMMIT; SELECT 2")
	if err != nil || len(got) < 80*20000 || !strings.HasSuffix(got, "x - 80 - 2") {
		t.Errorf("%d bytes, ending in %q, %v", len(got), got[max(0, len(got)-20):], err)
	}
	if began := a.drain(); began != "nn" {
		t.Errorf("transactions began as %q: one whose answers were too long to hold, and the same again", began)
	}
	if f.cluster.Held() != 0 || f.servers["va"].gateway.held.Load() != 0 {
		t.Error("something is left")
	}
}

// Transactions in packets lose no update, and no client hears that they lost.
func TestPacketsFromManyClients(t *testing.T) {
	f := start(t)
	f.connect(t, "va", "shop").exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	f.connect(t, "va", "shop").exec("INSERT INTO t VALUES (1, 100), (2, 100), (3, 100)")
	var wg sync.WaitGroup
	for i := range 6 {
		c := f.many(t, testRegions[i%len(testRegions)], "shop")
		wg.Go(func() {
			for j := range 10 {
				from, to := 1+(i+j)%3, 1+(i+j+1)%3
				if _, err := c.all(fmt.Sprintf("BEGIN; SELECT n FROM t WHERE id = %d; UPDATE t SET n = n - 1 WHERE id = %d; UPDATE t SET n = n + 1 WHERE id = %d; COMMIT", from, from, to)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f.connect(t, "va", "shop").expect("SELECT sum(n) FROM t", "300")
}
