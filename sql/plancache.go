package sql

import (
	"context"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/foreign"
	"isochron/sql/legacy"
	"isochron/sql/plan"
	"isochron/sql/session"
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
	above     bool // it has no plan for what is read below the wire library
	under     circumstances
	native    bool               // it names no table at a source
	foreign   *foreign.Statement // of a prepared statement that does; nil: not known, or none
	written   written            // of texts that do
	shownText string             // of the statement, as whoever looks at the session sees it
	fields    []*querypb.Field   // as the engine described them; nil: not seen yet, or none
	seen      bool
	strict    bool
	failed    int // compilations that came to nothing
	variants  map[string]*variant
	core      coreTexts
	direct    *direct // of the plan last compiled, here or by another session; nil: none is one for it
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
	counts string // the status variable that counts its statement
}

// remembered is what the session knows of a statement now, by its key; nil: it is for the
// engine.
func remembered(ctx context.Context, s *Session, key string) *text {
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return nil
	}
	s.gateway.engine.Analyzer.Catalog.MySQLDb.UserActivePrivilegeSet(s.quiet)
	_, privileges := s.GetPrivilegeSet()
	now := circumstances{snap, s.GetCurrentDatabase(), s.Settings, privileges}
	return s.texts.under(key, now)
}

// texts are what a session knows of the texts of its statements, by their keys.
type texts struct {
	kept map[string]*text
	last lastText
}

// under is what is known of a statement under the circumstances of now.
func (k *texts) under(key string, now circumstances) *text {
	t := k.of(key)
	if t == nil || t.under != now {
		if len(k.kept) >= preparedTextsMax || k.kept == nil {
			k.kept = map[string]*text{}
		}
		t = &text{under: now, shownText: session.Shortened(strings.TrimPrefix(key, textKey)), variants: map[string]*variant{}}
		k.kept[key], k.last = t, lastText{key, t}
	}
	return t
}

// lastText is what the session looked up last: most execute one statement many times.
type lastText struct {
	key  string
	text *text
}

// of is what was kept of a statement, if anything.
func (k *texts) of(key string) *text {
	if k.last.text == nil || k.last.key != key {
		k.last = lastText{key, k.kept[key]}
	}
	return k.last.text
}

// describe notes how the engine describes the rows of a text.
func (k *texts) describe(key string, fields []*querypb.Field) {
	if t := k.of(key); t != nil && !t.seen {
		t.seen, t.fields = true, fields
	}
}

// bound is the plan for the values' types, bound to the values; nil if they are for
// the engine.
func (t *text) bound(ctx *gms.Context, x *execution) *variant {
	if t.failed > compilesMax || !t.seen && !x.changes(ctx) {
		return nil
	}
	return t.boundTo(ctx, x)
}

// boundTo is the same, though the engine has not described what the statement yields.
func (t *text) boundTo(ctx *gms.Context, x *execution) *variant {
	v, values := t.variantFor(ctx, x)
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

// changes reports whether a request is an UPDATE, INSERT or DELETE that was parsed already:
// that has no rows which the engine would have to describe first, so that a thousand clients
// who begin with it need not each have the engine carry it out once.
func (x *execution) changes(ctx *gms.Context) bool {
	if x.prepare == nil {
		return false // it came as text
	}
	stmt, ok := x.parse(ctx, x.h.g.engine.Parser)
	if !ok {
		return false
	}
	switch stmt := stmt.(type) {
	case *sqlparser.Update:
		return len(stmt.Returning) == 0
	case *sqlparser.Insert:
		return len(stmt.Returning) == 0
	case *sqlparser.Delete:
		return len(stmt.Returning) == 0
	}
	return false
}

// variantFor is the plan for the values' types, with the values.
func (t *text) variantFor(ctx *gms.Context, x *execution) (*variant, map[string]*expression.Literal) {
	s, g := x.s, x.h.g
	if s.binder == nil || s.binderUnder != t.under {
		s.binder = planbuilder.New(ctx, g.engine.Analyzer.Catalog, nil)
		s.binderUnder = t.under
	}
	exprs := x.values()
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
		if text, ok := lit.Val.(string); ok && legacy.Costly(text) {
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
		v = t.compileVariant(ctx, x, values)
		if v.plan == nil {
			t.failed++
			return nil, nil
		}
		t.variants[strictKey(ctx, values, t.strict)] = v
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
func (t *text) compileVariant(ctx *gms.Context, x *execution, values map[string]*expression.Literal) (v *variant) {
	v = &variant{}
	x.s.status.still = true
	defer func() { x.s.status.still = false }()
	defer func() {
		// The engine shall report by itself what it cannot take.
		if recover() != nil {
			v = &variant{}
		}
	}()
	e := x.h.g.engine
	parsed, ok := x.parse(ctx, e.Parser)
	if !ok {
		return v
	}
	inComparison := comparedParameters(parsed)
	analyse := func(params map[string]*expression.Literal) (gms.Node, error) {
		bindings := make(map[string]gms.Expression, len(params))
		for name, lit := range params { // order: into a map
			if inComparison[name] {
				withDigits(ctx, lit)
			}
			bindings[name] = lit
		}
		b := planbuilder.New(ctx, e.Analyzer.Catalog, e.EventScheduler)
		b.SetBindingsWithExpr(bindings)
		bound, flags, err := b.BindOnly(parsed, x.text, nil)
		if err != nil {
			return nil, err
		}
		root, err := e.Analyzer.Analyze(ctx, bound, nil, flags)
		if err != nil {
			return nil, err
		}
		root, _, err = mendedComparisons(ctx, root)
		return root, err
	}
	v.plan = plan.Prepare(ctx, values, analyse, func(e gms.Expression) bool {
		switch e := e.(type) {
		case *exact, *compared:
			return true
		case *among:
			return !e.fixed
		}
		return false
	})
	if v.plan != nil {
		t.strict = t.strict || v.plan.Strict
		v.schema, v.counts = v.plan.Root.Schema(ctx), counterOf(parsed)
	}
	return v
}
