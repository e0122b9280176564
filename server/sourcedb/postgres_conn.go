package sourcedb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"isochron/source"
)

// pgConn is a connection to a PostgreSQL.
type pgConn struct {
	c *pgconn.PgConn
	d *postgres
}

// pgConfig reads an address; the settings of the session are ours.
func pgConfig(u *url.URL, o Options) (*pgconn.Config, error) {
	cfg, err := pgconn.ParseConfig(u.String())
	if err != nil {
		var parse *pgconn.ParseConfigError
		if errors.As(err, &parse) && errors.Unwrap(parse) != nil {
			err = errors.Unwrap(parse)
			return nil, fmt.Errorf("the source's address cannot be read: %s", reason(err))
		}
		return nil, errors.New("the source's address cannot be read: see the parameters behind its question mark")
	}
	cfg.ConnectTimeout = o.ConnectTimeout
	// A message holds a row; one of twice an answer's bound ends the connection instead of
	// the memory.
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
	c, err := pgconn.ConnectConfig(ctx, cfg)
	if err == nil {
		return &pgConn{c: c}, nil
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

func (c *pgConn) sound(ctx context.Context, pause time.Duration) bool {
	if c.c.IsClosed() {
		return false
	}
	// To look at the socket costs a millisecond, so it is done after a pause alone. What
	// broke a moment ago is noticed at the first trip.
	//lint:ignore SA1019 Ping would cost a trip; this asks the socket alone, and what it misses is noticed at the first trip
	return pause < 10*time.Second || c.c.CheckConn() == nil
}

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

// command runs statements without values and without an answer, in one trip. The tag is that
// of the last.
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

// rows runs one statement for the driver's own use; its answer is known to be small.
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

// cancel has the server end what runs on the connection, and waits until it was told to.
func (c *pgConn) cancel() {
	ctx, cancel := cleanUp()
	defer cancel()
	_ = c.c.CancelRequest(ctx) // if it fails, the rest of the answer is read to its end
}
