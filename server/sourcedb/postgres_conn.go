package sourcedb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"isochron/source"
)

// pgConn is a connection to a PostgreSQL.
type pgConn struct {
	c        *pgconn.PgConn
	d        *postgres
	level    source.Isolation // of the session, for single statements (once.go); "": the server's default
	lockWait int64            // of the session, in milliseconds; 0: the server's default
	zone     string           // of the session, set for a statement (zone.go)
}

// pgConfig parses an address and adds the session's settings.
func pgConfig(u *url.URL, o Options) (*pgconn.Config, error) {
	cfg, err := pgconn.ParseConfig(u.String())
	if err != nil {
		var parse *pgconn.ParseConfigError
		if errors.As(err, &parse) && errors.Unwrap(parse) != nil {
			err = errors.Unwrap(parse)
			return nil, fmt.Errorf("the source's address cannot be parsed: %s", reason(err))
		}
		return nil, errors.New("the source's address cannot be parsed: check the parameters after its question mark")
	}
	cfg.ConnectTimeout = o.ConnectTimeout
	// A message holds a row; one of twice a result's bound ends the connection before it exhausts memory.
	cfg.MaxProtocolMessageBodyLen = 2 * source.BytesMax
	silent := fmt.Sprint(silentMax.Milliseconds())
	for key, value := range map[string]string{
		"application_name":                    o.program(),
		"client_encoding":                     "UTF8",
		"bytea_output":                        "hex",
		"idle_in_transaction_session_timeout": silent,
		"tcp_keepalives_idle":                 "30",
		"tcp_keepalives_interval":             "10",
		"tcp_keepalives_count":                "3",
	} {
		if _, set := cfg.RuntimeParams[key]; !set || key == "client_encoding" || key == "bytea_output" {
			cfg.RuntimeParams[key] = value
		}
	}
	return cfg, nil
}

// pgDial connects.
func pgDial(ctx context.Context, cfg *pgconn.Config) (*pgConn, error) {
	bare, err := pgconn.ConnectConfig(ctx, cfg)
	if err == nil {
		c := &pgConn{c: bare}
		if err = c.pinned(ctx); err != nil {
			_ = bare.Close(ctx) // the first error is more precise
			return nil, err
		}
		return c, nil
	}
	if e := serverWord(err); e != nil {
		e.Ends = true
		return nil, e
	}
	if ctx.Err() != nil {
		return nil, unreachable(context.Cause(ctx))
	}
	return nil, unreachable(err)
}

func (c *pgConn) sound(context.Context, time.Duration) bool {
	return !c.c.IsClosed() && quiet(c.c.Conn())
}

// pid returns the server's number of the connection.
func (c *pgConn) pid() string { return strconv.FormatUint(uint64(c.c.PID()), 10) }

func (c *pgConn) close() {
	c.d.count(c, false)
	ctx, cancel := cleanUp()
	defer cancel()
	_ = c.c.Close(ctx) // it is gone in any case
	select {
	case <-c.c.CleanupDone():
	case <-ctx.Done():
	}
}

// waitOf returns the bound of a lock wait in milliseconds; 0: the server's default.
func waitOf(o source.BranchOptions) int64 {
	if o.LockWait <= 0 {
		return 0
	}
	return max(1, o.LockWait.Milliseconds())
}

// timeout returns it as a value of lock_timeout.
func timeout(o source.BranchOptions) string {
	if wait := waitOf(o); wait > 0 {
		return strconv.FormatInt(wait, 10)
	}
	return "DEFAULT"
}

// settle sets the session for a single statement unless it already is: this costs a trip, but as a rule all
// statements need the same settings.
func (c *pgConn) settle(ctx context.Context, o source.BranchOptions, zone string) error {
	if c.level == o.Isolation && c.lockWait == waitOf(o) && c.zone == zone {
		return nil
	}
	if e := checkZone(zone); e != nil {
		return e
	}
	if _, err := c.command(ctx, "SET default_transaction_isolation = '"+string(o.Isolation)+"'; SET lock_timeout = "+timeout(o)+"; SET TimeZone = '"+pgZone(zone)+"'"); err != nil {
		return pgZoned(zone, err)
	}
	c.level, c.lockWait, c.zone = o.Isolation, waitOf(o), zone
	return nil
}

// settleWait sets the session's lock wait bound once; a branch with another one sets it itself.
func (c *pgConn) settleWait(ctx context.Context, o source.BranchOptions) error {
	if c.lockWait != 0 || o.LockWait <= 0 {
		return nil
	}
	if _, err := c.command(ctx, "SET lock_timeout = "+timeout(o)); err != nil {
		return err
	}
	c.lockWait = waitOf(o)
	return nil
}

// command runs statements without values and results in one trip. The tag is the last one's.
func (c *pgConn) command(ctx context.Context, text string) (tag string, err error) {
	results, err := c.c.Exec(ctx, text).ReadAll()
	if err != nil {
		return "", pgError(ctx, err)
	}
	if len(results) > 0 {
		tag = results[len(results)-1].CommandTag.String()
	}
	return tag, nil
}

// rows runs one statement for the driver's own use, with a small result.
func (c *pgConn) rows(ctx context.Context, text string, args ...string) ([][][]byte, error) {
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	r := c.c.ExecParams(ctx, text, values, nil, nil, nil).Read()
	if r.Err != nil {
		return nil, pgError(ctx, r.Err)
	}
	return r.Rows, nil
}

// cancel has the server cancel the connection's statement and waits until the request was received.
func (c *pgConn) cancel() {
	ctx, cancel := cleanUp()
	defer cancel()
	_ = c.c.CancelRequest(ctx) // if it fails, the rest of the result is read
}
