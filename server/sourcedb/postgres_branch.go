package sourcedb

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"isochron/source"
)

// pgBranch is a transaction of a PostgreSQL.
//
// After a failed statement a transaction of PostgreSQL accepts only a rollback, where MySQL continues. So from the
// second statement on each is sent within a savepoint, all three messages in one packet. If the first fails, the
// whole transaction is rolled back and begun again with the next statement, since nothing preceded it. A savepoint
// costs 6 us of 37 for a point SELECT, and no trip.
type pgBranch struct {
	d     *postgres
	c     *pgConn
	name  source.Name
	o     source.BranchOptions
	used  bool // a connection from the pool, on which nothing has been sent for this branch yet
	begun bool
	ended bool
	locks bool   // its isolation depends on locks (postgres_locks.go)
	wrote bool   // it may have changed something
	held  bool   // the savepoint of its last statement is still set
	zone  string // of the transaction, once it is begun
}

// mark is the savepoint of the present statement.
const mark = "isochron_statement"

// begin returns the statements that begin the transaction.
func (b *pgBranch) begin() []string {
	level := b.o.Isolation
	if b.locks {
		level = source.ReadCommitted
	}
	text := "BEGIN ISOLATION LEVEL " + strings.ToUpper(string(level))
	if b.o.ReadOnly {
		text += " READ ONLY"
	}
	out := []string{text}
	if b.c.lockWait != waitOf(b.o) {
		out = append(out, "SET LOCAL lock_timeout = "+timeout(b.o))
	}
	return out
}

func (b *pgBranch) Execute(ctx context.Context, s source.Statement) (source.Result, error) {
	if b.ended {
		return source.Result{}, over()
	}
	if e := refused(s.Text); e != nil {
		return source.Result{}, e
	}
	if e := b.agree(s); e != nil {
		return source.Result{}, e
	}
	if !b.locks || len(s.Guard) == 0 {
		return b.execute(ctx, locked(s), nil, false)
	}
	if s.Least != 0 {
		first, mayUndo := !b.begun, mayChange(s.Text)
		r, err := b.execute(ctx, s, nil, mayUndo)
		if !misses(s, r, err) {
			return r, err
		}
		if err == nil && mayUndo { // an error has already rolled it back
			if err := b.undo(first); err != nil {
				return source.Result{}, b.broken(err)
			}
		}
	}
	return b.execute(ctx, locked(s), s.Guard, false)
}

// locked returns a statement with locks on all rows it finds.
func locked(s source.Statement) source.Statement {
	if s.Locked != "" {
		s.Text = s.Locked
	}
	return s
}

// execute runs a statement after its guard. With keep, its savepoint stays until the next statement.
func (b *pgBranch) execute(ctx context.Context, s source.Statement, guard []string, keep bool) (source.Result, error) {
	before, first := guard, !b.begun // a guard stays if the statement fails
	if b.held {
		before = append([]string{"RELEASE SAVEPOINT " + mark}, guard...)
	}
	var after []string
	marked := (!first || len(guard) > 0) && !setsMark(s.Text)
	if marked {
		before = append(slices.Clone(before), "SAVEPOINT "+mark)
		if !keep {
			after = []string{"RELEASE SAVEPOINT " + mark}
		}
	}
	if e := checkZone(s.Zone); e != nil {
		return source.Result{}, e
	}
	run := func() (source.Result, error) {
		if first {
			b.zone = b.c.zone
		}
		before := append(before[:len(before):len(before)], b.inZone(s)...)
		if !first {
			return b.c.within(ctx, before, s, after)
		}
		if err := b.c.settleWait(ctx, b.o); err != nil {
			return source.Result{}, err
		}
		return b.c.within(ctx, append(b.begin(), before...), s, after)
	}
	r, err := run()
	if e := asError(err); e != nil && e.Gone && b.used && first && ctx.Err() == nil {
		// The pooled connection was broken unnoticed. No statement of the branch was executed on it.
		if err := b.reconnect(ctx); err != nil {
			b.ended = true
			return source.Result{}, err
		}
		r, err = run()
	}
	b.used, b.begun, b.held = false, true, marked && keep
	err = b.zoned(s, err)
	b.wrote = b.wrote || r.Affected > 0
	if err == nil {
		return r, b.describe(ctx, &r)
	}
	return source.Result{}, b.failed(err, first && len(guard) == 0, marked)
}

// reconnect replaces a broken connection.
func (b *pgBranch) reconnect(ctx context.Context) error {
	b.c.close()
	b.d.pool.forget()
	c, err := b.d.pool.dial(ctx)
	if err != nil {
		b.d.pool.release()
		return err
	}
	b.c = c
	b.d.serving.serves(c.pid(), b.name)
	return nil
}

// failed rolls back a failed statement, or the branch if that is not possible.
func (b *pgBranch) failed(err error, first, marked bool) error {
	e := asError(err)
	if !e.Ends && b.c.c.TxStatus() == 'T' {
		return e // it ran; its result is too large
	}
	if !e.Ends && (first || marked) && b.undo(first) == nil {
		return e
	}
	return b.broken(e)
}

// undo rolls back the last statement; if it was the first, the whole branch.
func (b *pgBranch) undo(first bool) error {
	ctx, cancel := cleanUp()
	defer cancel()
	text := "ROLLBACK TO SAVEPOINT " + mark + "; RELEASE SAVEPOINT " + mark
	if first {
		text = "ROLLBACK"
	}
	_, err := b.c.command(ctx, text)
	if err == nil {
		b.begun, b.held, b.zone = !first, false, zoneNotKnown
	}
	return err
}

// broken ends the branch after an error.
func (b *pgBranch) broken(err error) error {
	e := asError(err)
	e.Ends = true
	b.end()
	return e
}

// describe names the types of a result's columns. It may query the server.
func (b *pgBranch) describe(ctx context.Context, r *source.Result) error {
	err := b.d.types.describe(ctx, b.c, r.Columns)
	if err != nil {
		*r = source.Result{}
		return b.broken(err)
	}
	return nil
}

func (b *pgBranch) Prepare(ctx context.Context) error {
	if b.ended {
		return over()
	}
	done := b.d.preparing.begin(b.name)
	defer done()
	text := "PREPARE TRANSACTION " + pgQuote(b.name.String())
	if !b.begun {
		text = strings.Join(append(b.begin(), text), "; ")
	}
	return b.finish(ctx, text, "PREPARE TRANSACTION")
}

func (b *pgBranch) Commit(ctx context.Context) error {
	if b.ended {
		return over()
	}
	if !b.begun {
		b.ended = true
		b.d.pool.put(b.c)
		return nil
	}
	text := "COMMIT"
	if b.locks && !b.wrote {
		text = lightly + text
	}
	return b.finish(ctx, text, "COMMIT")
}

// finish ends the branch by a command. PostgreSQL shows only by the tag that the transaction it was to commit or
// prepare had failed before and is rolled back.
func (b *pgBranch) finish(ctx context.Context, text, want string) error {
	tag, err := b.c.command(ctx, text)
	if err != nil {
		e := asError(err)
		e.Ends, e.Unknown = true, unknowable(err)
		b.end()
		return e
	}
	if tag != want {
		b.end()
		return rolledBack()
	}
	b.ended = true
	b.d.pool.put(b.c)
	return nil
}

func (b *pgBranch) Rollback(ctx context.Context) error {
	if b.ended {
		return nil
	}
	b.ended = true
	if b.begun {
		if _, err := b.c.command(ctx, "ROLLBACK"); err != nil {
			b.d.drop(b.c)
			return asError(err)
		}
	}
	b.d.pool.put(b.c)
	return nil
}

// end rolls back the open transaction and returns the connection.
func (b *pgBranch) end() {
	b.ended = true
	if b.c.c.IsClosed() {
		b.d.drop(b.c)
		return
	}
	if b.c.c.TxStatus() != 'I' {
		ctx, cancel := cleanUp()
		defer cancel()
		if _, err := b.c.command(ctx, "ROLLBACK"); err != nil {
			b.d.drop(b.c)
			return
		}
	}
	b.d.pool.put(b.c)
}

// within runs a statement between others in one trip.
func (c *pgConn) within(ctx context.Context, before []string, s source.Statement, after []string) (source.Result, error) {
	p := c.c.StartPipeline(ctx)
	for _, text := range before {
		p.SendQueryParams(text, nil, nil, nil, nil)
	}
	var as []int16
	skip := len(before)
	if asksForTypes(s) {
		formats, err := described(p, s.Text)
		if err != nil {
			_ = p.Close() // the first error is more precise
			return source.Result{}, pgError(ctx, err)
		}
		as, skip = formats, 0
	}
	queue(p, s, as)
	for _, text := range after {
		p.SendQueryParams(text, nil, nil, nil, nil)
	}
	if err := p.Sync(); err != nil {
		_ = p.Close()
		return source.Result{}, pgError(ctx, err)
	}
	r, tooLarge, err := c.answers(p, skip, s)
	if closing := p.Close(); err == nil {
		err = closing
	}
	if tooLarge != nil && (err == nil || serverWord(err) != nil && serverWord(err).Code == codeInterrupted) {
		// Truncated or not, a pure read has changed nothing; a statement with changes whose result
		// was not truncated cannot be rolled back on its own.
		tooLarge.Ends = err == nil && r.Affected > 0
		return source.Result{}, tooLarge
	}
	if err != nil {
		return source.Result{}, pgError(ctx, err)
	}
	if c.c.TxStatus() != 'T' {
		return source.Result{}, rolledBack()
	}
	return r, nil
}

// next reads one statement's result from a pipeline.
func (c *pgConn) next(p *pgconn.Pipeline, s source.Statement) (source.Result, *source.Error, error) {
	got, err := p.GetResults()
	if err != nil {
		return source.Result{}, nil, err
	}
	reader, ok := got.(*pgconn.ResultReader)
	if !ok {
		return source.Result{}, nil, errors.New("the statement has no result")
	}
	return c.answer(reader, s)
}

// answers reads a pipeline's results: the statement's is the one after skip others.
func (c *pgConn) answers(p *pgconn.Pipeline, skip int, s source.Statement) (r source.Result, tooLarge *source.Error, err error) {
	for i := 0; ; i++ {
		got, err := p.GetResults()
		if err != nil {
			return r, tooLarge, err
		}
		reader, ok := got.(*pgconn.ResultReader)
		if !ok { // the sync, after the last result
			return r, tooLarge, nil
		}
		if i != skip {
			if _, err := reader.Close(); err != nil {
				return r, tooLarge, err
			}
			continue
		}
		if r, tooLarge, err = c.answer(reader, s); err != nil {
			return r, tooLarge, err
		}
	}
}

// answer reads one statement's result.
func (c *pgConn) answer(reader *pgconn.ResultReader, s source.Statement) (r source.Result, tooLarge *source.Error, err error) {
	a := newAnswer(s)
	r.Columns = pgColumns(reader)
	for reader.NextRow() {
		if tooLarge == nil && !a.add(reader.Values()) {
			tooLarge = a.tooLarge()
			c.cancel()
		}
	}
	tag, err := reader.Close()
	if err != nil {
		return r, tooLarge, err
	}
	r.Rows = a.rows
	if !tag.Select() {
		r.Affected = tag.RowsAffected()
	}
	return r, tooLarge, nil
}

// pgColumns returns a result's columns, with their types as keys (pgTypes).
func pgColumns(reader *pgconn.ResultReader) (out []source.Column) {
	for _, f := range reader.FieldDescriptions() {
		out = append(out, source.Column{Name: f.Name, Type: pgTypeKey(f.DataTypeOID, f.TypeModifier), Null: true})
	}
	return out
}

// asError returns err as an *Error, nil if it is nil.
func asError(err error) *source.Error {
	var e *source.Error
	if err == nil || errors.As(err, &e) {
		return e
	}
	return &source.Error{Code: unknownCode, State: "HY000", Text: err.Error(), Ends: true}
}

// pgQuote quotes a branch's name, which has letters, digits, dots and a slash.
func pgQuote(name string) string { return "'" + name + "'" }
