package sourcedb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"isochron/source"
)

// myBranch is an XA branch of a MariaDB or MySQL.
type myBranch struct {
	d     *mysqlDB
	c     *myConn
	name  source.Name
	o     source.BranchOptions
	used  bool // a connection from the pool, on which nothing has been sent for this branch yet
	begun bool
	ended bool
	// changed: it has changed rows since its start or its last rollback to a savepoint.
	changed bool
}

// begin returns the statements that begin the branch, preceded by statements that adapt the
// connection's settings.
func (b *myBranch) begin() string {
	text := b.c.settle(b.o)
	if b.o.ReadOnly {
		text += "SET TRANSACTION READ ONLY; " // of the next transaction only
	}
	return text + "XA START " + xid(b.name) + "; "
}

// settle returns the statements that adapt the connection to a branch's options; "": none needed.
func (c *myConn) settle(o source.BranchOptions) string {
	// The server counts in seconds; a fraction is rounded up.
	seconds := int((o.LockWait + time.Second - 1) / time.Second)
	if c.level == o.Isolation && c.lockWait == seconds {
		return ""
	}
	var out strings.Builder
	if c.level != o.Isolation {
		fmt.Fprintf(&out, "SET SESSION TRANSACTION ISOLATION LEVEL %s; ", strings.ToUpper(string(o.Isolation)))
	}
	if c.lockWait != seconds {
		value := "DEFAULT"
		if seconds > 0 {
			value = fmt.Sprint(seconds)
		}
		fmt.Fprintf(&out, "SET SESSION innodb_lock_wait_timeout = %s, lock_wait_timeout = %s; ", value, value)
	}
	c.level, c.lockWait = o.Isolation, seconds
	return out.String()
}

func (b *myBranch) Execute(ctx context.Context, s source.Statement) (out source.Result, failed error) {
	if b.ended {
		return source.Result{}, over()
	}
	if e := refused(s.Text); e != nil {
		return source.Result{}, e
	}
	if s.Look {
		r, err := b.d.look(ctx, b.o.LockWait, s)
		if err != nil {
			return source.Result{}, b.failed(err)
		}
		return r, nil
	}
	r, err := b.run(ctx, s)
	defer func() { b.changed = (b.changed || out.Affected > 0) && !goesBack(s.Text) }()
	if e := asError(err); e != nil && e.Gone && b.used && ctx.Err() == nil {
		// The pooled connection was broken unnoticed. No statement of the branch was executed on it.
		b.c.close()
		b.d.pool.forget()
		c, err := b.d.dial(ctx)
		if err != nil {
			b.ended = true
			b.d.pool.release()
			return source.Result{}, err
		}
		if err := c.on(b.o.Incarnation); err != nil {
			b.ended = true
			b.d.pool.put(c)
			return source.Result{}, err
		}
		b.d.serving.serves(c.id, b.name)
		b.c, b.begun = c, false
		r, err = b.run(ctx, s)
		return r, b.failed(err)
	}
	return r, b.failed(err)
}

// look reads without locks on a separate connection. At SERIALIZABLE a branch would lock all rows it reads and wait
// for others' locks. At READ UNCOMMITTED the branch's own changes are visible from outside it.
func (d *mysqlDB) look(ctx context.Context, wait time.Duration, s source.Statement) (r source.Result, err error) {
	if e := checkZone(s.Zone); e != nil {
		return r, e
	}
	err = again(ctx, func() error {
		c, _, err := d.lookers.get(ctx, wait)
		if err != nil {
			return err
		}
		r, err = c.look(ctx, s)
		if c.valid() {
			d.lookers.put(c)
		} else {
			d.lookers.drop(c, c.kill)
		}
		return err
	})
	return r, err
}

// look reads in a transaction of one statement with its own level.
func (c *myConn) look(ctx context.Context, s source.Statement) (r source.Result, err error) {
	text, args := clientText(s)
	zone, a := c.inZone(s.Zone), newAnswer(s)
	r.Columns, err = c.query(ctx, zone+"SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; "+text, args, a)
	if err = c.zoned(zone, s.Zone, err); err != nil {
		return source.Result{}, err
	}
	r.Rows = a.rows
	return r, nil
}

// run sends a statement, the first together with the branch's begin.
func (b *myBranch) run(ctx context.Context, s source.Statement) (r source.Result, err error) {
	if e := checkZone(s.Zone); e != nil {
		return r, e
	}
	text, args := clientText(s)
	first, zone := !b.begun, b.c.inZone(s.Zone)
	if first {
		text = b.begin() + text
		b.begun = true
	} else {
		b.used = false
	}
	text = zone + text
	defer func() {
		if err = b.c.zoned(zone, s.Zone, err); first && asError(err) != nil && asError(err).Code == codeUnknownZone {
			b.begun = false // the zone is set before all else
		}
	}()
	if onlyChanges(s.Text) {
		r.Affected, r.InsertID, err = b.c.exec(ctx, text, args)
		return r, err
	}
	a := newAnswer(s)
	r.Columns, err = b.c.query(ctx, text, args, a)
	if err != nil {
		if e := asError(err); e.Code == a.tooLarge().Code && !onlyReads(s.Text) {
			e.Ends = true // its changes cannot be rolled back on their own
		}
		return source.Result{}, err
	}
	r.Rows = a.rows
	switch {
	case len(r.Columns) == 0:
		return b.count(ctx, r)
	case changes(s.Text): // and returns the changed rows
		r.Affected = int64(len(r.Rows))
	}
	return r, nil
}

// count queries the number of rows the last statement changed.
func (b *myBranch) count(ctx context.Context, r source.Result) (source.Result, error) {
	rows, err := b.c.rows(ctx, "SELECT ROW_COUNT()")
	if err != nil {
		e := asError(err)
		e.Ends = true
		return source.Result{}, e
	}
	_, _ = fmt.Sscan(string(rows[0][0]), &r.Affected) // the server wrote a number
	r.Affected = max(r.Affected, 0)                   // -1: not a change
	return r, nil
}

// failed returns an error and ends a branch that the error ends.
func (b *myBranch) failed(err error) error {
	b.used = false
	if err == nil {
		return nil
	}
	e := asError(err)
	e.Ends = e.Ends || e.Code == 1205 && b.c.waitEnds
	if e.Ends {
		b.end()
	}
	return e
}

func (b *myBranch) Prepare(ctx context.Context) error {
	if b.ended {
		return over()
	}
	done := b.d.preparing.begin(b.name)
	defer done()
	text := ""
	if !b.begun {
		text = b.begin()
		b.begun = true
	}
	x := xid(b.name)
	if err := b.finish(ctx, text+b.c.tie(b.name)+"XA END "+x+"; XA PREPARE "+x); err != nil {
		if e := asError(err); !b.changed {
			e.Unknown = false // the end of the connection rolls it back
		}
		return err
	}
	err := b.contradicts(ctx)
	if !b.changed {
		err = b.staysThere(ctx)
	}
	if err != nil {
		b.end()
		return err
	}
	b.ended = true
	b.d.pool.park(b.name, b.c)
	return nil
}

func (b *myBranch) Commit(ctx context.Context) error {
	if b.ended {
		return over()
	}
	if b.begun {
		if err := b.contradicts(ctx); err != nil {
			b.end()
			return err
		}
		x := xid(b.name)
		if err := b.finish(ctx, "XA END "+x+"; XA COMMIT "+x+" ONE PHASE"); err != nil {
			return err
		}
	}
	b.ended = true
	b.d.pool.put(b.c)
	return nil
}

func (b *myBranch) finish(ctx context.Context, text string) error {
	_, _, err := b.c.exec(ctx, text, nil)
	if err == nil {
		return nil
	}
	e := asError(err)
	e.Ends, e.Unknown = true, unknowable(err) || e.Code == xaFatal
	b.end()
	return e
}

func (b *myBranch) Rollback(ctx context.Context) error {
	if b.ended {
		return nil
	}
	b.ended = true
	if b.begun {
		if err := b.c.rollback(ctx, b.name); err != nil {
			b.d.pool.drop(b.c, b.c.kill)
			return err
		}
	}
	b.d.pool.put(b.c)
	return nil
}

// rollback ends the connection's branch in any state.
func (c *myConn) rollback(ctx context.Context, n source.Name) error {
	x, untie := xid(n), c.untie(n)
	_, _, err := c.exec(ctx, "XA END "+x+"; XA ROLLBACK "+x+untie, nil)
	if e := asError(err); e != nil && (e.Code == xaRolledBack || e.Code == xaTimedOut || e.Code == xaDeadlock || e.Code == xaWrongState) {
		// XA END reports the earlier end and leaves the rollback to do.
		_, _, err = c.exec(ctx, "XA ROLLBACK "+x+untie, nil)
		if e := asError(err); e != nil && e.Code == xaRolledBack {
			err = nil
		}
	}
	if err != nil {
		return asError(err)
	}
	return nil
}

// end rolls back the open branch and returns the connection. If that fails the server is requested to kill the
// connection, which rolls back an unprepared branch.
func (b *myBranch) end() {
	b.ended = true
	if !b.c.valid() {
		b.d.pool.drop(b.c, b.c.kill)
		return
	}
	ctx, cancel := cleanUp()
	defer cancel()
	if err := b.c.rollback(ctx, b.name); err != nil {
		b.d.pool.drop(b.c, b.c.kill)
		return
	}
	b.d.pool.put(b.c)
}
