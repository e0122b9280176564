package expr

import (
	"slices"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// guard is the condition under which a branch of IF, CASE, COALESCE, AND or OR is computed. A step within a branch is
// computed only if the guards around it hold: it may fail, warn or wait, and the engine does not read its slot otherwise.
type guard struct {
	condition sqlparser.Expr // rewritten: it has slots
	holds     guardTest
	outer     *guard
	at        int // its position in Program.guards; -1: no step needs it yet
}

// guardTest is what a guard asks of its condition.
type guardTest int

const (
	isTrue guardTest = iota
	notTrue
	notFalse
	isNull
	notNull
)

// condition is a guard of a program, computed at most once for each row.
type condition struct {
	value  value
	test   guardTest
	outer  int  // its position; -1: none
	known  bool // it has been computed for the row
	result bool
}

// noGuard is the position of no guard.
const noGuard = -1

// needed is the position of the guard that a step added now needs. Guards are compiled when the first step needs them.
func (b *compiler) needed() (int, error) {
	var missing []*guard
	g := b.guard
	for ; g != nil && g.at < 0; g = g.outer {
		missing = append(missing, g)
	}
	outer := noGuard
	if g != nil {
		outer = g.at
	}
	within := b.guard
	defer func() { b.guard = within }()
	for _, g := range slices.Backward(missing) {
		b.guard = g.outer // steps of the condition itself do not depend on it
		v, err := b.translate(g.condition, false)
		if err != nil {
			return noGuard, err
		}
		b.p.guards = append(b.p.guards, condition{value: v, test: g.holds, outer: outer})
		g.at = len(b.p.guards) - 1
		outer = g.at
	}
	return outer, nil
}

// holds reports whether a guard and those around it hold for the row. An inner one is computed only if the outer ones hold.
func (p *Program) holds(at int) (bool, error) {
	unknown := p.unknown[:0]
	result := true
	for ; at >= 0; at = p.guards[at].outer {
		if g := &p.guards[at]; g.known {
			result = g.result
			break
		}
		unknown = append(unknown, at)
	}
	p.unknown = unknown
	for _, i := range slices.Backward(unknown) {
		g := &p.guards[i]
		if result {
			v, err := p.compute(&g.value)
			if err != nil {
				return false, err
			}
			result = g.test.of(v, p.context)
		}
		g.known, g.result = true, result
	}
	return result, nil
}

func (t guardTest) of(v Value, c *Context) bool {
	if t == isNull || t == notNull {
		return v.IsNull() == (t == isNull)
	}
	quiet := Context{Now: c.Now, Zone: c.Zone, Collation: c.Collation}
	truth := Truth(v, &quiet)
	switch t {
	case isTrue:
		return truth
	case notTrue:
		return !truth
	}
	return v.IsNull() || truth
}

// branch rewrites an expression that is computed only if a guard and those around it hold.
func (b *compiler) branch(e sqlparser.Expr, literal *bool, g *guard) (sqlparser.Expr, error) {
	if e == nil {
		return nil, nil
	}
	before := b.guard
	b.guard = g
	defer func() { b.guard = before }()
	out, err := b.replace(e, literal)
	if err == nil && mayFail(out) {
		return b.single(out, literal)
	}
	return out, err
}

// mayFail reports whether the engine may return an error for an expression: arithmetic may be out of range. The engine
// computes all branches of a CASE.
func mayFail(e sqlparser.Expr) (fails bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.BinaryExpr:
			fails = true
		case *sqlparser.UnaryExpr:
			_, literal := n.Expr.(*sqlparser.Literal)
			fails = fails || !literal
		case *sqlparser.FuncExpr:
			fails = fails || n.Name.EqualString("abs")
		}
		return !fails, nil
	}, e)
	return fails
}

func newGuard(outer *guard, condition sqlparser.Expr, holds guardTest) *guard {
	return &guard{condition: condition, holds: holds, outer: outer, at: -1}
}

// isConditional reports whether an expression computes only some of its parts.
func isConditional(e sqlparser.Expr) bool {
	switch e := e.(type) {
	case *sqlparser.CaseExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.BetweenExpr:
		return true
	case *sqlparser.ComparisonExpr:
		if isIn(e) {
			return asksInOrder(e)
		}
		_, plain := comparisons[e.Operator]
		return plain && e.Operator != sqlparser.NullSafeEqualOp && ofNoRow(e.Left) && !isValue(e.Left)
	case *sqlparser.BinaryExpr:
		return e.Operator == sqlparser.BitAndOp || e.Operator == sqlparser.BitOrOp || e.Operator == sqlparser.DivOp && ofNoRow(e.Left)
	case *sqlparser.FuncExpr:
		switch {
		case !e.Qualifier.IsEmpty():
		case e.Name.EqualString("nullif"):
			return len(e.Exprs) == 2
		case e.Name.EqualString("if"):
			return len(e.Exprs) == 3
		case e.Name.EqualString("ifnull"), e.Name.EqualString("coalesce"):
			return len(e.Exprs) > 1
		}
	}
	return false
}

// conditional rewrites such an expression, each part under its guards.
func (b *compiler) conditional(e sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		left, right, err := b.pair(e.Left, e.Right, notFalse, literal)
		return &sqlparser.AndExpr{Left: left, Right: right}, err
	case *sqlparser.OrExpr:
		left, right, err := b.pair(e.Left, e.Right, notTrue, literal)
		return &sqlparser.OrExpr{Left: left, Right: right}, err
	case *sqlparser.XorExpr:
		left, right, g, err := b.untilNull(e.Left, e.Right, literal)
		if err != nil {
			return nil, err
		}
		if left, err = b.condition(left); err != nil {
			return nil, err
		}
		right, err = b.within(g, func() (sqlparser.Expr, error) { return b.condition(right) })
		return &sqlparser.XorExpr{Left: left, Right: right}, err
	case *sqlparser.ComparisonExpr:
		if isIn(e) {
			return b.inOrder(e, literal)
		}
		left, right, g, err := b.untilNull(e.Left, e.Right, literal)
		if err != nil {
			return nil, err
		}
		return b.laterPlain(g, left, &sqlparser.ComparisonExpr{Operator: e.Operator, Left: left, Right: right}, literal)
	case *sqlparser.BinaryExpr:
		if e.Operator == sqlparser.DivOp {
			return b.quotient(e, literal)
		}
		left, right, g, err := b.untilNull(e.Left, e.Right, literal)
		if err != nil {
			return nil, err
		}
		return b.laterPlain(g, left, &sqlparser.BinaryExpr{Operator: e.Operator, Left: left, Right: right}, literal)
	case *sqlparser.BetweenExpr:
		return b.between(e, literal)
	case *sqlparser.CaseExpr:
		return b.caseBranches(e, literal)
	case *sqlparser.FuncExpr:
		switch {
		case e.Name.EqualString("nullif"):
			return b.nullIf(e.Exprs, literal)
		case !e.Name.EqualString("if"):
			return b.coalesce(e.Exprs, literal)
		}
		out := *e
		var err error
		out.Exprs, err = b.ifBranches(e.Exprs, literal)
		return &out, err
	}
	return e, nil
}

// pair rewrites two operands; the right one is computed if the left one passes.
func (b *compiler) pair(left, right sqlparser.Expr, test guardTest, literal *bool) (_, _ sqlparser.Expr, err error) {
	if left, err = b.replace(left, literal); err != nil {
		return nil, nil, err
	}
	if left, err = b.operand(left); err != nil {
		return nil, nil, err
	}
	g := newGuard(b.guard, left, test)
	if right, err = b.branch(right, literal, g); err != nil {
		return nil, nil, err
	}
	convert := b.operand
	if b.rowless(left) {
		convert = b.condition // the left one decides before there are rows
	}
	right, err = b.within(g, func() (sqlparser.Expr, error) { return convert(right) })
	return left, right, err
}

// rowless reports whether an expression has one value for all rows.
func (b *compiler) rowless(e sqlparser.Expr) bool {
	is := true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok {
			is = is && b.constant(c)
		}
		return is, nil
	}, e)
	return is
}

// operand is an operand of AND or OR: a text as a number.
func (b *compiler) operand(e sqlparser.Expr) (sqlparser.Expr, error) {
	if b.isText(e) {
		return b.as(comparedNumber, e)
	}
	return b.condition(e)
}

// within compiles a part of a branch.
func (b *compiler) within(g *guard, compile func() (sqlparser.Expr, error)) (sqlparser.Expr, error) {
	before := b.guard
	b.guard = g
	defer func() { b.guard = before }()
	return compile()
}

func (b *compiler) ifBranches(args []sqlparser.Expr, literal *bool) ([]sqlparser.Expr, error) {
	test, err := b.replace(args[0], literal)
	if err != nil {
		return nil, err
	}
	if test, err = b.condition(test); err != nil {
		return nil, err
	}
	yes, err := b.branch(args[1], literal, newGuard(b.guard, test, isTrue))
	if err != nil {
		return nil, err
	}
	no, err := b.branch(args[2], literal, newGuard(b.guard, test, notTrue))
	return []sqlparser.Expr{test, yes, no}, err
}

// coalesce is COALESCE as a CASE, whose type the engine gives the decimals of all arguments. An argument is computed if
// those before it are NULL.
func (b *compiler) coalesce(args []sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	out := &sqlparser.CaseExpr{}
	g := b.guard
	for i, a := range args {
		got, err := b.branch(a, literal, g)
		if err != nil {
			return nil, err
		}
		if i == len(args)-1 {
			out.Else = got
			break
		}
		if got, err = b.singleWithin(g, got, literal); err != nil {
			return nil, err
		}
		out.Whens = append(out.Whens, &sqlparser.When{Cond: &sqlparser.IsExpr{Left: got, Right: sqlparser.IsNotNullOp}, Val: got})
		g = newGuard(g, got, isNull)
	}
	return out, nil
}

// singleWithin is single in a branch.
func (b *compiler) singleWithin(g *guard, e sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	return b.within(g, func() (sqlparser.Expr, error) { return b.single(e, literal) })
}

// caseBranches are those of CASE: a branch is computed if its condition is the first that is true.
func (b *compiler) caseBranches(e *sqlparser.CaseExpr, literal *bool) (_ sqlparser.Expr, err error) {
	out := &sqlparser.CaseExpr{}
	var value sqlparser.Expr
	if e.Expr != nil {
		if value, err = b.replace(e.Expr, literal); err != nil {
			return nil, err
		}
		if value, err = b.single(value, literal); err != nil {
			return nil, err
		}
	}
	g := b.guard // none of the conditions before is true
	for _, w := range e.Whens {
		when := &sqlparser.When{}
		test := g
		if value != nil {
			test = newGuard(g, value, notNull)
		}
		if when.Cond, err = b.branch(w.Cond, literal, test); err != nil {
			return nil, err
		}
		if when.Cond, err = b.within(test, func() (sqlparser.Expr, error) { return b.whenTrue(value, when.Cond) }); err != nil {
			return nil, err
		}
		if when.Val, err = b.branch(w.Val, literal, newGuard(g, when.Cond, isTrue)); err != nil {
			return nil, err
		}
		out.Whens = append(out.Whens, when)
		g = newGuard(g, when.Cond, notTrue)
	}
	if e.Else == nil {
		out.Else = &sqlparser.NullVal{} // without it the engine takes the result for never NULL
		return out, nil
	}
	out.Else, err = b.branch(e.Else, literal, g)
	return out, err
}

// whenTrue is the condition of a branch of CASE: that it equals the value, if there is one.
func (b *compiler) whenTrue(value, e sqlparser.Expr) (sqlparser.Expr, error) {
	if value == nil {
		return b.condition(e)
	}
	before := b.lazily
	b.lazily = true
	defer func() { b.lazily = before }()
	return b.apart(b.equals(value, e))
}

// apart gives a comparison whose columns have several collations a slot: what it is a part of has another.
func (b *compiler) apart(e sqlparser.Expr, err error) (sqlparser.Expr, error) {
	if err != nil {
		return nil, err
	}
	if _, one := b.collation(e); one {
		return e, nil
	}
	at, _, err := b.step(e, node{function: same, args: []sqlparser.Expr{e}})
	return slot(at), err
}

// equals is a comparison of two expressions in which calls of ours are slots.
func (b *compiler) equals(l, r sqlparser.Expr) (sqlparser.Expr, error) {
	e := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: l, Right: r}
	out, err := b.numeric(e)
	if out == nil && err == nil {
		out, err = b.padded(e)
	}
	if out == nil {
		out = e
	}
	return out, err
}

// same is an expression as it is.
var same = &Function{Name: "VALUE", Min: 1, Max: 1, Type: sameType, Nulls: true, Eval: func(c *Call) (Value, error) { return c.Args[0], nil }}

// sameType is the type of the argument. It may be NULL: the engine is not right about that in each of its types. A text of
// another character set has become one of the connection's.
func sameType(args []Type, c *Context) Type {
	t := args[0]
	if sqltypes.IsText(t.Type()) && !c.sameCharset(t.Collation()) {
		t = evalengine.NewTypeEx(t.Type(), c.Collation, true, t.Size(), t.Scale(), nil)
	}
	t.SetNullability(true)
	return t
}

// single gives an expression that the engine would compile more than once a slot; nested, they would be compiled and
// computed a number of times that grows exponentially.
func (b *compiler) single(e sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	switch e := e.(type) {
	case *sqlparser.ColName, *sqlparser.Literal, *sqlparser.NullVal, sqlparser.BoolVal, sqlparser.ValTuple:
		return e, nil
	case *sqlparser.CollateExpr: // a slot would lose that it was given
		inner, err := b.single(e.Expr, literal)
		return &sqlparser.CollateExpr{Expr: inner, Collation: e.Collation}, err
	}
	return b.slot(e, node{function: same, args: []sqlparser.Expr{e}}, literal)
}

// repeated is an expression of whose parts the engine compiles one twice, with a slot in its place; nil if it is none.
func (b *compiler) repeated(e sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	switch e := e.(type) {
	case *sqlparser.BetweenExpr:
		left, err := b.single(e.Left, literal)
		return &sqlparser.BetweenExpr{IsBetween: e.IsBetween, Left: left, From: e.From, To: e.To}, err
	}
	return nil, nil
}
