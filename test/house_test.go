package test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/geo"
	"isochron/protocol"
)

var dsn = flag.String("dsn", "", "judge this MySQL server instead (a Go driver's DSN without database, ending in /)")

// house is a database under test: a cluster with one protocol, or an external server.
type house struct {
	name    string
	regions []geo.Region
	layouts []layout // of the table kv in which anomalies are played
	// dsn of a region's port; database may be "".
	dsn func(region int, database string) string
}

// TestMain runs more tests in parallel than there are processors, for they mostly wait, and tears
// the houses down.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err) // the flag is the testing package's own
	}
	code := m.Run()
	if err := closeClusters(); err != nil {
		fmt.Fprintf(os.Stderr, "closing the clusters: %v\n", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// alike are the rows that differ from one that is tried in nothing that a client
// could see, but by being slower.
var alike = []string{"2pc+2pl-nro", "2pc+occ-nro", "d2pc+2pl-nro", "d2pc+2pl-home", "mysql", "o1", "o2"}

// unraced are the rows that are left out under the race detector, which makes a cluster
// several times slower: nothing runs beside something else there that does not on
// another row. Without it, go test ./test tries them as well.
var unraced = []string{"2pc+2pl", "2pc+2pl-group", "aria"}

// houses returns the databases of every test: a cluster with each protocol, or the external server
// of -dsn.
func houses(t *testing.T) []house {
	t.Helper()
	if *dsn != "" {
		return []house{{
			name: "foreign", layouts: layouts, regions: []geo.Region{"va", "wa", "pr", "nsw", "sg"},
			dsn: func(_ int, database string) string { return *dsn + database },
		}}
	}
	var out []house
	for _, spec := range protocol.OverShards() {
		if slices.Contains(alike, spec.Name) || underRace && slices.Contains(unraced, spec.Name) {
			continue
		}
		out = append(out, sharedCluster(t, spec).house())
	}
	return out
}

// onEveryProtocol runs a test with every protocol, each with a database of its own, in
// parallel.
func onEveryProtocol(t *testing.T, f func(t *testing.T, s *stage)) {
	onProtocolsOf(t, nil, f)
}

// onProtocolsOf is onEveryProtocol for some rows; nil: all.
func onProtocolsOf(t *testing.T, rows []string, f func(t *testing.T, s *stage)) {
	for _, h := range houses(t) {
		if rows != nil && !slices.Contains(rows, h.name) {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			f(t, h.stage(t, layouts[0]))
		})
	}
}

// stage is the place of plays: connections to the regions of one database.
type stage struct {
	t       *testing.T
	layout  layout // of the table kv
	regions []geo.Region
	dsns    []string      // one a region
	pause   time.Duration // of a play, after each step
	pools   []*sql.DB     // one a region
}

// stage makes a database of its own, with the scripts' table laid out so.
func (h house) stage(t *testing.T, l layout) *stage {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	name = strings.ToLower(name + "_" + l.name)
	s := &stage{t: t, layout: l, regions: h.regions}
	first := pool(t, h.dsn(0, ""), nil)
	for _, text := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := first.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	for region := range h.regions {
		s.dsns = append(s.dsns, h.dsn(region, name))
		s.pools = append(s.pools, pool(t, s.dsns[region], nil))
	}
	s.exec(l.table)
	return s
}

// exec runs a statement of a test's preparation.
func (s *stage) exec(text string) {
	s.t.Helper()
	if _, err := s.pools[0].Exec(text); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
}

// conn opens a connection to one of the regions.
func (s *stage) conn(ctx context.Context, i int) *sql.Conn {
	s.t.Helper()
	c, err := s.pools[i%len(s.pools)].Conn(ctx)
	if err != nil {
		s.t.Fatalf("connecting to region %d: %v", i%len(s.pools), err)
	}
	return c
}

// pool opens a pool of connections; every line below them goes through dialed.
func pool(t *testing.T, dsn string, dialed func(net.Conn)) *sql.DB {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Logger = new(mysql.NopLogger) // errors are returned; connections are cut on purpose
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil && dialed != nil {
			dialed(c)
		}
		return c, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// cuttable opens a connection of its own whose line can be cut, as a lost client
// does: without a word.
func (s *stage) cuttable(ctx context.Context, i int) (c *sql.Conn, cut func()) {
	s.t.Helper()
	var line net.Conn
	db := pool(s.t, s.dsns[i%len(s.dsns)], func(c net.Conn) { line = c })
	db.SetMaxOpenConns(1)
	c, err := db.Conn(ctx)
	if err != nil {
		s.t.Fatalf("connecting to region %d: %v", i%len(s.dsns), err)
	}
	return c, func() { line.Close() }
}
