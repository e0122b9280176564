package sources

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server"
	"isochron/server/sourcedb/sourcetest"
	isosql "isochron/sql"
	"isochron/txn"
)

// house has the servers that all tests of the package use.
var house struct {
	pg, pg2, my, my2 *sourcetest.Server
	core             *server.Cluster
	dir              string // the cluster's
	door             *isosql.Server
	cost             cost
	err              error
}

// cost is the cost of the transaction that was committed last.
type cost struct {
	mu    sync.Mutex
	stats txn.Stats
}

// Committed implements isosql.Observer.
func (c *cost) Committed(_ time.Duration, s txn.Stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats = s
}

// Aborted implements isosql.Observer.
func (*cost) Aborted(txn.Kind) {}

func (c *cost) last() txn.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

func TestMain(m *testing.M) {
	house.err = open()
	code := m.Run()
	if house.door != nil {
		house.door.Close()
	}
	if house.core != nil {
		house.core.Close()
	}
	if house.dir != "" {
		os.RemoveAll(house.dir)
	}
	for _, s := range []*sourcetest.Server{house.pg, house.pg2, house.my, house.my2} {
		if s != nil {
			s.Close()
		}
	}
	os.Exit(code)
}

const postgresTables = `
CREATE TABLE accounts (id bigint PRIMARY KEY, owner text, balance numeric(12,2) NOT NULL DEFAULT 0);
CREATE TABLE kinds (id serial PRIMARY KEY, ok boolean, raw bytea, made timestamp(3), at timestamptz, born date, price double precision, doc jsonb, name varchar(20) UNIQUE, tag char(5), u uuid);
CREATE TABLE rates (id integer PRIMARY KEY, factor integer NOT NULL);
GRANT ALL ON ALL TABLES IN SCHEMA public TO agent; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO agent`

const mariaTables = `
CREATE TABLE accounts (id BIGINT PRIMARY KEY, owner TEXT, balance DECIMAL(12,2) NOT NULL DEFAULT 0);
CREATE TABLE orders (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, account BIGINT NOT NULL, item VARCHAR(30) NOT NULL UNIQUE, qty INT UNSIGNED NOT NULL DEFAULT 1, paid BOOLEAN, at DATETIME(3), pic BLOB, sort ENUM('a','b'));
CREATE TABLE rates (id INT PRIMARY KEY, factor INT NOT NULL);
GRANT PROCESS ON *.* TO agent`

func open() error {
	for _, s := range []struct {
		at     **sourcetest.Server
		start  func(...string) (*sourcetest.Server, error)
		tables string
	}{{&house.pg, sourcetest.Postgres, postgresTables}, {&house.pg2, sourcetest.Postgres, postgresTables}, {&house.my, sourcetest.MariaDB, mariaTables}, {&house.my2, sourcetest.MariaDB, mariaTables}} {
		var err error
		if *s.at, err = s.start(); err != nil {
			return err
		}
		for _, text := range strings.Split(s.tables, ";\n") {
			if err := (*s.at).Exec(text); err != nil {
				return err
			}
		}
	}
	return openCluster()
}

func openCluster() error {
	wan, err := geo.Parse("azure5")
	if err != nil {
		return err
	}
	if house.dir, err = os.MkdirTemp("", "isochron-test-"); err != nil {
		return err
	}
	spec, err := protocol.LiveByName("geotp")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cfg := server.Config{Dir: house.dir, WAN: wan.Scale(0.05), WANName: "azure5", Spec: spec}
	for i, s := range []*sourcetest.Server{house.pg, house.pg2, house.my, house.my2} {
		cfg.Sources = append(cfg.Sources, server.SourceConfig{Name: []string{"pg_a", "pg_b", "my_a", "my_b"}[i], Address: s.URL(), Region: wan.Regions[i]})
	}
	if house.core, err = server.Start(ctx, cfg); err != nil {
		return err
	}
	if err := house.core.AwaitSources(ctx); err != nil {
		return err
	}
	house.door, err = isosql.NewServer(house.core.DB(wan.Regions[0]), isosql.Config{Observer: &house.cost})
	return err
}

// client is one connection, with a database of the test's own.
type client struct {
	t *testing.T
	*sql.Conn
}

func begin(t *testing.T) *client {
	t.Helper()
	sourcetest.LeaveOut(t, house.err)
	c := connect(t, "multiStatements=true")
	name := databaseOf(t)
	c.exec("CREATE DATABASE " + name)
	c.exec("USE " + name)
	for _, s := range []*sourcetest.Server{house.pg, house.pg2, house.my, house.my2} {
		for _, table := range []string{"accounts", "rates"} {
			if err := s.Exec("DELETE FROM " + table); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range []*sourcetest.Server{house.my, house.my2} {
		if err := s.Exec("TRUNCATE orders"); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// databaseOf is the name of a test's database.
func databaseOf(t *testing.T) string { return strings.ToLower(strings.ReplaceAll(t.Name(), "/", "_")) }

// beginSharded is begin with accounts over a PostgreSQL and a MariaDB: even ids are at the first.
func beginSharded(t *testing.T) *client {
	t.Helper()
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('" + databaseOf(t) + ".accounts', 'id', 'hash', 'pg_a,my_a')")
	return c
}

func connect(t *testing.T, parameters string) *client {
	t.Helper()
	return connectTo(t, house.door, parameters)
}

func connectTo(t *testing.T, door *isosql.Server, parameters string) *client {
	t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s)/?%s", door.Addr(), parameters))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	return &client{t, conn}
}

// statementTimeout is longer than any statement here may take: one that hangs is reported by its name.
const statementTimeout = 90 * time.Second

func (c *client) exec(text string, args ...any) sql.Result {
	c.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), statementTimeout)
	defer stop()
	r, err := c.ExecContext(ctx, text, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
	return r
}

// changed executes a statement that changes so many rows.
func (c *client) changed(rows int64, text string, args ...any) {
	c.t.Helper()
	if n, _ := c.exec(text, args...).RowsAffected(); n != rows {
		c.t.Errorf("%s changed %d rows, not %d", text, n, rows)
	}
}

func (c *client) try(text string, args ...any) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), statementTimeout)
	defer stop()
	rows, err := c.QueryContext(ctx, text, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, _ := rows.Columns()
	var lines []string
	for rows.Next() {
		cells, at := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			at[i] = &cells[i]
		}
		if err := rows.Scan(at...); err != nil {
			return "", err
		}
		var line []string
		for _, cell := range cells {
			if !cell.Valid {
				cell.String = "NULL"
			}
			line = append(line, cell.String)
		}
		lines = append(lines, strings.Join(line, "|"))
	}
	return strings.Join(lines, "\n"), rows.Err()
}

// expect holds an answer: its rows, each with | between its values.
func (c *client) expect(want, text string, args ...any) {
	c.t.Helper()
	got, err := c.try(text, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
	if got != want {
		c.t.Errorf("%s\n%s\nand not\n%s", text, got, want)
	}
}

// nothingInDoubt holds that no branch stays prepared: one of a client of another test may just be
// on its way to its end.
func (c *client) nothingInDoubt() {
	c.t.Helper()
	var doubt string
	var err error
	for end := time.Now().Add(statementTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if doubt, err = c.try("SELECT branch FROM isochron.in_doubt"); err == nil && doubt == "" {
			return
		}
	}
	c.t.Errorf("in doubt: %s, %v", doubt, err)
}

// fails holds the error of a statement: MySQL's number, and a part of its text.
func (c *client) fails(code uint16, part, text string, args ...any) {
	c.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), statementTimeout)
	defer stop()
	_, err := c.ExecContext(ctx, text, args...)
	e, ok := err.(*mysql.MySQLError)
	if !ok || e.Number != code || !strings.Contains(e.Message, part) {
		c.t.Errorf("%s: %v; expected %d with %q", text, err, code, part)
	}
}
