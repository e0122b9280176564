package sourcedb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"isochron/source"
)

// Options are settings that are not part of an address.
type Options struct {
	// Password, if not "", overrides the address's.
	Password string
	// Connections bounds the pool, 0: ConnectionsDefault. Each branch has a connection, and each prepared
	// branch that MariaDB ties to one.
	Connections int
	// ConnectTimeout bounds each attempt to connect, 0: ConnectTimeoutDefault.
	ConnectTimeout time.Duration
	// Ordering is the way in which a PostgreSQL orders transactions; "": ByLocks. Other servers
	// have one way.
	Ordering Ordering
	// Cluster is part of the program name that the server's operators see.
	Cluster string
}

// Defaults and bounds.
const (
	ConnectionsDefault    = 64
	ConnectionsMax        = 4096
	ConnectTimeoutDefault = 5 * time.Second
	// cleanUpMax bounds the clean-up of an abandoned branch or connection.
	cleanUpMax = 5 * time.Second
	// idleMax is the time for which an unused connection is kept.
	idleMax = time.Minute
	// silentMax is the silence after which the server closes a connection, and releases the locks of a branch
	// whose agent was cut off.
	silentMax = 5 * time.Minute
)

// Open returns the driver for an address, without connecting:
//
//	postgres://user:password@host:port/database?sslmode=require
//	postgres://user@/database?host=/var/run/postgresql
//	mysql://user:password@host:port/database?tls=skip-verify
//	mysql://user@localhost/database?socket=/run/mysqld/mysqld.sock
//
// PostgreSQL's parameters are libpq's; a host that is a path is the directory of the server's socket. MySQL's are
// socket, and tls: true, skip-verify, preferred or false (the default). Errors never repeat the address.
func Open(address string, o Options) (source.Driver, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the source's address cannot be parsed: it must be postgres://user:password@host:port/database or mysql://..., with special characters of the password as %XX")
	}
	if o.Connections == 0 {
		o.Connections = ConnectionsDefault
	}
	if o.Connections < 1 || o.Connections > ConnectionsMax {
		return nil, fmt.Errorf("%d connections to a source: the range is 1 to %d", o.Connections, ConnectionsMax)
	}
	if err := o.Ordering.Check(); err != nil {
		return nil, err
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = ConnectTimeoutDefault
	}
	if u.User == nil || u.User.Username() == "" {
		return nil, errors.New("the source's address names no user")
	}
	if strings.Trim(u.Path, "/") == "" {
		return nil, errors.New("the source's address names no database")
	}
	if o.Password != "" {
		u.User = url.UserPassword(u.User.Username(), o.Password)
	}
	var db database
	switch source.Dialect(u.Scheme) {
	case source.Postgres, "postgresql":
		db, err = openPostgres(u, o)
	case source.MySQL, "mariadb":
		db, err = openMySQL(u, o)
	default:
		return nil, fmt.Errorf("a source is postgres://... or mysql://..., not %q", u.Scheme)
	}
	if err != nil {
		return nil, err
	}
	return &attentive{database: db, connect: o.ConnectTimeout}, nil
}

// program returns the connections' program name at the server.
func (o Options) program() string {
	if o.Cluster == "" {
		return "isochron agent"
	}
	return "isochron agent " + o.Cluster
}

// settled returns a branch's options with defaults.
func settled(o source.BranchOptions) (source.BranchOptions, error) {
	if o.Isolation == "" {
		o.Isolation = source.Serializable
	}
	switch o.Isolation {
	case source.Serializable, source.RepeatableRead, source.ReadCommitted:
		return o, nil
	}
	return o, &source.Error{Code: 1231, State: "42000", Text: fmt.Sprintf("unknown isolation level %q", o.Isolation), Ends: true}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return interrupted(ctx)
	}
}
