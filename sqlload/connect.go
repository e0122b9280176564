package sqlload

import (
	"context"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Target is the server under load.
type Target struct {
	Addresses      []string // host:port, or the path of a Unix socket, with a / in it
	User, Password string
	Database       string
	Connections    int // of each address, at most
	// TLS, if set, is required of the server.
	TLS *tls.Config
	// AsIs keeps the server's isolation for connections; otherwise it is Isolation, and
	// SERIALIZABLE if that is "": every check here assumes that transactions of its load are
	// serializable, by that or by the locks of their statements.
	AsIs      bool
	Isolation string
	// Several lets a message have several statements.
	Several bool
	// LockWait bounds each lock wait of a connection, in seconds; 0 is the server's default.
	LockWait int
}

// Time-outs after which an operation counts as broken.
const (
	patience       = time.Minute // one transaction
	connectTimeout = 10 * time.Second
)

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Check reports the fault of a target, before a connection.
func (t Target) Check() error {
	if len(t.Addresses) == 0 {
		return errors.New("no address was given")
	}
	for _, a := range t.Addresses {
		if network(a) == "unix" {
			continue
		}
		if _, port, err := net.SplitHostPort(a); err != nil || port == "" {
			return fmt.Errorf("%q is not an address such as 127.0.0.1:4401, nor the path of a socket", a)
		}
	}
	if !plainName.MatchString(t.Database) {
		return fmt.Errorf("%q is not a plain name of a database", t.Database)
	}
	return nil
}

// network returns the network of an address.
func network(address string) string {
	if strings.Contains(address, "/") {
		return "unix"
	}
	return "tcp"
}

// settled is a connector whose connections begin with settings of the session. The level is set by
// its statement: servers differ in the variable's name, not in the statement.
type settled struct {
	driver.Connector
	settings []string
}

func (s settled) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, text := range s.settings {
		if _, err = c.(driver.ExecerContext).ExecContext(ctx, text, nil); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// settings returns the first statements of its connections.
func (t Target) settings() (texts []string) {
	if !t.AsIs {
		texts = append(texts, "SET SESSION TRANSACTION ISOLATION LEVEL "+or(t.Isolation, "SERIALIZABLE"))
	}
	if t.LockWait > 0 {
		texts = append(texts, fmt.Sprintf("SET SESSION innodb_lock_wait_timeout = %d", t.LockWait))
	}
	return texts
}

func (t Target) open(address, database string) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = t.User, t.Password, network(address), address, database
	cfg.TLS, cfg.MultiStatements = t.TLS, t.Several
	cfg.InterpolateParams = true // one message for each statement
	cfg.ClientFoundRows = true   // an UPDATE to the same value has found its row
	cfg.Timeout = connectTimeout
	cfg.Logger = &mysql.NopLogger{} // errors are returned anyway
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(settled{c, t.settings()})
	db.SetMaxOpenConns(t.Connections)
	db.SetMaxIdleConns(t.Connections)
	return db, nil
}

// Open connects to every address, and creates the database if create is set.
func (t Target) Open(ctx context.Context, create bool) (*Env, error) {
	e := &Env{Log: func(string, ...any) {}}
	if create {
		db, err := t.open(t.Addresses[0], "")
		if err != nil {
			return nil, err
		}
		_, err = db.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+t.Database)
		if err = errors.Join(err, db.Close()); err != nil {
			return nil, fmt.Errorf("the database %s cannot be created at %s: %w", t.Database, t.Addresses[0], err)
		}
	}
	for _, a := range t.Addresses {
		db, err := t.open(a, t.Database)
		if err == nil {
			e.DBs = append(e.DBs, db)
			err = db.PingContext(ctx)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s cannot be used: %w", a, err), e.Close())
		}
	}
	return e, nil
}

// Close closes the connections.
func (e *Env) Close() error {
	var errs []error
	for _, db := range e.DBs {
		errs = append(errs, db.Close())
	}
	return errors.Join(errs...)
}

// Comment returns the COMMENT of a table for a placement: "" for none, "hash:4" for four shards by
// the table's home column, or Isochron's own JSON object for all.
func Comment(placement string, t Table) (string, error) {
	if placement == "" {
		return "", nil
	}
	if n, ok := strings.CutPrefix(placement, "hash:"); ok {
		var shards int
		if _, err := fmt.Sscanf(n, "%d", &shards); err != nil || shards < 1 || shards > 256 {
			return "", fmt.Errorf("placement %q: give a number of shards between 1 and 256, such as hash:4", placement)
		}
		return fmt.Sprintf(` COMMENT='isochron: {"spread":"hash","shards":%d,"columns":["%s"]}'`, shards, t.Home), nil
	}
	if !strings.HasPrefix(placement, "{") || strings.ContainsAny(placement, `'\`) {
		return "", fmt.Errorf("placement %q is neither hash:N nor a JSON object such as {\"leader\":\"va\"}", placement)
	}
	return " COMMENT='isochron: " + placement + "'", nil
}
