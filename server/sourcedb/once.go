package sourcedb

import (
	"context"
	"strings"
	"time"

	"isochron/source"
)

// A transaction of one statement, at one source: what would begin and end it costs the server
// more than the statement does, and a trip.
//
// What one statement alone does is atomic at every server. That it is also serializable beside
// prepared branches, which others see committed elsewhere before they are here, is not a matter
// of course: it must wait for their locks.
//
//   - MariaDB at SERIALIZABLE has a change lock all that it reads, that of its triggers and
//     functions too, whether or not it stands in a transaction. A SELECT outside one locks nothing
//     and shows a snapshot, which lacks what a prepared branch has written, although its
//     transaction may be committed and seen at another source: so it says LOCK IN SHARE MODE where
//     that locks all that it reads (mysql_lone.go), goes within BEGIN and COMMIT in one packet
//     where it might not, and waits (once_test.go shows both).
//     While prepared branches there have changed nothing (mysql_frail.go) a change goes in a branch,
//     which asks after them. One that was sent before, and waits for the locks of such a branch
//     when that loses its connection, is not rolled back.
//   - PostgreSQL has statements alone in a transaction of their own at the session's default level.
//     They see and lock what they do between BEGIN and COMMIT. One that rests on locks
//     (postgres_locks.go) is tried without its guard. A change is committed once its answer shows
//     that it needs none, which costs a trip more; else it is undone, for a trigger may have acted
//     although no row was changed. Then it goes behind its guard in a branch.

// hasComment says that a text may hold the begin of a comment: what follows it in a packet could
// be taken for a part of that.
func hasComment(text string) bool {
	return strings.Contains(text, "--") || strings.Contains(text, "/*") || strings.Contains(text, "#")
}

// pure says that a statement can have changed nothing, whatever became of it: a read that calls
// no function.
func pure(text string) bool {
	first, _ := firstWords(text)
	return first == "SELECT" && !strings.Contains(text, "(")
}

// onceError is the error of a statement that was its whole transaction and was sent. again says that
// a connection of the pool's had broken unseen, and that it can be sent anew.
func onceError(ctx context.Context, s source.Statement, err error, used bool) (e *source.Error, again bool) {
	if e = asError(err); e == nil {
		return nil, false
	}
	harmless := pure(s.Text)
	e.Ends, e.Unknown = true, e.Unknown || !harmless && unknowable(err)
	return e, e.Gone && harmless && used && ctx.Err() == nil
}

// unlooked is for how long a connection may have been idle that a statement alone goes to without a
// look: one that is sent anew if the connection turns out to be broken.
func unlooked(s source.Statement, first bool) time.Duration {
	if first && pure(s.Text) {
		return unseen
	}
	return 0
}

// Once implements source.AtOnce.
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
		if writes && (!c.ties || d.frail.gone() != "") { // of a MySQL it is not known what a change alone locks
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

// once runs a statement that only reads, or one that only changes.
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
	if within && c.ties { // of a MySQL it is not known which privilege the clause asks for
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

// giveBack gives a connection back on which a statement alone was run; nothing is open on it then.
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

// Once implements source.AtOnce.
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
		return source.OnceByBranch(ctx, d, n, o, s) // it has changed nothing, and is run anew behind its guard
	}
	return r, err
}

// locksAlone reports whether a statement that rests on locks can be tried without its guard, outside
// a transaction.
func locksAlone(s source.Statement) bool {
	if onlyReads(s.Text) && !simple(s) {
		return false // its commit would be waited for
	}
	return len(s.Guard) == 0 || s.Least != 0
}

// simple reports whether a statement can go as a simple query, in which nothing rides along.
func simple(s source.Statement) bool { return len(s.Args) == 0 && !strings.Contains(s.Text, ";") }

// once runs a statement on a connection of the pool.
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

// alone sends a statement and reads its answer. One without values, and without a semicolon that
// could bring a second one, goes as a simple query, which costs less than what is taken apart.
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
	for results.NextResult() { // the last is the statement's
		if r, tooLarge, err = c.answer(results.ResultReader(), s); err != nil {
			break
		}
	}
	if closing := results.Close(); err == nil {
		err = closing // of the commit, too
	}
	return r, tooLarge, err
}

// tried sends a statement that is committed once its answer shows that it needs no guard, and is
// undone if it does: a trigger may have acted on what it has not found.
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
