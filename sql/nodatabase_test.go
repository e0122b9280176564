package sql

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// Statements that name every database need none selected.
func TestNoDatabaseIsNeeded(t *testing.T) {
	f := start(t)
	shop := f.connect(t, "va", "shop")
	shop.exec("CREATE TABLE a (id INT PRIMARY KEY, n INT)")
	shop.exec("CREATE TABLE b (id INT PRIMARY KEY)")
	shop.exec("INSERT INTO a VALUES (1, 10), (2, 20)")
	shop.exec("INSERT INTO b VALUES (1), (2)")
	shop.exec("CREATE VIEW v AS SELECT id, n FROM a")
	c := f.connect(t, "wa", "")
	want := func(query, rows string, args ...any) {
		t.Helper()
		got, err := c.try(query, args...)
		if err != nil || got != rows {
			t.Errorf("%s: %q, %v; want %q", query, got, err, rows)
		}
	}
	refused := func(query, say string) {
		t.Helper()
		if got, err := c.try(query); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %q, %v; want %q", query, got, err, say)
		}
	}
	want("SELECT n FROM shop.v WHERE id = 2", "20\n")
	want("SELECT n FROM shop.v WHERE id = ?", "20\n", 2)
	want("SELECT x.n FROM shop.b JOIN shop.v x ON x.id = b.id WHERE b.id = 1", "10\n")
	want("WITH w AS (SELECT n FROM shop.v) SELECT SUM(n) FROM w", "30\n")
	want("DELETE FROM shop.b", "")
	want("SELECT COUNT(*) FROM shop.b", "0\n")
	want("SELECT DATABASE()", "NULL\n")
	refused("SELECT * FROM a", "1046")
	refused("SELECT * FROM shop.v, a", "1046")
	refused("SELECT * FROM shop.v WHERE id IN (SELECT id FROM a)", "1046")
	refused("SELECT * FROM nowhere.v", "1049")
	want("CREATE VIEW shop.w AS SELECT x.id, x.n FROM shop.a x JOIN shop.v ON v.id = x.id", "")
	want("SELECT n FROM shop.w WHERE id = 2", "20\n")
	want("CREATE OR REPLACE VIEW shop.w AS SELECT 7 AS n", "")
	want("SELECT n FROM shop.w", "7\n")
	refused("CREATE VIEW shop.x AS SELECT id FROM a", "1046")
	refused("CREATE VIEW x AS SELECT id FROM shop.a", "1046")
	want("DROP VIEW shop.w", "")
	c.exec("BEGIN")
	want("DELETE FROM shop.a WHERE id = 1", "")
	want("SELECT n FROM shop.v", "20\n")
	c.exec("ROLLBACK")
	want("SELECT COUNT(*) FROM shop.v", "2\n")
	want("SELECT DATABASE()", "NULL\n")
}

// A NULL for a LIMIT is 0, as MySQL has it.
func TestLimitNull(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE IF NOT EXISTS l (id INT PRIMARY KEY, n INT)")
	c.exec("REPLACE INTO l VALUES (1, 1), (2, 2), (3, NULL)")
	for range 3 { // the later ones by compiled plans
		for _, q := range []struct {
			query, rows string
			args        []any
		}{
			{"SELECT id FROM l ORDER BY id LIMIT ?", "", []any{nil}},
			{"SELECT id FROM l ORDER BY id LIMIT ?", "1\n", []any{1}},
			{"SELECT id FROM l ORDER BY id LIMIT ? OFFSET ?", "1\n2\n", []any{2, nil}},
			{"SELECT id FROM l WHERE id > ? OR ? IS NULL ORDER BY id LIMIT ?", "1\n", []any{7, nil, 1}},
			{"SELECT id FROM (SELECT id FROM l ORDER BY id LIMIT ?) x", "", []any{nil}},
		} {
			if got, err := c.try(q.query, q.args...); err != nil || got != q.rows {
				t.Errorf("%s %v: %q, %v; want %q", q.query, q.args, got, err, q.rows)
			}
		}
	}
	if got := c.query("SELECT COUNT(*) FROM l"); got != "3\n" {
		t.Errorf("afterwards: %q", got)
	}
}

// A read of a view leaves the transaction open.
func TestViewWithinTransaction(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE IF NOT EXISTS a (id INT PRIMARY KEY, n INT)")
	c.exec("CREATE OR REPLACE VIEW v AS SELECT id, n FROM a")
	c.exec("BEGIN")
	c.exec("INSERT INTO a VALUES (1, 10)")
	if got := c.query("SELECT n FROM v WHERE id = ?", 1); got != "10\n" {
		t.Errorf("%q", got)
	}
	c.query("SELECT n FROM v")
	c.exec("ROLLBACK")
	if got := c.query("SELECT COUNT(*) FROM a"); got != "0\n" {
		t.Errorf("%q rows after the rollback", got)
	}
}

// Who may only read and delete one table needs no database selected either.
func TestGrantedUserNeedsNoDatabase(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	for _, q := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "CREATE TABLE d.other (id INT PRIMARY KEY)",
		"INSERT INTO d.t VALUES (1), (2)", "CREATE USER ann IDENTIFIED BY 'pass'", "GRANT SELECT, DELETE ON d.t TO ann",
	} {
		if _, err := root.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	ann := g.open(t, "va", "ann", "pass", true)
	r, err := ann.Exec("DELETE FROM d.t")
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := r.RowsAffected(); n != 2 {
		t.Errorf("%d rows", n)
	}
	if _, err := ann.Exec("DELETE FROM d.other"); err == nil || !strings.Contains(err.Error(), "1142") {
		t.Errorf("a table without a grant: %v", err)
	}
}

// unreachable is a gateway that reaches no leader while it is off.
type unreachable struct {
	*sqltest.Gateway
	off atomic.Bool
}

func (u *unreachable) Begin(opt txn.Options) txn.Txn { return &cutTxn{u.Gateway.Begin(opt), u} }

type cutTxn struct {
	txn.Txn
	u *unreachable
}

func (c *cutTxn) Read(ctx context.Context, r txn.Read) (txn.ReadResult, error) {
	if c.u.off.Load() {
		return txn.ReadResult{}, txn.Errorf(txn.KindUnavailable, "cut off")
	}
	return c.Txn.Read(ctx, r)
}

// A catalogue that cannot be read is not one without the database.
func TestUnreadCatalogueIsSaid(t *testing.T) {
	u := &unreachable{Gateway: sqltest.NewCluster(testRegions...).Gateway("va")}
	s, err := NewServer(u, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	f := &fixture{servers: map[string]*Server{"va": s}}
	c := f.connect(t, "va", "")
	c.exec("CREATE DATABASE shop")
	u.off.Store(true)
	for _, q := range []string{"USE ghost", "DROP DATABASE IF EXISTS ghost", "SELECT * FROM ghost.t", "DELETE FROM ghost.t"} {
		if _, err := c.conn.ExecContext(context.Background(), q); err == nil || !strings.Contains(err.Error(), "1158") {
			t.Errorf("%s: %v, want error 1158", q, err)
		}
	}
	u.off.Store(false)
	if _, err := c.try("USE ghost"); err == nil || !strings.Contains(err.Error(), "1049") {
		t.Errorf("reachable again: %v", err)
	}
	c.exec("DROP DATABASE IF EXISTS ghost")
}
