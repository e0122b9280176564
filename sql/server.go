package sql

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/server"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/sirupsen/logrus"

	"isochron/preauth"
	"isochron/sql/account"
	"isochron/sql/admission"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/legacy"
	"isochron/sql/legacy/accounts"
	"isochron/sql/memory"
	"isochron/txn"
)

// Observer is notified of every transaction's end. It is called by many goroutines.
type Observer interface {
	Committed(latency time.Duration, stats txn.Stats)
	Aborted(kind txn.Kind)
}

type noObserver struct{}

func (noObserver) Committed(time.Duration, txn.Stats) {}
func (noObserver) Aborted(txn.Kind)                   {}

// Config of a Server.
type Config struct {
	// Address to listen on; empty is a free port of the loopback.
	Address string
	// Root is the verifier of the password of root (CheckVerifier), with which the
	// users of a cluster begin; once stored, they change by statements alone. Empty:
	// root begins without a password, allowed only on a loopback address.
	Root string
	// TLS, if set, is offered to clients; RequireTLS refuses those without.
	TLS        *tls.Config
	RequireTLS bool
	// Connections are taken at a time; 0 is DefaultConnections.
	Connections int
	// Unauthenticated are connections that have not logged in, held at a time; 0 is
	// DefaultStrangers. They have LoginTimeout for it; 0 is ten seconds.
	Unauthenticated int
	LoginTimeout    time.Duration
	// FailedLoginDelay is the longest wait of an answer to a wrong password; 0 is that
	// of doors.DefaultDelays, and below 0 none waits.
	FailedLoginDelay time.Duration
	// Log has a line for each login that failed; nil is slog.Default().
	Log *slog.Logger
	// Variables are values of system variables, as SET GLOBAL would set them before the first
	// client: whole numbers. They are of all servers of the process.
	Variables map[string]int64
	// Running statements are let work at a time, beside those of transactions that
	// are open and those that wait; 0 is runningDefault for this machine.
	Running int
	// Memory is what clients may have the node hold.
	Memory Memory
	// SpillDir is for temporary files of statements whose rows exceed their memory; it is made if it does not exist, and of
	// no other server. Empty: such statements fail. An operator writes to them when it holds SpillShare bytes; 0: a quarter
	// of the statement's memory.
	SpillDir   string
	SpillShare int64
	// Observer, if set, is notified of transactions. If it is a StatementObserver too,
	// it is notified of statements.
	Observer Observer
	// Slow says which transactions are logged as slow.
	Slow SlowLog
}

// Memory bounds what the clients of a server may have it hold, all together; zero
// fields get defaults.
type Memory struct {
	Statements int64 // bytes that statements hold while they run; a quarter for one
	Results    int64 // bytes of results that are held back
	Requests   int64 // bytes of long requests that are not answered
	Prepared   int   // prepared statements
	Plans      int   // plans that sessions share
}

// Holding is what of that is held now; plans are counted with the prepared statements.
type Holding struct {
	Statements, Results, Requests int64 // bytes
	Prepared                      int   // statements and plans
}

// Holding tells what the clients of the server have it hold.
func (s *Server) Holding() Holding {
	g := s.gateway
	return Holding{Statements: g.budget.InUse(), Results: g.held.Load(), Requests: s.listener.unread.Load(),
		Prepared: int(g.prepared.Load()) + g.directs.len()}
}

// Server is the MySQL server of one gateway.
type Server struct {
	gateway  *gateway
	listener *listener
	server   *server.Server
	engine   *sqle.Engine
	served   chan struct{}
	once     sync.Once
}

// gateway is what the sessions of one server share.
type gateway struct {
	db           txn.DB
	store        *catalog.Store
	observer     Observer
	watcher      StatementObserver // may be nil
	slow         *slowLog
	engine       *sqle.Engine
	overrides    gms.EngineOverrides // of the engine
	accounts     *account.Accounts
	looks        sync.Mutex   // held while idle sessions are looked for
	cached       atomic.Int64 // executions by a cached plan
	directs      directs      // plans that sessions share
	byEngine     atomic.Int64 // queries, changes and definitions that the engine executed
	pointUpdates atomic.Int64 // of these, updates that were read, changed and committed in one request
	below        atomic.Int64 // statements that were read and answered below the wire library
	handler      *handler
	prepared     atomic.Int64 // statements that are prepared, at all connections
	held         atomic.Int64 // bytes of results that are held back
	shares       account.Shares
	admission    *admission.Control
	bounds       bounds
	budget       *memory.Budget
	spill        *exec.SpillSpace // nil: statements have no files
	spillShare   int64            // 0: the default

	mu       sync.Mutex
	sessions map[uint32]*Session
	conns    map[uint32]*mysql.Conn
}

func (g *gateway) session(id uint32) *Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[id]
}

// connected reports whether a connection has not ended.
func (g *gateway) connected(c *mysql.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conns[c.ConnectionID] == c
}

// forget rolls back and drops the session of a closed connection.
func (g *gateway) forget(id uint32) {
	g.mu.Lock()
	s := g.sessions[id]
	delete(g.sessions, id)
	delete(g.conns, id)
	g.mu.Unlock()
	if s != nil {
		s.leave()
	}
}

// engineLog silences the engine's own log, once for the process: what it has to
// say reaches the client as an error.
var engineLog = sync.OnceFunc(func() {
	logrus.SetOutput(io.Discard)
	log.SetOutput(io.Discard) // the wire library's: it prints whole packets of strangers
})

// NewServer starts a MySQL server for a gateway.
func NewServer(db txn.DB, cfg Config) (*Server, error) {
	engineLog()
	legacy.RegisterVariables()
	if cfg.Address == "" {
		cfg.Address = "127.0.0.1:0"
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if err := setVariables(cfg.Variables); err != nil {
		return nil, err
	}
	g := &gateway{db: db, store: catalog.NewStore(db), observer: cfg.Observer, bounds: cfg.Memory.bounds(), budget: memory.New(cfg.Memory.Statements, memorySetting, refusal), spillShare: cfg.SpillShare, sessions: map[uint32]*Session{}, conns: map[uint32]*mysql.Conn{}}
	if g.observer == nil {
		g.observer = noObserver{}
	}
	g.admission = admission.New(cfg.Running, g.places)
	g.watcher, _ = g.observer.(StatementObserver)
	g.slow = newSlowLog(cfg.Slow, db)
	var err error
	if cfg.SpillDir != "" {
		if g.spill, err = exec.OpenSpillSpace(cfg.SpillDir); err != nil {
			return nil, err
		}
	}
	g.engine = newEngine(g)
	if g.accounts, err = account.New(g.store, accounts.NewCodec(g.engine.Analyzer.Catalog.MySQLDb), cfg.Root); err != nil {
		return nil, err
	}
	if cfg.Root != "" {
		if err := g.accounts.Seed(context.Background()); err != nil {
			return nil, fmt.Errorf("the first user cannot be stored: %w", err)
		}
	}
	tcp, err := net.Listen("tcp", cfg.Address)
	if err != nil {
		return nil, fmt.Errorf("the MySQL port cannot be opened: %w", err)
	}
	g.directs.most = cmp.Or(cfg.Memory.Plans, directsMax)
	l := &listener{Listener: tcp, max: int64(cfg.Connections), unreadMax: cmp.Or(cfg.Memory.Requests, requestsMaxBytes), door: preauth.NewLimiter(cfg.Unauthenticated)}
	l.login.Store(int64(cfg.LoginTimeout))
	s := &Server{gateway: g, listener: l, engine: g.engine, served: make(chan struct{})}
	if err := s.start(cfg); err != nil {
		l.Close()
		return nil, err
	}
	return s, nil
}

func (c *Config) check() error {
	if c.Connections == 0 {
		c.Connections = DefaultConnections
	}
	c.Unauthenticated, c.LoginTimeout = cmp.Or(c.Unauthenticated, DefaultStrangers), cmp.Or(c.LoginTimeout, loginPatience)
	c.FailedLoginDelay = cmp.Or(c.FailedLoginDelay, preauth.DefaultDelays.Most)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.RequireTLS && c.TLS == nil {
		return errors.New("TLS is demanded of clients, and there is no certificate for it")
	}
	if c.Root != "" {
		return account.CheckVerifier(c.Root)
	}
	host, _, err := net.SplitHostPort(c.Address)
	if err != nil {
		return fmt.Errorf("the address %q of the MySQL port cannot be read: %w", c.Address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("the MySQL port at %s would let anyone in: give root a password, or listen on a loopback address", c.Address)
	}
	return nil
}

// gate is how clients are let in.
func (c *Config) gate() account.GateConfig {
	observer, _ := c.Observer.(account.LoginObserver)
	return account.GateConfig{RequireTLS: c.RequireTLS, FailedLoginDelay: c.FailedLoginDelay, LoginTimeout: c.LoginTimeout, Log: c.Log, Observer: observer}
}

func newEngine(g *gateway) *sqle.Engine {
	overrides := gms.EngineOverrides{SchemaFormatter: schemaFormatter{gms.DefaultMySQLSchemaFormatter, func() *catalog.Store { return g.store }}, Builder: gms.BuilderOverrides{Parser: engineParser{gms.NewMysqlParser()}}}
	g.overrides = overrides
	a := analyzer.NewBuilder(provider{g}).AddOverrides(overrides).Build()
	checkRules(a)
	a.ExecBuilder = rowexec.NewBuilder(&builder{g}, overrides)
	a.Catalog.InfoSchema = informationSchema{a.Catalog.InfoSchema, g}
	e := sqle.New(a, &sqle.Config{VersionPostfix: "isochron"})
	registerStatus() // it has made them now
	e.ProcessList = processes{e.ProcessList, g}
	return e
}

func (s *Server) start(cfg Config) error {
	var sm *server.SessionManager
	h := &handler{g: s.gateway}
	s.gateway.handler = h
	config := server.Config{
		Protocol: "tcp", Address: s.listener.Addr().String(), Listener: s.listener, TLSConfig: cfg.TLS,
		Version: "8.0.31-isochron",
		ProtocolListenerFactory: func(c server.Config, l mysql.ListenerConfig, e server.ServerEventListener) (server.ProtocolListener, error) {
			l.AuthServer = accounts.AuthServer(account.NewGate(s.gateway.accounts, cfg.gate()), pauseLogin)
			return server.MySQLProtocolListenerFactory(c, l, e)
		},
		Options: []server.Option{func(e *sqle.Engine, m *server.SessionManager, inner mysql.Handler) (*sqle.Engine, *server.SessionManager, mysql.Handler) {
			sm = m
			return e, m, inner
		}},
	}
	var err error
	s.server, err = server.NewServerWithHandler(config, s.engine, newContext, s.gateway.newSession, nil,
		func(inner mysql.Handler) (mysql.Handler, error) {
			h.Handler = inner
			return h, nil
		})
	if err != nil {
		return fmt.Errorf("the MySQL server cannot be started: %w", err)
	}
	h.sm = sm
	go s.gateway.watchClients()
	go func() {
		defer close(s.served)
		_ = s.server.Start() // it ends when the listener is closed
	}()
	return nil
}

// Addr is where the server listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Close closes all connections, rolls back what they left open, and returns when
// nothing runs any more.
func (s *Server) Close() error {
	s.once.Do(func() {
		_ = s.server.Close()
		s.gateway.admission.Close()
		s.listener.Close()
		s.gateway.mu.Lock()
		for _, c := range s.gateway.conns {
			c.Close()
		}
		s.gateway.mu.Unlock()
		<-s.served
		s.server.SessionManager().WaitForClosedConnections()
		_ = s.engine.Close()
	})
	return nil
}

// Connections is the number of clients that are connected.
func (s *Server) Connections() int {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	return len(s.gateway.conns)
}

// Unauthenticated is the number of connections that have not logged in, and how many such
// lost their place to others since the start.
func (s *Server) Unauthenticated() (now int, dropped int64) {
	return s.listener.door.Unauthenticated(), s.listener.door.Dropped()
}

// Store is the catalogue of the gateway, for those who look at it from outside.
func (s *Server) Store() *catalog.Store { return s.gateway.store }

// places calls f with the place of every session.
func (g *gateway) places(f func(*admission.Place)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions { // order: each by itself
		f(&s.place)
	}
}
