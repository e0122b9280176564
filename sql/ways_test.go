package sql

import (
	"context"
	"crypto/tls"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// way is one in which a statement can come in.
type way struct {
	name     string
	prepared bool
	secure   bool // over TLS
	several  bool // it stands before others in its packet
	inside   bool // of a transaction that was begun and has done nothing
}

func allWays() (out []way) {
	for _, w := range []way{
		{name: "prepared", prepared: true}, {name: "prepared, TLS", prepared: true, secure: true},
		{name: "text"}, {name: "text, TLS", secure: true}, {name: "text of several", several: true},
	} {
		inside := w
		inside.inside = true
		inside.name += ", in a transaction"
		w.name += ", autocommit"
		out = append(out, w, inside)
	}
	return out
}

// form is a statement that gets a plan of one kind.
type form struct {
	name     string
	text     string
	args     []any
	kind     planKind // in autocommit
	inside   planKind // in a transaction
	textKind planKind // in a text of several
	writes   bool
	counter  string
}

var allForms = []form{
	{"point update", "UPDATE t SET n = n + ? WHERE id = ?", []any{1, 1}, pointPlan, coreKind, coreKind, true, "Com_update"},
	{"update", "UPDATE t SET n = n + ? WHERE id <= ? AND n > -1000", []any{1, 1}, coreKind, coreKind, coreKind, true, "Com_update"},
	{"insertion by key", "INSERT INTO u (id, n) VALUES (?, ?)", []any{0, 1}, pointPlan, coreKind, coreKind, true, "Com_insert"},
	{"deletion by keys", "DELETE FROM t WHERE id IN (?, ?)", []any{1000, 2000}, pointPlan, coreKind, coreKind, true, "Com_delete"},
	{"insertion", "INSERT INTO v (id, n) VALUES (?, ?)", []any{0, 1}, pointPlan, coreKind, coreKind, true, "Com_insert"},
	{"deletion", "DELETE FROM t WHERE id <= ? AND n > ?", []any{1, 100000}, coreKind, coreKind, coreKind, true, "Com_delete"},
	{"point read", "SELECT n FROM t WHERE id = ?", []any{1}, coreKind, coreKind, coreKind, false, "Com_select"}, // by the core
}

// kindBy is the kind of plan that the form gets when it comes in by a way.
func (f *form) kindBy(w way) planKind {
	switch {
	case w.several:
		return f.textKind
	case w.inside:
		return f.inside
	}
	return f.kind
}

// walk is a client who sends one form by one way, and who looks after it.
type walk struct {
	*client
	t       *testing.T
	way     way
	form    form
	stmt    *sql.Stmt
	session *Session
	of      *ways
	ctx     context.Context
	hangUp  context.CancelFunc // closes the client's side, whatever it does
}

// ways is a server, an administrator, and what was seen.
type ways struct {
	cluster *sqltest.Cluster
	server  *Server
	root    *client
	next    int // the key of the next insertion
	log     *logged

	mu         sync.Mutex
	statements []Statement
	committed  int
}

type logged struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// taken is what was logged since the last time.
func (l *logged) taken() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

// Statement implements StatementObserver.
func (o *ways) Statement(s Statement) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.statements = append(o.statements, s)
}

// Committed implements Observer.
func (o *ways) Committed(time.Duration, txn.Stats) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.committed++
}

// Aborted implements Observer.
func (o *ways) Aborted(txn.Kind) {}

func (o *ways) observed() (statements []Statement, committed int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.statements, o.committed
}

func newWays(t *testing.T) *ways {
	cert, _ := testCertificate(t)
	o := &ways{cluster: sqltest.NewCluster("va"), log: &logged{}}
	s, err := NewServer(o.cluster.Gateway("va"), Config{
		Observer: o, TLS: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}},
		Slow: SlowLog{Threshold: time.Nanosecond, Log: slog.New(slog.NewTextHandler(o.log, nil))},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	o.server = s
	o.root = o.enter(t, "root", way{})
	for _, q := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)", "INSERT INTO d.t VALUES (1, 0), (2, 0)", "CREATE TABLE d.u (id INT PRIMARY KEY, n INT)", "CREATE TABLE d.v (id INT PRIMARY KEY AUTO_INCREMENT, n INT)", "CREATE USER u", "GRANT ALL ON d.* TO u"} {
		o.root.exec(q)
	}
	return o
}

func (o *ways) enter(t *testing.T, user string, w way) *client {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Logger, cfg.MultiStatements = "tcp", o.server.Addr().String(), user, &mysql.NopLogger{}, w.several
	if w.secure {
		cfg.TLS = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
	}
	if user != "root" {
		cfg.DBName = "d"
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	pool := sql.OpenDB(connector)
	conn, err := pool.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); pool.Close() })
	return &client{t, conn, pool}
}

// begin has the client send the form until its plan is kept.
func (o *ways) begin(t *testing.T, w way, f form) *walk {
	t.Helper()
	k := &walk{client: o.enter(t, "u", w), t: t, way: w, form: f, of: o}
	k.ctx, k.hangUp = context.WithCancel(context.Background())
	t.Cleanup(k.hangUp)
	var id uint32
	if _, err := fmt.Sscan(k.query("SELECT CONNECTION_ID()"), &id); err != nil {
		t.Fatal(err)
	}
	k.session = o.server.gateway.session(id)
	if w.prepared {
		k.stmt = k.prepare(f.text)
	}
	for range 3 {
		if err := k.run(); err != nil {
			t.Fatal(err)
		}
	}
	k.enterTransaction()
	return k
}

func (k *walk) enterTransaction() {
	if k.way.inside {
		k.exec("BEGIN")
	}
}

// run has the statement carried out once.
func (k *walk) run() error {
	args := append([]any{}, k.form.args...)
	if strings.HasPrefix(k.form.text, "INSERT") {
		k.of.next++
		args[0] = k.of.next
	}
	if k.stmt != nil {
		rows, err := k.stmt.QueryContext(k.ctx, args...)
		return drain(rows, err)
	}
	text := fmt.Sprintf(strings.ReplaceAll(k.form.text, "?", "%d"), args...)
	if k.way.several {
		text += "; SET @done = 1"
	}
	return drain(k.conn.QueryContext(k.ctx, text))
}

func drain(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		for rows.Next() {
			continue
		}
		if !rows.NextResultSet() {
			return rows.Err()
		}
	}
}

// waiting has the statement wait in its read while something is done, and gives how it
// ended. The read ends with err.
func (k *walk) waiting(err error, meanwhile func()) error {
	k.t.Helper()
	came, goOn := make(chan struct{}), make(chan struct{})
	once, release := sync.OnceFunc(func() { close(came) }), sync.OnceFunc(func() { close(goOn) })
	defer release() // also if the test fails meanwhile
	me := uint64(k.session.ID())
	k.of.cluster.BeforeRead = func(x *sqltest.Txn, _ txn.Read) error {
		if x.Options().SessionID != me {
			return nil
		}
		once()
		<-goOn
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- k.run() }()
	select {
	case <-came:
	case e := <-ended:
		k.of.cluster.BeforeRead = nil
		if e == nil {
			k.t.Fatal("it read nothing")
		}
		return e
	}
	meanwhile()
	release()
	answer := <-ended
	k.of.cluster.BeforeRead = nil
	return answer
}
