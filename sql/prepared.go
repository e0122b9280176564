package sql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/server"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/plan"
	"isochron/txn"
)

// The bounds of what a session keeps of its prepared statements.
const (
	preparedTextsMax = 256 // texts; beyond it all are forgotten
	variantsMax      = 8   // of one text: its parameters' types may differ
	compilesMax      = 3   // of one variant that does not fit
	rowsBatch        = 1024
)

// text is what a session knows of a statement's text. It holds as long as what
// it was made under.
type text struct {
	under    circumstances
	said     string           // of the statement, as whoever looks at the session sees it
	fields   []*querypb.Field // as the engine described them; nil: not seen yet, or none
	seen     bool
	strict   bool
	failed   int // compilations that came to nothing
	variants map[string]*variant
	direct   *direct // of the plan last compiled, here or by another session; nil: none is one for it
}

// circumstances are all that a plan depends on besides its text and types.
type circumstances struct {
	catalogue  *catalog.Snapshot
	database   string
	settings   uint64
	privileges uint64
}

// variant is a plan for one choice of the parameters' types; nil plan: none fits.
type variant struct {
	plan   *plan.Prepared
	schema gms.Schema
}

// remembered is what the session knows of a text now; nil: the text is for the
// engine.
func (s *Session) remembered(ctx *gms.Context, query string) *text {
	snap, err := s.snapshot(ctx)
	if err != nil {
		return nil
	}
	s.gateway.engine.Analyzer.Catalog.MySQLDb.UserActivePrivilegeSet(ctx)
	_, privileges := s.GetPrivilegeSet()
	now := circumstances{snap, s.GetCurrentDatabase(), s.settings, privileges}
	t := s.texts[query]
	if t == nil || t.under != now {
		if len(s.texts) >= preparedTextsMax {
			clear(s.texts)
		}
		t = &text{under: now, said: shortened(query), variants: map[string]*variant{}}
		s.texts[query] = t
	}
	return t
}

// describe notes how the engine describes the rows of a text.
func (s *Session) describe(query string, fields []*querypb.Field) {
	if t := s.texts[query]; t != nil && !t.seen {
		t.seen, t.fields = true, fields
	}
}

// request is a statement with the values of its parameters v1, v2 and so on.
type request struct {
	key    string                                         // of what the session remembers
	query  string                                         // as the client sent it
	values func() []sqlparser.Expr                        // nil: they are for the engine
	given  func(into []any) []any                         // appends them as int64 and string; nil: others are among them
	parse  func(*gms.Context) (sqlparser.Statement, bool) // with parameters in it
}

// prepared executes a prepared statement by its cached plan; done is false if it
// has none, or the values are for the engine.
func (h *handler) prepared(ctx context.Context, c *mysql.Conn, s *Session, p *mysql.PrepareData, callback mysql.ResultSpoolFn) (done bool, err error) {
	r := request{key: p.PrepareStmt, query: p.PrepareStmt}
	r.values = func() []sqlparser.Expr {
		values := make([]sqlparser.Expr, len(p.BindVars))
		for i := range values {
			if values[i] = valueOf(p.BindVars[paramName(i)]); values[i] == nil {
				return nil
			}
		}
		return values
	}
	r.given = func(into []any) []any { return appendBound(into, p) }
	r.parse = func(ctx *gms.Context) (sqlparser.Statement, bool) { return ctx.Session.GetPreparedQuery(r.query) }
	return h.byPlan(ctx, c, s, &r, callback)
}

// byPlan executes a request by its cached plan, if it has one.
func (h *handler) byPlan(ctx context.Context, c *mysql.Conn, s *Session, r *request, callback mysql.ResultSpoolFn) (done bool, err error) {
	gctx, err := h.sm.NewContextWithQuery(ctx, c, r.query)
	if err != nil || path(gctx) == pathEngine {
		return false, nil
	}
	t := s.remembered(gctx, r.key)
	if t == nil {
		return false, nil
	}
	d, u := s.directly(gctx, t, r)
	var v *variant
	var p *plan.RoundPlan
	if u != nil {
		p = d.Plan
	} else {
		if v = h.bound(gctx, s, t, r); v == nil {
			return false, nil
		}
		p, u = v.plan.Plan, v.plan.Point(gctx)
	}
	if p.Writes != nil && s.open != nil && s.open.readOnly {
		return false, nil
	}
	gctx, err = gctx.ProcessList.BeginQuery(gctx, r.query)
	if err != nil {
		return true, err
	}
	defer gctx.ProcessList.EndQuery(gctx)
	h.g.cached.Add(1)
	s.ClearWarnings()
	s.adopt(p)
	if u != nil {
		if done, err := h.updatePoint(gctx, c, s, u, callback); done {
			return true, err
		}
		if v == nil { // it went directly, and this row is not for that
			s.statement.compiled, s.statement.plan = false, nil
			if v = h.bound(gctx, s, t, r); v == nil {
				return false, nil
			}
			s.adopt(v.plan.Plan)
		}
	}
	return true, h.executePrepared(gctx, c, s, t, v, callback)
}

// bound is the plan for the values' types, bound to the values; nil if they are for
// the engine.
func (h *handler) bound(ctx *gms.Context, s *Session, t *text, r *request) *variant {
	if t.failed > compilesMax || !t.seen && !updates(ctx, r) {
		return nil
	}
	v, values := h.variantFor(ctx, s, t, r)
	if v == nil || v.plan == nil {
		return nil
	}
	for name, value := range values { // order: each sets its own
		if !v.plan.Set(ctx, name, value) {
			return nil
		}
	}
	if !v.plan.Bind(ctx) {
		return nil
	}
	return v
}

// updates reports whether a request is an UPDATE that was parsed already: that has
// no rows which the engine would have to describe first, so that a thousand clients
// who begin with it need not each have the engine carry it out once.
func updates(ctx *gms.Context, r *request) bool {
	if r.key != r.query {
		return false // it came as text
	}
	stmt, ok := r.parse(ctx)
	if !ok {
		return false
	}
	u, ok := stmt.(*sqlparser.Update)
	return ok && len(u.Returning) == 0
}

// adopt makes a plan that of the statement, as compile does.
func (s *Session) adopt(p *plan.RoundPlan) {
	s.statement.compiled, s.statement.plan, s.statement.fresh = true, p, true
	if p.Writes != nil {
		s.statement.writes = p.Writes.Descriptor().ID()
	}
	s.statement.final = s.statement.own && p.Writes == nil && p.Read.Table.Mode().Lock == txn.LockNone && p.Read.Rounds(false) == 1
}

// variantFor is the plan for the values' types, with the values.
func (h *handler) variantFor(ctx *gms.Context, s *Session, t *text, r *request) (*variant, map[string]*expression.Literal) {
	if s.binder == nil || s.binderUnder != t.under {
		s.binder = planbuilder.New(ctx, h.g.engine.Analyzer.Catalog, nil)
		s.binderUnder = t.under
	}
	exprs := r.values()
	if exprs == nil {
		return nil, nil
	}
	values := make(map[string]*expression.Literal, len(exprs))
	var key strings.Builder
	for i, e := range exprs {
		lit := literal(s.binder, e)
		if lit == nil {
			return nil, nil
		}
		if text, ok := lit.Val.(string); ok && catalog.Costly(text) {
			return nil, nil // if a number is to be made of it, it is to be cut (costly.go)
		}
		values[paramName(i)] = lit
		key.WriteString(typeKey(ctx, lit, t.strict))
	}
	v := t.variants[key.String()]
	if v == nil {
		if len(t.variants) >= variantsMax {
			return nil, nil
		}
		v = h.compileVariant(ctx, t, r, values)
		if v.plan == nil {
			t.failed++
			return nil, nil
		}
		t.variants[strictKey(ctx, values, t.strict)] = v
		t.direct = newDirect(v.plan, r)
		h.g.directs.put(s.sharing(t, r), t.direct)
	}
	return v, values
}

func strictKey(ctx *gms.Context, values map[string]*expression.Literal, strict bool) string {
	var key strings.Builder
	for i := 1; i <= len(values); i++ {
		key.WriteString(typeKey(ctx, values[paramName(i-1)], strict))
	}
	return key.String()
}

// valueOf is a parameter as it would stand in a text; nil if it cannot.
func valueOf(bv *querypb.BindVariable) sqlparser.Expr {
	if bv == nil {
		return nil
	}
	value, err := sqltypes.BindVariableToValue(bv)
	if err != nil {
		return nil
	}
	e, err := sqlparser.ExprFromValue(value)
	if err != nil {
		return nil
	}
	return e
}

// literal is a value as the engine itself would make it.
func literal(b *planbuilder.Builder, e sqlparser.Expr) (lit *expression.Literal) {
	switch e := e.(type) {
	case *sqlparser.NullVal:
		return expression.NewLiteral(nil, types.Null)
	case *sqlparser.SQLVal:
		// What the engine cannot read it reports by a panic: then it shall report it itself.
		defer func() {
			if recover() != nil {
				lit = nil
			}
		}()
		lit, _ = b.ConvertVal(e).(*expression.Literal)
	}
	return lit
}

// typeKey tells the types apart between which a plan differs. Strict tells apart
// all of them; otherwise integers are alike.
func typeKey(ctx *gms.Context, lit *expression.Literal, strict bool) string {
	t := lit.Type(ctx)
	if types.IsInteger(t) && !strict {
		return "integer,"
	}
	if types.IsText(t) {
		return "text,"
	}
	return t.String() + ","
}

// compileVariant has the engine analyse the statement with these very literals
// in it; its plan is nil if it does not fit.
func (h *handler) compileVariant(ctx *gms.Context, t *text, r *request, values map[string]*expression.Literal) (v *variant) {
	v = &variant{}
	defer func() {
		// The engine shall report by itself what it cannot take.
		if recover() != nil {
			v = &variant{}
		}
	}()
	parsed, ok := r.parse(ctx)
	if !ok {
		return v
	}
	analyse := func(params map[string]*expression.Literal) (gms.Node, error) {
		bindings := make(map[string]gms.Expression, len(params))
		for name, lit := range params { // order: into a map
			bindings[name] = lit
		}
		e := h.g.engine
		b := planbuilder.New(ctx, e.Analyzer.Catalog, e.EventScheduler)
		b.SetBindingsWithExpr(bindings)
		bound, flags, err := b.BindOnly(parsed, r.query, nil)
		if err != nil {
			return nil, err
		}
		return e.Analyzer.Analyze(ctx, bound, nil, flags)
	}
	v.plan = plan.Prepare(ctx, values, analyse, func(e gms.Expression) bool {
		_, sum := e.(*exactSum)
		return sum
	})
	if v.plan != nil {
		t.strict = t.strict || v.plan.Strict
		v.schema = v.plan.Root.Schema(ctx)
	}
	return v
}

// executePrepared executes a bound plan. The caller ends the transaction if the
// statement is its own.
func (h *handler) executePrepared(ctx *gms.Context, c *mysql.Conn, s *Session, t *text, v *variant, callback mysql.ResultSpoolFn) error {
	iter, err := h.g.engine.Analyzer.ExecBuilder.Build(ctx, v.plan.Root, nil)
	if err != nil {
		return err
	}
	if v.plan.Plan.Writes != nil {
		return h.spoolOK(ctx, c, s, iter, callback)
	}
	return h.spoolRows(ctx, c, s, t, v, iter, callback)
}

// spoolOK gives the client the count of rows that a statement changed.
func (h *handler) spoolOK(ctx *gms.Context, c *mysql.Conn, s *Session, iter gms.RowIter, callback mysql.ResultSpoolFn) error {
	iter, _ = rowexec.AddAccumulatorIter(ctx, iter)
	row, err := iter.Next(ctx)
	if err = errors.Join(err, iter.Close(ctx)); err != nil {
		return unjoined(err)
	}
	ok, is := row[0].(types.OkResult)
	if !is {
		return fmt.Errorf("a statement that writes yielded %T", row[0])
	}
	r := &sqltypes.Result{RowsAffected: ok.RowsAffected, InsertID: ok.InsertID}
	if ok.Info != nil {
		r.Info = ok.Info.String()
	}
	s.flags(c)
	return callback(r, false)
}

// spoolRows gives the client the rows.
func (h *handler) spoolRows(ctx *gms.Context, c *mysql.Conn, s *Session, t *text, v *variant, iter gms.RowIter, callback mysql.ResultSpoolFn) error {
	buf := gms.NewByteBuffer(512)
	r := &sqltypes.Result{Fields: t.fields}
	count := int64(0)
	for {
		row, err := iter.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			_ = iter.Close(ctx)
			return err
		}
		out, err := server.RowToSQL(ctx, v.schema, row, nil, buf)
		if err != nil {
			_ = iter.Close(ctx)
			return err
		}
		r.Rows = append(r.Rows, out)
		r.RowsAffected++
		count++
		if len(r.Rows) == rowsBatch {
			s.flags(c)
			if err := callback(r, true); err != nil {
				_ = iter.Close(ctx)
				return err
			}
			r = &sqltypes.Result{Fields: t.fields}
		}
	}
	if err := iter.Close(ctx); err != nil {
		return err
	}
	info := ctx.GetLastQueryInfo()
	info.RowCount.Store(-1)
	info.FoundRows.Store(count)
	s.flags(c)
	return callback(r, false)
}

// unjoined is the one error in a join of one: errors are told apart by type.
func unjoined(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()[0]
	}
	return err
}
