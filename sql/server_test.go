package sql

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/sql/sqltest"
	"isochron/txn"
)

type fixture struct {
	cluster  *sqltest.Cluster
	gateways map[string]*sqltest.Gateway
	servers  map[string]*Server
	seen     *observed
}

// observed counts what servers report.
type observed struct {
	mu        sync.Mutex
	committed []txn.Stats
	aborted   int
}

func (o *observed) Committed(_ time.Duration, s txn.Stats) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.committed = append(o.committed, s)
}

func (o *observed) Aborted(txn.Kind) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.aborted++
}

// rounds are those of the last transaction that committed.
func (o *observed) rounds() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.committed[len(o.committed)-1].Rounds
}

var testRegions = []string{"va", "wa", "pr"}

func start(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{cluster: sqltest.NewCluster(testRegions...), servers: map[string]*Server{}, gateways: map[string]*sqltest.Gateway{}, seen: new(observed)}
	for _, region := range testRegions {
		f.gateways[region] = f.cluster.Gateway(region)
		s, err := NewServer(f.gateways[region], Config{Observer: f.seen})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		f.servers[region] = s
	}
	c := f.connect(t, "va", "")
	c.exec("CREATE DATABASE shop")
	return f
}

// client is one connection of the Go driver.
type client struct {
	t    *testing.T
	conn *sql.Conn
	pool *sql.DB // of this connection alone
}

func (f *fixture) connect(t *testing.T, region, db string) *client {
	t.Helper()
	return f.connectAs(t, region, "root", db)
}

func (f *fixture) connectAs(t *testing.T, region, user, db string) *client {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.DBName = "tcp", f.servers[region].Addr().String(), user, db
	cfg.InterpolateParams = false
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

func (c *client) try(query string, args ...any) (string, error) {
	rows, err := c.conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		return "", err
	}
	return scanned(rows)
}

// scanned returns all rows, and closes them.
func scanned(rows *sql.Rows) (string, error) {
	defer rows.Close()
	names, _ := rows.Columns()
	var out strings.Builder
	for rows.Next() {
		cells := make([]sql.NullString, len(names))
		ptrs := make([]any, len(names))
		for i := range cells {
			ptrs[i] = &cells[i]
		}
		if err := rows.Scan(ptrs...); err != nil {
			return "", err
		}
		for i, cell := range cells {
			if i > 0 {
				out.WriteString(" | ")
			}
			if cell.Valid {
				out.WriteString(cell.String)
			} else {
				out.WriteString("NULL")
			}
		}
		out.WriteString("\n")
	}
	return out.String(), rows.Err()
}

func (c *client) exec(query string, args ...any) sql.Result {
	c.t.Helper()
	r, err := c.conn.ExecContext(context.Background(), query, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return r
}

func (c *client) query(query string, args ...any) string {
	c.t.Helper()
	out, err := c.try(query, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return out
}

func (c *client) expect(query, want string, args ...any) {
	c.t.Helper()
	if got := c.query(query, args...); strings.TrimSpace(got) != strings.TrimSpace(want) {
		c.t.Fatalf("%s\ngot:\n%s\nwant:\n%s", query, got, want)
	}
}

func (c *client) fails(query, want string, args ...any) {
	c.t.Helper()
	_, err := c.conn.ExecContext(context.Background(), query, args...)
	if err == nil || !strings.Contains(err.Error(), want) {
		c.t.Fatalf("%.300s: got error %.500v, want one with %q", query, err, want)
	}
}
