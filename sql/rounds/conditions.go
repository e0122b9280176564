package rounds

import (
	"slices"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/access"
	"isochron/sql/coltype"
	"isochron/sql/expr"
)

// condition is a part of the filter that compares a column with constants.
type condition struct {
	column   int
	op       access.Op
	values   *expr.Program // nil: IS NULL
	count    int           // of values
	safe     bool          // <=>: NULL equals NULL
	subquery *applied      // not nil: the values are its rows, in the place of values
	// partial: rows that do not fulfil the part fulfil the condition too, so the filter is needed.
	partial      bool
	alternatives [][]condition // of access.Either
}

// parts are the parts of a conjunction.
func parts(e sqlparser.Expr) []sqlparser.Expr {
	if and, ok := e.(*sqlparser.AndExpr); ok {
		return append(parts(and.Left), parts(and.Right)...)
	}
	return []sqlparser.Expr{e}
}

// split finds the conditions of the filter.
func (l *leaf) split(c *expr.Context) error {
	l.whole = true
	for _, part := range parts(l.filter) {
		if constant(part) {
			if err := l.gate(c, part); err != nil {
				return err
			}
		}
		found, err := l.condition(c, part)
		if err != nil {
			return err
		}
		if len(found) == 0 || slices.ContainsFunc(found, func(c condition) bool { return c.partial }) {
			l.whole = false
		}
		l.conditions = append(l.conditions, found...)
	}
	return nil
}

// gate notes a part with one value for all rows: unless it is true, nothing is read.
func (l *leaf) gate(c *expr.Context, e sqlparser.Expr) error {
	program, err := expr.Compile(c, expr.Columns{}, e)
	if err == nil && program.Constant(0) {
		l.gates = append(l.gates, program)
	}
	return err
}

// condition are the conditions that a part is; none: it is for the filter alone.
func (l *leaf) condition(c *expr.Context, e sqlparser.Expr) ([]condition, error) {
	switch e := e.(type) {
	case *sqlparser.IsExpr:
		if at, ok := l.column(e.Left); ok && e.Right == sqlparser.IsNullOp {
			return []condition{{column: at, op: access.IsNull}}, nil
		}
	case *sqlparser.BetweenExpr:
		if at, ok := l.column(e.Left); ok && e.IsBetween {
			from, err := l.compared(c, at, access.GreaterEqual, e.From)
			if err != nil || from == nil {
				return nil, err
			}
			to, err := l.compared(c, at, access.LessEqual, e.To)
			if err != nil || to == nil || holdsText(l.source.Table.Type(at)) && !(isText(from) && isText(to)) {
				return nil, err // one number has all three compared as numbers
			}
			return []condition{*from, *to}, nil
		}
	case *sqlparser.OrExpr:
		return l.alternatives(c, e)
	case *sqlparser.ComparisonExpr:
		return l.comparison(c, e)
	}
	return nil, nil
}

// holdsText reports whether a column is of texts or bytes.
func holdsText(t *coltype.Type) bool {
	return t.Kind == coltype.KindText || t.Kind == coltype.KindBytes
}

// isNumber reports whether a column is of numbers, but for years.
func isNumber(t *coltype.Type) bool {
	switch t.Kind {
	case coltype.KindInt, coltype.KindUint, coltype.KindFloat32, coltype.KindFloat64, coltype.KindDecimal, coltype.KindBit:
		return true
	}
	return false
}

// isText reports whether a condition has texts or NULLs only.
func isText(c *condition) bool {
	for i := range c.count {
		if t := c.values.Type(i); !sqltypes.IsText(t.Type()) && !sqltypes.IsBinary(t.Type()) && t.Type() != sqltypes.Null {
			return false
		}
	}
	return true
}

// operators are the comparisons that bound an index, and what they are with their sides exchanged.
var operators = map[sqlparser.ComparisonExprOperator][2]access.Op{
	sqlparser.EqualOp:         {access.Equal, access.Equal},
	sqlparser.NullSafeEqualOp: {access.Equal, access.Equal},
	sqlparser.LessThanOp:      {access.Less, access.Greater},
	sqlparser.LessEqualOp:     {access.LessEqual, access.GreaterEqual},
	sqlparser.GreaterThanOp:   {access.Greater, access.Less},
	sqlparser.GreaterEqualOp:  {access.GreaterEqual, access.LessEqual},
}

func (l *leaf) comparison(c *expr.Context, e *sqlparser.ComparisonExpr) ([]condition, error) {
	if e.Operator == sqlparser.InOp {
		at, ok := l.column(e.Left)
		list, tuple := e.Right.(sqlparser.ValTuple)
		if !ok || !tuple {
			return nil, nil
		}
		one, err := l.compared(c, at, access.Equal, list...)
		return some(one), err
	}
	if at, ok := l.column(e.Left); ok && e.Operator == sqlparser.LikeOp && e.Escape == nil {
		one, err := l.compared(c, at, access.Like, e.Right)
		if one != nil {
			one.partial = true
		}
		return some(one), err
	}
	ops, ok := operators[e.Operator]
	if !ok {
		return nil, nil
	}
	one, err := l.sided(c, e.Left, e.Right, ops[0])
	if one == nil && err == nil {
		one, err = l.sided(c, e.Right, e.Left, ops[1])
	}
	if one != nil {
		one.safe = e.Operator == sqlparser.NullSafeEqualOp
	}
	return some(one), err
}

func tupleOf(e sqlparser.Expr) sqlparser.ValTuple {
	t, _ := e.(sqlparser.ValTuple)
	return t
}

func some(one *condition) []condition {
	if one == nil {
		return nil
	}
	return []condition{*one}
}

func (l *leaf) sided(c *expr.Context, column, value sqlparser.Expr, op access.Op) (*condition, error) {
	at, ok := l.column(column)
	if !ok {
		return nil, nil
	}
	return l.compared(c, at, op, value)
}

// alternatives are a = 1 OR a = 2.
func (l *leaf) alternatives(c *expr.Context, e *sqlparser.OrExpr) ([]condition, error) {
	at, list := -1, sqlparser.ValTuple(nil)
	var gather func(e sqlparser.Expr) bool
	gather = func(e sqlparser.Expr) bool {
		if or, ok := e.(*sqlparser.OrExpr); ok {
			return gather(or.Left) && gather(or.Right)
		}
		eq, ok := e.(*sqlparser.ComparisonExpr)
		if !ok || eq.Operator != sqlparser.EqualOp && eq.Operator != sqlparser.InOp {
			return false
		}
		column, ok := l.column(eq.Left)
		if !ok || at >= 0 && at != column {
			return false
		}
		at = column
		if t := tupleOf(eq.Right); t != nil {
			list = append(list, t...)
		} else {
			list = append(list, eq.Right)
		}
		return true
	}
	if !gather(e) {
		return l.either(c, e)
	}
	one, err := l.compared(c, at, access.Equal, list...)
	return some(one), err
}

// either are the conditions that a < 1 OR a > 2 AND b = 3 sets on the columns that all its alternatives bound.
func (l *leaf) either(c *expr.Context, e *sqlparser.OrExpr) ([]condition, error) {
	all := alternativesOf(e)
	if len(all) > alternativesMax {
		return nil, nil
	}
	found := make([][]condition, len(all))
	whole := true // each alternative is conditions alone
	for i, a := range all {
		for _, part := range parts(a) {
			list, err := l.condition(c, part)
			if err != nil {
				return nil, err
			}
			whole = whole && len(list) > 0 && !slices.ContainsFunc(list, func(c condition) bool { return c.partial })
			found[i] = append(found[i], list...)
		}
	}
	var out []condition
	if rows := rowsOf(found, whole); rows != nil {
		out = append(out, *rows)
	}
	for _, first := range found[0] {
		if slices.ContainsFunc(out, func(c condition) bool { return c.column == first.column }) {
			continue
		}
		if one, ok := eitherOf(first.column, found, whole); ok {
			out = append(out, one)
		}
	}
	return out, nil
}

// rowsOf is the condition that (a, b) IN ((1, 2), (3, 4)) is: alternatives of equal values of the same columns. nil: they are
// not that.
func rowsOf(found [][]condition, whole bool) *condition {
	if !whole || len(found[0]) < 2 {
		return nil
	}
	for _, list := range found {
		if len(list) != len(found[0]) {
			return nil
		}
		for i, c := range list {
			if c.op != access.Equal || c.count != 1 || c.safe || c.column != found[0][i].column {
				return nil
			}
		}
	}
	return &condition{column: -1, op: access.Rows, partial: true, alternatives: found}
}

// alternativesMax bounds the alternatives that are bounds of an index.
const alternativesMax = 1000

// alternativesOf are the parts of which one must be true.
func alternativesOf(e sqlparser.Expr) []sqlparser.Expr {
	if or, ok := e.(*sqlparser.OrExpr); ok {
		return append(alternativesOf(or.Left), alternativesOf(or.Right)...)
	}
	return []sqlparser.Expr{e}
}

// eitherOf is the condition that alternatives set on a column; false: one of them does not bound it.
func eitherOf(column int, found [][]condition, whole bool) (out condition, ok bool) {
	out = condition{column: column, op: access.Either, partial: !whole}
	for _, list := range found {
		var of []condition
		for _, c := range list {
			if c.column == column {
				of = append(of, c)
			}
		}
		if len(of) == 0 {
			return out, false
		}
		out.partial = out.partial || len(of) < len(list)
		out.alternatives = append(out.alternatives, of)
	}
	return out, true
}

// compared is a column compared with constants; nil: they are none, or are compared by another collation than the column's.
func (l *leaf) compared(c *expr.Context, at int, op access.Op, values ...sqlparser.Expr) (*condition, error) {
	t := l.source.Table.Type(at)
	values = slices.Clone(values)
	for i, v := range values {
		switch {
		case !constant(v):
			return nil, nil
		case !isBits(v) || holdsText(t):
		case isNumber(t):
			values[i] = &sqlparser.BinaryExpr{Operator: sqlparser.PlusOp, Left: v, Right: sqlparser.NewIntLiteral("0")}
		default:
			return nil, nil
		}
	}
	program, err := expr.CompileBeside(c, l.typeOf(at), values...)
	if err != nil {
		return nil, err
	}
	for i := range values {
		if !program.Constant(i) {
			return nil, nil
		}
	}
	return &condition{column: at, op: op, values: program, count: len(values)}, nil
}

// isBits reports whether an expression is a hexadecimal or bit literal, which is a number beside numbers.
func isBits(e sqlparser.Expr) bool {
	l, ok := e.(*sqlparser.Literal)
	return ok && (l.Type == sqlparser.HexNum || l.Type == sqlparser.HexVal || l.Type == sqlparser.BitNum)
}

// constant reports whether an expression names no column and no collation.
func constant(e sqlparser.Expr) bool {
	is := true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n.(type) {
		case *sqlparser.ColName, *sqlparser.CollateExpr, *sqlparser.Subquery, sqlparser.ValTuple, *sqlparser.IntroducerExpr:
			is = false
		}
		return is, nil
	}, e)
	return is
}
