package sourcedb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"isochron/source"
)

// myConn is a connection to a MariaDB or MySQL, with its session's settings.
type myConn struct {
	d *mysqlDB
	c interface {
		driver.Conn
		driver.QueryerContext
		driver.ExecerContext
		driver.SessionResetter
		driver.Validator
	}
	socket   net.Conn    // below the driver
	given    atomic.Bool // given up: its statement was abandoned and the socket closed (watched.go)
	id       string      // the server's number of the connection
	host     string      // this end's name at the server: address and port, or localhost
	level    source.Isolation
	lockWait int    // seconds; 0: the server's default
	zone     string // of the session, set for a statement (zone.go)
	// waitEnds: a lock wait timeout rolls back the transaction and not only the statement.
	waitEnds bool
	// ties: the server ties a prepared branch to its connection (mysql_detach.go).
	ties   bool
	locked bool // it holds the lock of a branch's name
	// incarnation is the server's start by its own clock; "": unknown.
	incarnation string
}

// dial connects and sets the session.
func (d *mysqlDB) dial(ctx context.Context) (*myConn, error) {
	var socket net.Conn
	bare, err := d.connector.Connect(context.WithValue(ctx, socketOf{}, &socket))
	if err != nil {
		if e := myWord(err); e != nil {
			e.Ends = true
			return nil, e
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, unreachable(err)
	}
	c := &myConn{d: d, level: source.Serializable, socket: socket}
	var ok bool
	if c.c, ok = bare.(interface {
		driver.Conn
		driver.QueryerContext
		driver.ExecerContext
		driver.SessionResetter
		driver.Validator
	}); !ok {
		_ = bare.Close() // unreachable: it is the Go driver's connection
		return nil, unreachable(errors.New("the Go driver for MySQL is not the one that was built against"))
	}
	rows, err := c.rows(ctx, fmt.Sprintf("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE; SET SESSION wait_timeout = %d; "+
		"SELECT id, host, @@innodb_rollback_on_timeout, VERSION(), @@SESSION.sql_mode FROM information_schema.processlist WHERE id = CONNECTION_ID()", int(silentMax.Seconds())))
	if err == nil && len(rows) != 1 {
		err = unreachable(errors.New("the server does not know the connection that it has just made"))
	}
	if err == nil {
		err = c.pinned(ctx, string(rows[0][4]), string(rows[0][3]))
	}
	if err != nil {
		_ = bare.Close() // the first error is more precise
		return nil, err
	}
	v := texts(rows[0])
	c.id, c.host, c.waitEnds = v[0], v[1], v[2] == "1"
	c.ties = strings.Contains(strings.ToLower(v[3]), "mariadb")
	if err := c.started(ctx); err != nil {
		_ = bare.Close() // the first error is more precise
		return nil, err
	}
	return c, nil
}

// started queries when the server was started, by its own clock. Both numbers are of the statement's start, in whole
// seconds. Nothing is done in the server's first second, so two starts with work never have the same value.
func (c *myConn) started(ctx context.Context) error {
	status := "performance_schema.global_status"
	if c.ties { // MariaDB
		status = "information_schema.GLOBAL_STATUS"
	}
	rows, err := c.rows(ctx, "SELECT CAST(UNIX_TIMESTAMP() - VARIABLE_VALUE AS SIGNED), VARIABLE_VALUE < 1 FROM "+status+" WHERE VARIABLE_NAME = 'Uptime'")
	switch {
	case err != nil && asError(err).Ends:
		return err
	case err == nil && len(rows) == 1:
		if c.incarnation = string(rows[0][0]); string(rows[0][1]) == "1" {
			return pause(ctx, time.Second)
		}
	}
	return nil
}

// on refuses a branch that must begin at another start of the server than this connection's.
func (c *myConn) on(incarnation string) error {
	if incarnation == "" || incarnation == c.incarnation {
		return nil
	}
	return &source.Error{Code: 2013, State: "08S01", Text: "the server of the source has restarted; retry the transaction", Ends: true, Again: true, Gone: true}
}

func (c *myConn) sound(ctx context.Context, _ time.Duration) bool {
	return c.valid() && c.c.ResetSession(ctx) == nil // checks the socket
}

func (c *myConn) close() {
	c.d.serving.left(c.id)
	_ = c.c.Close() // it is gone in any case
}

// kill has the server end the connection and its statement, by a connection beside the pool's.
func (c *myConn) kill() {
	c.other("KILL " + c.id)
}

// cut has the server cancel the connection's statement.
func (c *myConn) cut() {
	c.other("KILL QUERY " + c.id)
}

// other runs a statement about this connection on another one. The server may have restarted and given the number to a
// foreign connection, so the client's address must be the same, too.
func (c *myConn) other(text string) {
	ctx, cancel := cleanUp()
	defer cancel()
	select {
	case c.d.killers <- struct{}{}:
		defer func() { <-c.d.killers }()
	case <-ctx.Done():
		return
	}
	other, err := c.d.dial(ctx)
	if err != nil {
		return // the server notices by itself, later
	}
	defer other.close()
	if other.incarnation != c.incarnation && !strings.Contains(c.host, ":") {
		return // over a server's own socket all connections have the same name
	}
	same, err := other.rows(ctx, fmt.Sprintf("SELECT 1 FROM information_schema.processlist WHERE id = %s AND host = '%s'", c.id, strings.ReplaceAll(c.host, "'", "")))
	if err == nil && len(same) == 1 {
		_, _, _ = other.exec(ctx, text, nil) // it may have ended just now
	}
}

// exec runs statements without rows in one trip; the effect is the last one's.
func (c *myConn) exec(ctx context.Context, text string, args []driver.NamedValue) (affected, insertID int64, err error) {
	if ctx.Err() != nil {
		return 0, 0, interrupted(ctx)
	}
	call, end := c.watched(ctx)
	r, err := c.c.ExecContext(call, text, args)
	end()
	if err != nil {
		return 0, 0, myError(ctx, err)
	}
	affected, _ = r.RowsAffected() // never fails
	insertID, _ = r.LastInsertId() // never fails
	return affected, insertID, nil
}

// query runs statements of which one may return rows, in one trip.
func (c *myConn) query(ctx context.Context, text string, args []driver.NamedValue, a *answer) (columns []source.Column, err error) {
	if ctx.Err() != nil {
		return nil, interrupted(ctx)
	}
	call, end := c.watched(ctx)
	defer end()
	rows, err := c.c.QueryContext(call, text, args)
	if err != nil {
		return nil, myError(ctx, err)
	}
	columns = myColumns(rows)
	values, texts := make([]driver.Value, len(columns)), make([][]byte, len(columns))
	for len(columns) > 0 {
		if err = rows.Next(values); err != nil {
			break
		}
		for i, v := range values {
			texts[i] = myText(v, texts[i], rows, i)
		}
		if !a.add(texts) {
			err = c.cutShort(rows, a)
			break
		}
	}
	if err == io.EOF {
		err = nil
	}
	closing := rows.Close()
	if err == nil {
		err = closing
	}
	if err != nil {
		return nil, myError(ctx, err)
	}
	return columns, nil
}

// cutShort ends a result that is too large: the statement is cancelled at the server, and the data under way is read and
// dropped. A late cancellation must not hit the next statement, so a statement without effect is sent before that.
func (c *myConn) cutShort(rows driver.Rows, a *answer) error {
	c.cut()
	_ = rows.Close() // the server's report of the cancellation, or nil
	ctx, cancel := cleanUp()
	defer cancel()
	for range 2 {
		_, _, err := c.exec(ctx, "DO 0", nil)
		if e := asError(err); e != nil && e.Code != codeInterrupted {
			return e
		}
	}
	return a.tooLarge()
}

// rows runs statements for the driver's own use, with a small result.
func (c *myConn) rows(ctx context.Context, text string) ([][][]byte, error) {
	a := newAnswer(source.Statement{})
	_, err := c.query(ctx, text, nil, a)
	return a.rows, err
}

// myColumns returns a result's columns with the server's type names.
func myColumns(rows driver.Rows) []source.Column {
	names := rows.Columns()
	out := make([]source.Column, len(names))
	described, _ := rows.(interface {
		ColumnTypeDatabaseTypeName(int) string
		ColumnTypeNullable(int) (bool, bool)
		ColumnTypePrecisionScale(int) (int64, int64, bool)
	})
	for i, name := range names {
		word := strings.ToLower(described.ColumnTypeDatabaseTypeName(i))
		if rest, ok := strings.CutPrefix(word, "unsigned "); ok {
			word = rest + " unsigned"
		}
		if word == "decimal" {
			if p, s, ok := described.ColumnTypePrecisionScale(i); ok {
				word = fmt.Sprintf("decimal(%d,%d)", p, s)
			}
		}
		null, _ := described.ColumnTypeNullable(i)
		out[i] = source.Column{Name: name, Type: word, Null: null}
	}
	return out
}

// myText formats a value as the server printed it, in buf if that is large enough. The Go driver has parsed numbers
// already.
func myText(v driver.Value, buf []byte, rows driver.Rows, i int) []byte {
	if buf == nil {
		buf = make([]byte, 0, 24)
	}
	switch v := v.(type) {
	case nil:
		return nil
	case []byte:
		if v == nil {
			return buf[:0]
		}
		return v
	case string:
		return append(buf[:0], v...)
	case int64:
		return strconv.AppendInt(buf[:0], v, 10)
	case uint64:
		return strconv.AppendUint(buf[:0], v, 10)
	case float32:
		return appendFloat(buf[:0], float64(v), 32, rows, i)
	case float64:
		return appendFloat(buf[:0], v, 64, rows, i)
	case time.Time:
		return v.AppendFormat(buf[:0], "2006-01-02 15:04:05.999999")
	}
	return fmt.Append(buf[:0], v)
}

// appendFloat formats a number as MySQL does: with the column's decimals if it has them, else with the fewest sufficient
// digits, and with an exponent if it is very large or small.
func appendFloat(buf []byte, v float64, bits int, rows driver.Rows, i int) []byte {
	if r, ok := rows.(interface {
		ColumnTypePrecisionScale(int) (int64, int64, bool)
	}); ok {
		if _, scale, ok := r.ColumnTypePrecisionScale(i); ok && scale < 31 {
			return strconv.AppendFloat(buf, v, 'f', int(scale), bits)
		}
	}
	text := strconv.FormatFloat(v, 'e', -1, bits)
	digits, exponent, _ := strings.Cut(text, "e")
	e, _ := strconv.Atoi(exponent) // FormatFloat wrote it
	if e >= -15 && e <= 14 {
		return strconv.AppendFloat(buf, v, 'f', -1, bits)
	}
	return fmt.Appendf(buf, "%se%d", digits, e)
}
