package sourcedb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
	"isochron/txn"
)

// A dialect is a kind of server, with its SQL for the tests' common operations.
type dialect struct {
	name   string
	start  func(more ...string) (*sourcetest.Server, error)
	server func() (*sourcetest.Server, error) // one for the whole run
	// mark writes the n-th placeholder.
	mark func(n int) string
	// share reads a row and keeps it from being changed.
	share string
}

func once(f func(...string) (*sourcetest.Server, error)) func() (*sourcetest.Server, error) {
	return sync.OnceValues(func() (*sourcetest.Server, error) {
		s, err := f()
		if err == nil {
			shared.mu.Lock()
			shared.servers = append(shared.servers, s)
			shared.mu.Unlock()
		}
		return s, err
	})
}

// shared are the servers that the run's tests share.
var shared struct {
	mu      sync.Mutex
	servers []*sourcetest.Server
}

var dialects = []*dialect{
	{
		name: "postgres", start: sourcetest.Postgres, server: once(sourcetest.Postgres),
		mark: func(n int) string { return fmt.Sprintf("$%d", n) }, share: " FOR SHARE",
	},
	{
		name: "mariadb", start: sourcetest.MariaDB, server: once(sourcetest.MariaDB),
		mark: func(int) string { return "?" }, share: " LOCK IN SHARE MODE",
	},
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, s := range shared.servers {
		s.Close()
	}
	os.Exit(code)
}

// each runs a test on every dialect, on the run's own server.
func each(t *testing.T, f func(t *testing.T, k *kit)) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			s, err := d.server()
			sourcetest.LeaveOut(t, err)
			f(t, newKit(t, d, s))
		})
	}
}

// apart runs a test on every dialect, on a server of its own.
func apart(t *testing.T, more map[string][]string, f func(t *testing.T, k *kit)) {
	for _, d := range dialects {
		args, wanted := more[d.name]
		if more != nil && !wanted {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			s, err := d.start(args...)
			sourcetest.LeaveOut(t, err)
			t.Cleanup(s.Close)
			f(t, newKit(t, d, s))
		})
	}
}

// A kit is a driver at a server, with a test's operations.
type kit struct {
	*dialect
	t      *testing.T
	server *sourcetest.Server
	driver source.Driver
	ctx    context.Context
	table  string // of this test only, empty: id bigint primary key, v bigint not null
}

// endless ends a test that hangs; no test should come near it.
const endless = 2 * time.Minute

var tableNumber, seq atomic.Uint64

func newKit(t *testing.T, d *dialect, s *sourcetest.Server) *kit {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	t.Cleanup(cancel)
	k := &kit{dialect: d, t: t, server: s, ctx: ctx, table: fmt.Sprintf("t%d", tableNumber.Add(1))}
	k.driver = k.open(Options{})
	text := fmt.Sprintf("CREATE TABLE %s (id BIGINT PRIMARY KEY, v BIGINT NOT NULL)", k.table)
	if d.name == "postgres" {
		text += fmt.Sprintf("; ALTER TABLE %s OWNER TO %s", k.table, sourcetest.User)
	}
	if err := s.Exec(text); err != nil {
		t.Fatal(err)
	}
	return k
}

// open returns another driver at the server.
func (k *kit) open(o Options) source.Driver {
	k.t.Helper()
	d, err := Open(k.server.URL(), o)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { _ = d.Close() })
	return d
}

// cluster of these tests.
const cluster = 0xc1

// name returns a new name.
func (k *kit) name() source.Name {
	return source.Name{Cluster: cluster, Attempt: txn.Attempt{Node: 3, Epoch: 7, Seq: seq.Add(1)}, Source: 0x51, RecordShard: 9}
}

// begin opens a branch with a short bound of lock waits.
func (k *kit) begin(o source.BranchOptions) (source.Branch, source.Name) {
	k.t.Helper()
	n := k.name()
	return k.beginAt(k.driver, n, o), n
}

func (k *kit) beginAt(d source.Driver, n source.Name, o source.BranchOptions) source.Branch {
	k.t.Helper()
	b, err := d.Begin(k.ctx, n, o)
	if err != nil {
		k.t.Fatal(err)
	}
	return b
}

// do runs a statement, with %s for the test's table, and expects no error.
func (k *kit) do(b source.Branch, text string, args ...string) source.Result {
	k.t.Helper()
	r, err := k.try(b, text, args...)
	if err != nil {
		k.t.Fatalf("%s: %v", text, err)
	}
	return r
}

func (k *kit) try(b source.Branch, text string, args ...string) (source.Result, error) {
	s := source.Statement{Text: fmt.Sprintf(text, k.table)}
	for _, a := range args {
		s.Args = append(s.Args, []byte(a))
	}
	return b.Execute(k.ctx, s)
}

// must expects no error.
func (k *kit) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// fails expects an *Error with a code.
func (k *kit) fails(err error, code uint16) *source.Error {
	k.t.Helper()
	var e *source.Error
	if !errors.As(err, &e) {
		k.t.Fatalf("want error %d, got %v", code, err)
	}
	if e.Code != code {
		k.t.Fatalf("want error %d, got %d %s: %s", code, e.Code, e.State, e.Text)
	}
	return e
}

// has expects the test's table to have these rows: id, v, id, v ...
func (k *kit) has(want ...string) {
	k.t.Helper()
	b, _ := k.begin(source.BranchOptions{Isolation: source.ReadCommitted})
	r := k.do(b, "SELECT id, v FROM %s ORDER BY id")
	k.must(b.Rollback(k.ctx))
	var got []string
	for _, row := range r.Rows {
		got = append(got, string(row[0]), string(row[1]))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		k.t.Fatalf("the table has %v, want %v", got, want)
	}
}

// prepared expects exactly these prepared branches of the cluster.
func (k *kit) prepared(d source.Driver, want ...source.Name) {
	k.t.Helper()
	got, err := d.Prepared(k.ctx, cluster)
	k.must(err)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		k.t.Fatalf("prepared are %v, want %v", got, want)
	}
}

// finish expects a prepared branch to exist, or not.
func (k *kit) finish(d source.Driver, n source.Name, commit, want bool) {
	k.t.Helper()
	found, err := d.Finish(k.ctx, n, commit)
	k.must(err)
	if found != want {
		k.t.Fatalf("finish(%s, %v): found %v, want %v", n, commit, found, want)
	}
}
