package expr

import (
	"slices"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Operators that compute their right operand only if the left one is not NULL: comparisons, division of exact numbers, AND
// and OR of bits, XOR, BETWEEN and NULLIF; and IN, which computes its list up to a value that is equal.

// untilNull rewrites two operands; the right one is computed if the left one is not NULL, which g guards.
func (b *compiler) untilNull(left, right sqlparser.Expr, literal *bool) (_, _ sqlparser.Expr, g *guard, err error) {
	if left, err = b.replace(left, literal); err != nil {
		return nil, nil, nil, err
	}
	g = newGuard(b.guard, left, notNull)
	right, err = b.branch(right, literal, g)
	return left, right, g, err
}

// quotient rewrites a division. An exact one computes the divisor if the dividend is not NULL.
func (b *compiler) quotient(e *sqlparser.BinaryExpr, literal *bool) (sqlparser.Expr, error) {
	left, err := b.replace(e.Left, literal)
	if err != nil {
		return nil, err
	}
	g := b.guard
	if b.isNumber(left) && !sqltypes.IsFloat(b.kind(left)) {
		g = newGuard(b.guard, left, notNull)
	}
	right, err := b.branch(e.Right, literal, g)
	if err != nil {
		return nil, err
	}
	return b.laterPlain(g, left, &sqlparser.BinaryExpr{Operator: e.Operator, Left: left, Right: right}, literal)
}

// laterPlain is what stands for an expression whose operands have been rewritten; the right one is converted under a guard.
func (b *compiler) laterPlain(g *guard, left, e sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	lazily, first := b.lazily, b.first
	b.lazily, b.first = true, operand{left, b.guard}
	defer func() { b.lazily, b.first = lazily, first }()
	out, err := b.within(g, func() (sqlparser.Expr, error) { return b.plain(e, literal) })
	if out == nil && err == nil {
		return e, nil
	}
	return out, err
}

// nullIf is NULLIF as a CASE. The second argument is computed if the first is not NULL.
func (b *compiler) nullIf(args []sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	first, err := b.replace(args[0], literal)
	if err != nil {
		return nil, err
	}
	if first, err = b.single(first, literal); err != nil {
		return nil, err
	}
	g := newGuard(b.guard, first, notNull)
	second, err := b.branch(args[1], literal, g)
	if err != nil {
		return nil, err
	}
	before := b.lazily
	b.lazily = ofNoRow(args[0])
	defer func() { b.lazily = before }()
	equal, err := b.within(g, func() (sqlparser.Expr, error) { return b.apart(b.equals(first, second)) })
	return &sqlparser.CaseExpr{Whens: []*sqlparser.When{{Cond: equal, Val: &sqlparser.NullVal{}}}, Else: first}, err
}

// asksInOrder reports whether IN has values in its list that are computed: up to the first that is equal.
func asksInOrder(e *sqlparser.ComparisonExpr) bool {
	list, ok := e.Right.(sqlparser.ValTuple)
	if !ok || !ofNoRow(e.Left) || len(list) > mostInOrder {
		return false
	}
	return slices.ContainsFunc(list, func(one sqlparser.Expr) bool {
		switch one.(type) {
		case sqlparser.ValTuple, *sqlparser.NullVal:
			return false
		}
		return !isValue(one) && ofNoRow(one)
	})
}

// mostInOrder bounds the list of IN that becomes as many comparisons.
const mostInOrder = 32

// inOrder is IN as comparisons joined by OR. A list of values of one type is computed whole.
func (b *compiler) inOrder(e *sqlparser.ComparisonExpr, literal *bool) (out sqlparser.Expr, err error) {
	if !b.ofSeveralTypes(append(sqlparser.ValTuple{e.Left}, e.Right.(sqlparser.ValTuple)...)) {
		return b.inWhole(e, literal)
	}
	left, err := b.replace(e.Left, literal)
	if err != nil {
		return nil, err
	}
	if left, err = b.single(left, literal); err != nil {
		return nil, err
	}
	for _, one := range e.Right.(sqlparser.ValTuple) {
		out = orWith(out, &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: left, Right: one})
	}
	if e.Operator == sqlparser.NotInOp {
		out = &sqlparser.NotExpr{Expr: out}
	}
	before := b.lazily
	b.lazily = true
	defer func() { b.lazily = before }()
	return b.replace(out, literal)
}

// inWhole is IN whose list is computed whole.
func (b *compiler) inWhole(e *sqlparser.ComparisonExpr, literal *bool) (sqlparser.Expr, error) {
	left, err := b.replace(e.Left, literal)
	if err != nil {
		return nil, err
	}
	var list sqlparser.ValTuple
	for _, one := range e.Right.(sqlparser.ValTuple) {
		if one, err = b.replace(one, literal); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	in := &sqlparser.ComparisonExpr{Operator: e.Operator, Left: left, Right: list}
	out, err := b.plain(in, literal)
	if out == nil && err == nil {
		return in, nil
	}
	return out, err
}

// ofSeveralTypes reports whether expressions are of several of integers, decimals, doubles and others. They are compiled
// for it, those within them not again.
func (b *compiler) ofSeveralTypes(list sqlparser.ValTuple) bool {
	if b.guesses >= mostGuesses {
		return false
	}
	classes := map[int]bool{}
	for _, e := range list {
		c := *b.p.context
		one := &compiler{p: &Program{context: &c}, guesses: mostGuesses, depth: b.depth}
		v, err := one.compile(e)
		if err != nil {
			return true
		}
		switch k := v.typ.Type(); {
		case sqltypes.IsNull(k):
		case sqltypes.IsIntegral(k):
			classes[1] = true
		case sqltypes.IsDecimal(k):
			classes[2] = true
		case sqltypes.IsFloat(k):
			classes[3] = true
		case sqltypes.IsDateOrTime(k):
			classes[4] = true
		default:
			classes[5] = true
		}
	}
	return len(classes) > 1
}

// isValue reports whether an expression is a literal, or a parameter, that is not NULL.
func isValue(e sqlparser.Expr) bool {
	switch e := e.(type) {
	case *sqlparser.Literal, sqlparser.BoolVal:
		return true
	case *sqlparser.Argument:
		return !sqltypes.IsNull(e.Type)
	case *sqlparser.UnaryExpr:
		return isValue(e.Expr)
	}
	return false
}

// ofNoRow reports whether an expression, as it was written, has no columns and is no row.
func ofNoRow(e sqlparser.Expr) bool {
	none := true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n.(type) {
		case *sqlparser.ColName, sqlparser.ValTuple, *sqlparser.Subquery:
			none = false
		}
		return none, nil
	}, e)
	return none
}

// between rewrites BETWEEN: its ends are computed if the value is not NULL.
func (b *compiler) between(e *sqlparser.BetweenExpr, literal *bool) (sqlparser.Expr, error) {
	value, err := b.replace(e.Left, literal)
	if err != nil {
		return nil, err
	}
	g := newGuard(b.guard, value, notNull)
	from, err := b.branch(e.From, literal, g)
	if err != nil {
		return nil, err
	}
	to, err := b.branch(e.To, literal, g)
	if err != nil {
		return nil, err
	}
	out := &sqlparser.BetweenExpr{IsBetween: e.IsBetween, Left: value, From: from, To: to}
	if !ofNoRow(e.Left) {
		if converted, err := b.plain(out, literal); converted != nil || err != nil {
			return converted, err
		}
		return out, nil
	}
	return b.laterPlain(g, value, out, literal)
}
