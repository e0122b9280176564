package sql

import (
	"context"
	"fmt"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/sql/procedure"
	"isochron/sql/session"
	"isochron/sql/table"
)

// A call of a procedure is the packet BEGIN; ...; COMMIT of its statements, with its arguments as
// their values, where it is outside a transaction: it is done as a whole or not at all, is done again
// from its first statement if it loses, and is one declared transaction if all that its statements
// write is known before (declaredpacket.go). Within a transaction its statements are some more of
// that; if one of them fails, those before it are undone, and the transaction lives.
//
// Each of them is carried out as a statement that the client has prepared, and is owed what every
// statement is (execution.go). The rows of each come in a result of their own, behind them an OK.

// procedureCall is what a CALL comes to: statements that are to be done.
type procedureCall struct {
	procedure *procedure.Procedure
	database  string // of the procedure: names in it are of this one
	steps     []request
	rest      string       // what stands behind the CALL
	warning   *gms.Warning // of who has defined it; nil: none
}

// beginsCall reports whether a text begins with CALL.
func beginsCall(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c|0x20 == 'c' || c == '/' || c == '-' || c == '#':
			return table.FirstWord(text) == "call"
		default:
			return false
		}
	}
	return false
}

// called is the plan of a CALL.
func (x *execution) called() (Plan, error) {
	text, rest := x.text, ""
	if x.several {
		text, rest = dialect.First(x.text, x.s.dialectOptions().AnsiQuotes)
	}
	stmt, ok := x.s.GetPreparedQuery(text)
	if x.prepare == nil || !ok {
		var err error
		if stmt, _, err = x.h.g.engine.Parser.ParseOneWithOptions(x.s.quiet, text, gms.LoadSqlMode(x.s.quiet).ParserOptions()); err != nil {
			return nil, err
		}
	}
	switch c, ok := stmt.(*sqlparser.Call); {
	case !ok:
		return enginePlan{}, nil
	case equalFold(c.ProcName.Qualifier.String(), systemDatabase):
		return importPlan(c, rest)
	default:
		return callPlan{c, rest}, nil
	}
}

// prepareCall prepares a CALL for its client.
func prepareCall(s *Session, text string) error {
	stmt, _, err := s.gateway.engine.Parser.ParseOneWithOptions(s.quiet, text, gms.LoadSqlMode(s.quiet).ParserOptions())
	if err == nil {
		remember(s, text, stmt)
	}
	return err
}

// remember has the session know a text as what it is.
func remember(s *Session, text string, stmt sqlparser.Statement) {
	before := s.prepared.preparing
	s.prepared.preparing = text
	s.PrepareQuery(text, stmt)
	s.prepared.preparing = before
}

// callPlan finds the procedure and its arguments. What it comes to is done when this statement has
// ended, for it is several (answerCall).
type callPlan struct {
	call *sqlparser.Call
	rest string
}

func (callPlan) kind() planKind { return explained }

func (callPlan) counter() string { return "Com_call_procedure" }

// Execute implements Plan.
func (p callPlan) Execute(ctx context.Context, x *execution) error {
	s, name := x.s, p.call.ProcName.Name.String()
	db, err := databaseOr(p.call.ProcName.Qualifier.String(), s.GetCurrentDatabase())
	if err != nil {
		return err
	}
	h := s.holder()
	if err := h.HoldsOnProcedure("EXECUTE", db, name); err != nil {
		return err
	}
	gctx, err := x.h.sm.NewContextWithQuery(ctx, x.c, x.text)
	if err != nil {
		return err
	}
	stored, err := storedProcedure(gctx, s, db, name)
	if err != nil {
		return err
	}
	read, err := stored.Read()
	if err != nil {
		return err
	}
	c := &procedureCall{warning: warnOfDefiner(&h, stored), procedure: read, database: stored.Database, rest: p.rest}
	switch {
	case len(p.call.Params) != len(read.Parameters):
		return mysql.NewSQLError(codeArguments, "42000", "Incorrect number of arguments for PROCEDURE %s.%s; expected %d, got %d", stored.Database, stored.Name, len(read.Parameters), len(p.call.Params))
	case read.Yields > 1 && !x.several:
		return mysql.NewSQLError(codeNoResultSet, "0A000", "PROCEDURE %s.%s can't return a result set in the given context: it yields %d, for which the connection must allow several statements in a packet, and CALL must come as a text", stored.Database, stored.Name, read.Yields)
	}
	values := make([]*querypb.BindVariable, len(read.Parameters))
	for i, param := range read.Parameters {
		if values[i], err = x.argument(gctx, p.call.Params[i], param); err != nil {
			return err
		}
	}
	for _, st := range read.Statements {
		c.steps = append(c.steps, stepOf(st, values))
	}
	x.call = c
	return nil
}

// storedProcedure finds a procedure.
func storedProcedure(gctx *gms.Context, s *Session, db, name string) (*catalog.StoredProcedure, error) {
	snap, err := s.Catalogue(gctx)
	if err != nil {
		return nil, err
	}
	p, ok := snap.Procedure(db, name)
	if !ok {
		if snap, _, err = s.statement.reload(gctx, s.gateway.store); err != nil {
			return nil, err
		}
		if p, ok = snap.Procedure(db, name); !ok {
			return nil, catalog.ErrNoProcedure(db, name)
		}
	}
	return p, nil
}

// stepOf is the execution of a statement of a procedure with the values of its parameters.
func stepOf(st procedure.Statement, values []*querypb.BindVariable) request {
	p := &mysql.PrepareData{PrepareStmt: st.Text, ParamsCount: uint16(len(st.Takes)), ParamsType: make([]int32, len(st.Takes)), BindVars: map[string]*querypb.BindVariable{}}
	for i, at := range st.Takes {
		p.BindVars[paramName(i)] = values[at]
		p.ParamsType[i] = int32(values[at].Type)
	}
	return request{text: st.Text, prepare: p}
}

// answerCall does the statements of a procedure that was called, and gives the first of its answers;
// those behind it are asked for as further statements of the packet.
func (h *handler) answerCall(ctx context.Context, x *execution) (rest string, err error) {
	s := x.s
	r := &calling{h: h, c: x.c, s: s, procedureCall: x.call}
	if err := r.run(ctx); err != nil {
		if !s.packet.held {
			forsake(s)
		}
		r.drop()
		return "", err
	}
	setFlags(s, x.c)
	if n := len(r.answers); !x.several && n > 1 {
		r.answers = r.answers[:n-1] // the rows, without the OK: nobody asks for more
	}
	for i, a := range r.answers {
		a.flags, a.warnings, a.rest = x.c.StatusFlags, s.WarningCount(), x.call.rest
		if i > 0 {
			a.text = fmt.Sprintf("/* result %d of */ %s", i+1, x.text)
			r.answers[i-1].rest = a.text
		}
	}
	s.packet.sets = r.answers[1:]
	return r.answers[0].give(x.c, s, x.spool)
}

// calling is a call under way.
type calling struct {
	h *handler
	c *mysql.Conn
	s *Session
	*procedureCall
	answers  []*answer // with rows, and the OK at the end
	bytes    int64     // of them
	affected uint64    // rows, by the last statement
	rowCount int64     // of it, as ROW_COUNT() says it
	warnings []*gms.Warning
}

// callMark is the savepoint before a call within a transaction. No client can write its name.
const callMark = "\x00call"

// run carries the statements out, as one transaction or within one.
func (r *calling) run(ctx context.Context) error {
	s := r.s
	s.inside.Add(1)
	defer s.inside.Add(-1)
	ctx = s.interruption.Enter(ctx, time.Now(), false)
	defer s.interruption.Leave()
	s.prepared.sweep(r.c, s.BaseSession)
	if before := s.GetCurrentDatabase(); before != r.database {
		s.SetCurrentDatabase(r.database)
		defer s.SetCurrentDatabase(before)
	}
	var err error
	switch alone := s.Autocommit() && !s.GetIgnoreAutoCommit(); {
	case !alone:
		err = r.within(ctx)
	case len(r.steps) <= 1:
		err = r.through(ctx, r.steps).err
	default:
		err = r.whole(ctx)
	}
	if err != nil {
		return err
	}
	s.GetLastQueryInfo().RowCount.Store(r.rowCount)
	s.ClearWarnings()
	for _, w := range r.warnings {
		s.Warn(w)
	}
	if r.warning != nil {
		s.Warn(r.warning)
	}
	done := &answer{results: results{s: s}}
	r.answers = append(r.answers, done)
	return done.results.add(&sqltypes.Result{RowsAffected: r.affected}, r.rest != "")
}

// whole does the statements as a transaction of their own.
func (r *calling) whole(ctx context.Context) error {
	s := r.s
	s.packet.drop() // what was not asked for of a packet before it
	steps := append([]request{textRequest("BEGIN", false)}, r.steps...)
	steps = append(steps, textRequest("COMMIT", false))
	var last *answer
	untilWon(ctx, s, func(ctx context.Context) *answer {
		last = r.through(ctx, steps)
		return last
	})
	if last.err != nil {
		s.abandon()
		s.SetTransaction(nil)
		s.SetIgnoreAutoCommit(false)
	}
	return last.err
}

// within does the statements as some of an open transaction.
func (r *calling) within(ctx context.Context) error {
	s := r.s
	if s.open == nil {
		s.openTransaction(gms.ReadWrite)
		s.SetTransaction(s.open)
	}
	gctx, err := r.h.sm.NewContextWithQuery(ctx, r.c, "")
	if err != nil {
		return err
	}
	if err := s.CreateSavepoint(gctx, s.open, callMark); err != nil {
		return err
	}
	err = r.through(ctx, r.steps).err
	if s.open == nil || s.open.find(callMark) < 0 {
		return err // the transaction has ended
	}
	if err != nil && s.open.over == nil {
		if failed := s.RollbackToSavepoint(gctx, s.open, callMark); failed != nil {
			s.abandon()
			return errorOf(s, failed)
		}
	}
	s.open.release(callMark)
	return err
}

// through does statements one after the other, and gives the last answer.
func (r *calling) through(ctx context.Context, steps []request) *answer {
	r.drop()
	s, last := r.s, &answer{}
	for i, step := range steps {
		if steps[len(steps)-1].prepare == nil {
			s.packet.steps = steps[i:] // up to the COMMIT
		}
		last = &answer{results: results{s: s}}
		_, last.err = r.h.execute(ctx, r.c, step, func(set *sqltypes.Result, more bool) error {
			if err := last.results.add(set, more); err != nil {
				return err
			}
			if bound := s.gateway.bounds.held; r.bytes+last.results.bytes > bound {
				return s.statement.tooMuch(mysql.NewSQLError(codeCapacity, "HY000", "Memory capacity of %d bytes for 'the results of a call' exceeded. Read them in parts", bound))
			}
			return nil
		})
		s.packet.steps = nil
		st := &s.statement
		s.packet.lasting = s.packet.lasting || st.committed || st.lasting || session.SaysLasting(step.text)
		if last.err != nil {
			last.results.drop()
			return last
		}
		if step.prepare != nil {
			r.take(last)
		}
	}
	return last
}

// take takes in the answer to a statement.
func (r *calling) take(a *answer) {
	r.rowCount, r.affected, r.warnings = r.s.GetLastQueryInfo().RowCount.Load(), 0, r.s.Warnings()
	if len(a.results.list) == 0 {
		return
	}
	if first := a.results.list[0].r; len(first.Fields) == 0 {
		r.affected = first.RowsAffected
		a.results.drop()
		return
	}
	r.bytes += a.results.bytes
	r.answers = append(r.answers, a)
}

// drop forgets what was answered.
func (r *calling) drop() {
	for _, a := range r.answers {
		a.results.drop()
	}
	r.answers, r.bytes, r.affected, r.rowCount, r.warnings = nil, 0, 0, 0, nil
}
