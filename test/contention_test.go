package test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestWaitsOfStatements: waits, with row and statement, are shown in every region; so are rolled
// back transactions, with the reason.
func TestWaitsOfStatements(t *testing.T) {
	if *dsn != "" {
		t.Skip("another server has no such tables")
	}
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.exec("CREATE TABLE accounts (owner VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, n INT, v INT, PRIMARY KEY (owner, n))")
		s.exec("INSERT INTO accounts VALUES ('Zoë', 7, 0)")
		database := s.string(ctx, 0, "SELECT DATABASE()")
		holder := s.conn(ctx, 0)
		defer holder.Close()
		holderID := s.of(ctx, holder, "SELECT CONNECTION_ID()")
		must(t, ctx, holder, "BEGIN")
		if _, err := queryInts(ctx, holder, "SELECT v FROM accounts WHERE owner = 'zoë' AND n = 7 FOR UPDATE"); err != nil {
			t.Fatal(err)
		}
		const waiters = 3
		ends := make(chan error, waiters)
		var ids []string
		for range waiters {
			c := s.conn(ctx, 1)
			defer c.Close()
			ids = append(ids, s.of(ctx, c, "SELECT CONNECTION_ID()"))
			must(t, ctx, c, "SET innodb_lock_wait_timeout = 600") // no wait times out during the test
			go func() {
				_, err := queryInts(ctx, c, "SELECT v + 4711 FROM accounts WHERE owner = 'Zoë' AND n = 7 FOR UPDATE")
				ends <- err
			}()
		}
		waits := fmt.Sprintf("FROM isochron.lock_waits WHERE table_schema = '%s' AND table_name = 'accounts' AND index_name = 'PRIMARY'", database)
		s.until(ctx, fmt.Sprint(waiters), "SELECT COUNT(*) "+waits+" AND row_key = 'owner=''Zoë'', n=7' AND waiting_ms > 0")
		got := s.string(ctx, 1, "SELECT GROUP_CONCAT(DISTINCT waiting_statement), COUNT(DISTINCT waiting_connection) "+waits)
		if want := "SELECT v + ? FROM accounts WHERE owner = ? AND n = ? FOR UPDATE|3"; got != want {
			t.Errorf("from their own region the waiters are %q, want %q", got, want)
		}
		if got := s.string(ctx, 1, "SELECT COUNT(*) "+waits+" AND waiting_connection IN ("+strings.Join(ids, ",")+") AND holding_connection IS NULL"); got != "3" {
			t.Errorf("%s of the waiters' connections are named", got)
		}
		if got := s.string(ctx, 0, "SELECT COUNT(*) "+waits+" AND waiting_connection IS NULL AND holding_statement LIKE 'SELECT v FROM accounts%' AND holding_connection = "+holderID); got != "3" {
			t.Errorf("from the holder's region %s waits name the holder", got)
		}
		hot := s.string(ctx, 2, fmt.Sprintf("SELECT queue_length, region FROM isochron.hot_rows WHERE table_schema = '%s' AND table_name = 'accounts' ORDER BY queue_length DESC LIMIT 1", database))
		if queue, _, _ := strings.Cut(hot, "|"); queue != "3" {
			t.Errorf("hot_rows has %q, want a queue of 3", hot)
		}
		must(t, ctx, holder, "COMMIT")
		for range waiters {
			if err := <-ends; err != nil {
				t.Error(err)
			}
		}
		s.rollbacksAreCounted(ctx)
	})
}

// rollbacksAreCounted rolls transactions back for several causes.
func (s *stage) rollbacksAreCounted(ctx context.Context) {
	s.t.Helper()
	counted := func(cause string) string {
		return s.string(ctx, 3, "SELECT SUM(count) FROM isochron.rollbacks WHERE cause = '"+cause+"' AND region = 'wa'")
	}
	before := map[string]string{}
	for _, cause := range []string{"client rollback", "connection lost", "lock wait timeout"} {
		before[cause] = counted(cause)
	}
	holder, victim := s.conn(ctx, 0), s.conn(ctx, 1)
	defer holder.Close()
	defer victim.Close()
	must(s.t, ctx, holder, "BEGIN")
	must(s.t, ctx, holder, "UPDATE accounts SET v = 1 WHERE owner = 'Zoë' AND n = 7")
	if _, err := queryInts(ctx, holder, "SELECT v FROM accounts WHERE n = 7 FOR UPDATE"); err != nil {
		s.t.Fatal(err)
	}
	must(s.t, ctx, victim, "SET innodb_lock_wait_timeout = 1")
	must(s.t, ctx, victim, "BEGIN")
	if _, err := queryInts(ctx, victim, "SELECT v FROM accounts WHERE owner = 'Zoë' AND n = 7 FOR UPDATE"); number(err) != 1205 {
		s.t.Errorf("a lock that is held: %v", err)
	}
	must(s.t, ctx, victim, "ROLLBACK")
	must(s.t, ctx, holder, "COMMIT")
	gone, cut := s.cuttable(ctx, 1)
	must(s.t, ctx, gone, "BEGIN")
	if _, err := queryInts(ctx, gone, "SELECT v FROM accounts FOR UPDATE"); err != nil {
		s.t.Fatal(err)
	}
	cut()
	for cause, was := range before {
		for begun := time.Now(); counted(cause) == was; time.Sleep(20 * time.Millisecond) {
			if time.Since(begun) > endless {
				s.t.Errorf("no rollback was counted for %q: still %s", cause, was)
				break
			}
		}
	}
}

// TestContentionNeedsPROCESS: the tables show what others do.
func TestContentionNeedsPROCESS(t *testing.T) {
	if *dsn != "" {
		t.Skip("another server has no such tables")
	}
	h := houses(t)[0]
	s := h.stage(t, layouts[0])
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	s.exec("CREATE USER IF NOT EXISTS looker@'%' IDENTIFIED BY 'x'")
	s.exec("GRANT SELECT ON isochron.* TO looker@'%'")
	looker := pool(t, strings.Replace(h.dsn(0, ""), "root@", "looker:x@", 1), nil)
	for _, table := range []string{"admission", "hot_rows", "lock_waits", "rollbacks", "transactions"} {
		if _, err := looker.Exec("SELECT * FROM isochron." + table); number(err) != 1227 {
			t.Errorf("%s without PROCESS: %v, want error 1227", table, err)
		}
	}
	if _, err := looker.Exec("SELECT * FROM isochron.shards"); err != nil {
		t.Errorf("its visible rows: %v", err)
	}
	s.exec("GRANT PROCESS ON *.* TO looker@'%'")
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		_, err := looker.Exec("SELECT * FROM isochron.lock_waits")
		if err == nil {
			break
		}
		if time.Since(begun) > endless {
			t.Fatalf("with PROCESS: %v", err)
		}
	}
	if got := s.string(ctx, 0, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'isochron'"); got != "9" {
		t.Errorf("information_schema has %s tables of the database", got)
	}
}

// string is the first row of a query in a region, its columns joined.
func (s *stage) string(ctx context.Context, region int, query string) string {
	s.t.Helper()
	c := s.conn(ctx, region)
	defer c.Close()
	return s.of(ctx, c, query)
}

func (s *stage) of(ctx context.Context, c *sql.Conn, query string) string {
	s.t.Helper()
	rows, err := c.QueryContext(ctx, query)
	if err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	if !rows.Next() {
		return ""
	}
	cells, at := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		at[i] = &cells[i]
	}
	if err := rows.Scan(at...); err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, cell := range cells {
		out = append(out, cell.String)
	}
	return strings.Join(out, "|")
}

// until waits until a query in the fourth region returns the expected text.
func (s *stage) until(ctx context.Context, want, query string) {
	s.t.Helper()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		got := s.string(ctx, 3, query)
		if got == want {
			return
		}
		if time.Since(begun) > endless {
			s.t.Fatalf("%s\nsays %q, want %q; all waits: %q", query, got, want, s.string(ctx, 3, "SELECT GROUP_CONCAT(CONCAT(table_name, ' ', row_key, ' ', waiting_ms)) FROM isochron.lock_waits"))
		}
	}
}
