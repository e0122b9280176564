package sourcedb

import (
	"context"
	"strings"
	"time"

	"isochron/source"
)

// A transaction of one statement at one source: its begin and end would cost the server more than the statement, and
// a trip.
//
// One statement alone is atomic at every server. It is not automatically serializable with prepared branches, which
// clients may see as committed at another source before they are committed here: it must wait for their locks.
//
//   - MariaDB at SERIALIZABLE has a change lock all rows it reads, in its triggers and functions too, inside or
//     outside a transaction. A SELECT outside one locks nothing and reads a snapshot, which lacks the writes of a
//     prepared branch although its transaction may be committed and visible at another source. So it uses LOCK IN
//     SHARE MODE where that locks all rows it reads (mysql_lone.go), and otherwise goes between BEGIN and COMMIT in
//     one packet; then it waits (once_test.go shows both). While prepared branches without changes exist
//     (mysql_frail.go) a change goes in a branch, which checks for them. A change sent before that, and waiting for
//     the locks of such a branch when it loses its connection, is not rolled back.
//   - PostgreSQL runs single statements in a transaction of their own at the session's default level. They see and
//     lock the same as between BEGIN and COMMIT. A statement that depends on locks (postgres_locks.go) is tried
//     without its guard. A change is committed once its result shows that no guard is needed, which costs another
//     trip; otherwise it is rolled back, since a trigger may have acted although no row was changed, and is run
//     behind its guard in a branch.

// hasComment reports whether a text may contain the start of a comment, which could swallow the rest of a packet.
func hasComment(text string) bool {
	return strings.Contains(text, "--") || strings.Contains(text, "/*") || strings.Contains(text, "#")
}

// pure reports whether a statement cannot have changed anything: a read without function calls.
func pure(text string) bool {
	first, _ := firstWords(text)
	return first == "SELECT" && !strings.Contains(text, "(")
}

// onceError returns the error of a statement that was its whole transaction and was sent. again: a pooled connection
// was broken unnoticed, and the statement can be sent again.
func onceError(ctx context.Context, s source.Statement, err error, used bool) (e *source.Error, again bool) {
	if e = asError(err); e == nil {
		return nil, false
	}
	harmless := pure(s.Text)
	e.Ends, e.Unknown = true, e.Unknown || !harmless && unknowable(err)
	return e, e.Gone && harmless && used && ctx.Err() == nil
}

// unlooked returns the longest time a connection may have been idle to be used by a single
// statement without a check; the statement is sent again if the connection turns out to be broken.
func unlooked(s source.Statement, first bool) time.Duration {
	if first && pure(s.Text) {
		return unseen
	}
	return 0
}

// Once implements source.OneTripDriver.
func (d *mysqlDB) Once(ctx context.Context, n source.Name, o source.BranchOptions, s source.Statement) (source.Result, error) {
	if e := refused(s.Text); e != nil {
		return source.Result{}, e
	}
	o, err := settled(o)
	if err != nil {
		return source.Result{}, err
	}
	reads, writes := onlyReads(s.Text), changes(s.Text) && onlyChanges(s.Text)
	if o.ReadOnly || !reads && !writes || hasComment(s.Text) {
		return source.OnceByBranch(ctx, d, n, o, s)
	}
	for first := true; ; first = false {
		c, used, err := d.pool.getIdle(ctx, o.LockWait, unlooked(s, first))
		if err != nil {
			return source.Result{}, err
		}
		if err := c.on(o.Incarnation); err != nil {
			return source.Result{}, d.after(c, err)
		}
		if writes && (!c.ties || d.frail.gone() != "") { // for MySQL the locks of a single change are not known
			d.pool.put(c)
			return source.OnceByBranch(ctx, d, n, o, s)
		}
		r, err := c.once(ctx, o, s, reads)
		d.giveBack(c, err)
		e, again := onceError(ctx, s, err, used && first)
		switch {
		case e == nil:
			return r, nil
		case !again:
			return source.Result{}, e
		}
	}
}

// once runs a statement that only reads, or only changes.
func (c *myConn) once(ctx context.Context, o source.BranchOptions, s source.Statement, reads bool) (r source.Result, err error) {
	if e := checkZone(s.Zone); e != nil {
		return r, e
	}
	zone := c.inZone(s.Zone)
	defer func() { err = c.zoned(zone, s.Zone, err) }()
	before := zone + c.settle(o)
	if !reads {
		text, args := clientText(s)
		r.Affected, r.InsertID, err = c.exec(ctx, before+text, args)
		return r, err
	}
	within := o.Isolation == source.Serializable
	if within && c.ties { // for MySQL the privilege that the clause needs is not known
		if text, ok := sharing(s.Text); ok {
			s.Text, within = text, false
		}
	}
	text, args := clientText(s)
	if within {
		text = "BEGIN; " + text + "; COMMIT"
	}
	a := newAnswer(s)
	r.Columns, err = c.query(ctx, before+text, args, a)
	r.Rows = a.rows
	return r, err
}

// giveBack returns the connection of a single statement; no transaction is open on it.
func (d *mysqlDB) giveBack(c *myConn, err error) {
	if err != nil && c.valid() {
		ctx, cancel := cleanUp()
		defer cancel()
		_, _, err = c.exec(ctx, "ROLLBACK", nil)
	}
	if err == nil && c.valid() {
		d.pool.put(c)
		return
	}
	if e := asError(err); e != nil && e.Gone {
		d.pool.forget()
	}
	d.pool.drop(c, c.kill)
}

// Once implements source.OneTripDriver.
func (d *postgres) Once(ctx context.Context, n source.Name, o source.BranchOptions, s source.Statement) (source.Result, error) {
	if e := refused(s.Text); e != nil {
		return source.Result{}, e
	}
	o, err := settled(o)
	if err != nil {
		return source.Result{}, err
	}
	alone := o
	if locks := d.locks && s.Locks && o.Isolation == source.Serializable; locks {
		alone.Isolation = source.ReadCommitted
	} else {
		s.Guard, s.Text = nil, locked(s).Text
	}
	if o.ReadOnly || !onlyReads(s.Text) && !changes(s.Text) || alone.Isolation != o.Isolation && !locksAlone(s) {
		return source.OnceByBranch(ctx, d, n, o, s)
	}
	r, err := d.once(ctx, alone, s)
	if len(s.Guard) > 0 && misses(s, r, err) {
		return source.OnceByBranch(ctx, d, n, o, s) // it has changed nothing, and is run again behind its guard
	}
	return r, err
}

// locksAlone reports whether a statement that depends on locks can be tried without its guard, outside a
// transaction.
func locksAlone(s source.Statement) bool {
	if onlyReads(s.Text) && !simple(s) {
		return false // its commit would be waited for
	}
	return len(s.Guard) == 0 || s.Least != 0
}

// simple reports whether a statement can go as a simple query without the risk of a second statement in it.
func simple(s source.Statement) bool { return len(s.Args) == 0 && !strings.Contains(s.Text, ";") }

// once runs a statement on a pooled connection.
func (d *postgres) once(ctx context.Context, o source.BranchOptions, s source.Statement) (source.Result, error) {
	for first := true; ; first = false {
		c, used, err := d.pool.getIdle(ctx, o.LockWait, unlooked(s, first))
		if err != nil {
			return source.Result{}, err
		}
		r, err := c.once(ctx, o, s)
		if c.c.IsClosed() {
			d.drop(c)
		} else {
			d.pool.put(c)
		}
		e, again := onceError(ctx, s, err, used && first)
		switch {
		case e == nil:
			return r, nil
		case e.Gone:
			d.pool.forget()
		}
		if !again {
			return source.Result{}, e
		}
	}
}

// alone sends a statement and reads its result. One without values and semicolons, which cannot bring a second
// statement, goes as a simple query, which costs less than the extended protocol.
func (c *pgConn) alone(ctx context.Context, s source.Statement) (r source.Result, tooLarge *source.Error, err error) {
	var as []int16
	if asksForTypes(s) {
		d, err := c.c.Prepare(ctx, "", s.Text, nil)
		if err != nil {
			return r, nil, err
		}
		as = formats(d)
	}
	switch {
	case len(s.Guard) > 0 && mayChange(s.Text):
		return c.tried(ctx, s, as)
	case as != nil:
		return c.answer(c.c.ExecPrepared(ctx, "", s.Args, as, nil), s)
	case !simple(s):
		return c.answer(c.c.ExecParams(ctx, s.Text, s.Args, nil, nil, nil), s)
	}
	text := s.Text
	if s.Locks && onlyReads(text) {
		text = lightly + text
	}
	results := c.c.Exec(ctx, text)
	for results.NextResult() { // the last result is the statement's
		if r, tooLarge, err = c.answer(results.ResultReader(), s); err != nil {
			break
		}
	}
	if closing := results.Close(); err == nil {
		err = closing // of the commit, too
	}
	return r, tooLarge, err
}

// tried sends a statement that is committed if its result shows that it needs no guard, and else rolled back: a
// trigger may have acted although no row was found.
func (c *pgConn) tried(ctx context.Context, s source.Statement, as []int16) (r source.Result, tooLarge *source.Error, err error) {
	p := c.c.StartPipeline(ctx) // one transaction up to its Sync
	queue(p, s, as)
	p.SendFlushRequest()
	if err = p.Flush(); err == nil {
		r, tooLarge, err = c.next(p, s)
	}
	if err == nil && (tooLarge != nil || misses(s, r, nil)) {
		p.SendQueryParams("ROLLBACK", nil, nil, nil, nil)
	}
	syncing := p.Sync()
	if err == nil {
		if err = syncing; err == nil {
			_, _, err = c.answers(p, -1, s)
		}
	}
	if closing := p.Close(); err == nil {
		err = closing
	}
	if tooLarge != nil {
		r = source.Result{} // it has changed nothing
	}
	return r, tooLarge, err
}

// once runs a statement.
func (c *pgConn) once(ctx context.Context, o source.BranchOptions, s source.Statement) (r source.Result, err error) {
	if err := c.settle(ctx, o, s.Zone); err != nil {
		return r, err
	}
	r, tooLarge, err := c.alone(ctx, s)
	switch {
	case tooLarge != nil && (err == nil || serverWord(err) != nil && serverWord(err).Code == codeInterrupted):
		tooLarge.Unknown = err == nil && r.Affected > 0
		return r, tooLarge
	case err != nil:
		return r, pgError(ctx, err)
	}
	if err := c.d.types.describe(ctx, c, r.Columns); err != nil {
		e := asError(err)
		e.Unknown = r.Affected > 0
		return r, e
	}
	return r, nil
}
