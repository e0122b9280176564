package expr

import (
	"math"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Implicit conversions of text to numbers. The engine converts without a word; MySQL warns of what is cut off (1292). So
// a text where a number is needed becomes a slot, computed by number.

// number is a text as a double.
var number = &Function{Name: "\x00NUMBER", Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) { return Double(c.Float(0)), nil }}

// numeric replaces the texts of an expression that needs numbers; nil: there are none.
func (b *compiler) numeric(e sqlparser.Expr) (sqlparser.Expr, error) {
	if out, err := b.years(e); out != nil || err != nil {
		return out, err
	}
	switch e := e.(type) {
	case *sqlparser.BinaryExpr:
		switch e.Operator {
		case sqlparser.PlusOp, sqlparser.MinusOp, sqlparser.MultOp, sqlparser.DivOp, sqlparser.ModOp, sqlparser.IntDivOp:
			return b.sides(e.Left, e.Right, b.isText(e.Left), b.isText(e.Right), func(l, r sqlparser.Expr) sqlparser.Expr {
				return &sqlparser.BinaryExpr{Operator: e.Operator, Left: l, Right: r}
			})
		}
	case *sqlparser.ComparisonExpr:
		if _, plain := comparisons[e.Operator]; plain {
			l, r := b.isText(e.Left), b.isText(e.Right)
			return b.sides(e.Left, e.Right, l && b.isNumber(e.Right), r && b.isNumber(e.Left), func(l, r sqlparser.Expr) sqlparser.Expr {
				return &sqlparser.ComparisonExpr{Operator: e.Operator, Left: l, Right: r}
			})
		}
	case *sqlparser.UnaryExpr:
		if e.Operator == sqlparser.UMinusOp && b.isText(e.Expr) {
			inner, err := b.asNumber(e.Expr)
			return &sqlparser.UnaryExpr{Operator: e.Operator, Expr: inner}, err
		}
	case *sqlparser.NotExpr:
		if b.isText(e.Expr) {
			inner, err := b.asNumber(e.Expr)
			return &sqlparser.NotExpr{Expr: inner}, err
		}
	case *sqlparser.AndExpr:
		return b.sides(e.Left, e.Right, b.isText(e.Left), b.isText(e.Right), func(l, r sqlparser.Expr) sqlparser.Expr { return &sqlparser.AndExpr{Left: l, Right: r} })
	case *sqlparser.OrExpr:
		return b.sides(e.Left, e.Right, b.isText(e.Left), b.isText(e.Right), func(l, r sqlparser.Expr) sqlparser.Expr { return &sqlparser.OrExpr{Left: l, Right: r} })
	case *sqlparser.XorExpr:
		return b.sides(e.Left, e.Right, b.isText(e.Left), b.isText(e.Right), func(l, r sqlparser.Expr) sqlparser.Expr { return &sqlparser.XorExpr{Left: l, Right: r} })
	}
	return nil, nil
}

// comparisons are those of two values.
var comparisons = map[sqlparser.ComparisonExprOperator]struct{}{
	sqlparser.EqualOp: {}, sqlparser.NotEqualOp: {}, sqlparser.NullSafeEqualOp: {}, sqlparser.LessThanOp: {},
	sqlparser.LessEqualOp: {}, sqlparser.GreaterThanOp: {}, sqlparser.GreaterEqualOp: {},
}

// sides replaces one or both sides; nil: neither.
func (b *compiler) sides(l, r sqlparser.Expr, left, right bool, with func(l, r sqlparser.Expr) sqlparser.Expr) (_ sqlparser.Expr, err error) {
	if !left && !right {
		return nil, nil
	}
	if left {
		if l, err = b.asNumber(l); err != nil {
			return nil, err
		}
	}
	if right {
		if r, err = b.asNumber(r); err != nil {
			return nil, err
		}
	}
	return with(l, r), nil
}

func (b *compiler) asNumber(e sqlparser.Expr) (sqlparser.Expr, error) {
	at, _, err := b.step(e, node{function: number, args: []sqlparser.Expr{e}})
	if err != nil {
		return nil, err
	}
	return slot(at), nil
}

func (b *compiler) isText(e sqlparser.Expr) bool { return sqltypes.IsText(b.kind(e)) }

func (b *compiler) isNumber(e sqlparser.Expr) bool {
	t := b.kind(e)
	return (sqltypes.IsIntegral(t) || sqltypes.IsFloat(t) || sqltypes.IsDecimal(t)) && t != sqltypes.Year
}

// kind is the type of an expression in which calls of ours are slots; Null if the engine does not compute it.
func (b *compiler) kind(e sqlparser.Expr) sqltypes.Type {
	switch e := e.(type) {
	case *sqlparser.Literal:
		switch e.Type {
		case sqlparser.StrVal:
			return sqltypes.VarChar
		case sqlparser.IntVal:
			return sqltypes.Int64
		case sqlparser.DecimalVal:
			return sqltypes.Decimal
		case sqlparser.FloatVal:
			return sqltypes.Float64
		}
		return sqltypes.Null
	case *sqlparser.Argument:
		return e.Type
	case *sqlparser.ColName:
		at, err := b.find(e)
		if err != nil {
			return sqltypes.Null
		}
		t := b.typeAt(at)
		return t.Type()
	case sqlparser.BoolVal, *sqlparser.ComparisonExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr, *sqlparser.IsExpr, *sqlparser.BetweenExpr:
		return sqltypes.Int64
	case *sqlparser.NullVal, sqlparser.ValTuple, *sqlparser.Subquery:
		return sqltypes.Null
	}
	tree, err := evalengine.Translate(e, b.config(b.p.context.Collation))
	if err != nil {
		return sqltypes.Null
	}
	t, err := newEngine(b.p.context).TypeOf(tree)
	if err != nil {
		return sqltypes.Null
	}
	return t.Type()
}

// century is a number beside a YEAR: 24 is 2024, 99 is 1999.
var century = &Function{Name: "\x00CENTURY", Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) {
	n := c.Float(0)
	switch whole := math.Round(n); {
	case whole >= 1 && whole <= 69:
		n = whole + 2000
	case whole >= 70 && whole <= 99:
		n = whole + 1900
	}
	return Double(n), nil
}}

// years replaces constants that are compared with a YEAR; nil: there are none.
func (b *compiler) years(e sqlparser.Expr) (sqlparser.Expr, error) {
	switch e := e.(type) {
	case *sqlparser.ComparisonExpr:
		if list, ok := e.Right.(sqlparser.ValTuple); ok && b.kind(e.Left) == sqltypes.Year {
			out, err := b.inCentury(list...)
			return &sqlparser.ComparisonExpr{Operator: e.Operator, Left: e.Left, Right: sqlparser.ValTuple(out)}, err
		}
		if _, plain := comparisons[e.Operator]; !plain {
			return nil, nil
		}
		out := *e
		var err error
		switch {
		case b.kind(e.Left) == sqltypes.Year && b.isPlainConstant(e.Right):
			out.Right, err = b.oneInCentury(e.Right)
		case b.kind(e.Right) == sqltypes.Year && b.isPlainConstant(e.Left):
			out.Left, err = b.oneInCentury(e.Left)
		default:
			return nil, nil
		}
		return &out, err
	case *sqlparser.BetweenExpr:
		if b.kind(e.Left) != sqltypes.Year {
			return nil, nil
		}
		out, err := b.inCentury(e.From, e.To)
		if err != nil {
			return nil, err
		}
		return &sqlparser.BetweenExpr{IsBetween: e.IsBetween, Left: e.Left, From: out[0], To: out[1]}, nil
	}
	return nil, nil
}

func (b *compiler) isPlainConstant(e sqlparser.Expr) bool {
	switch e.(type) {
	case *sqlparser.Literal, *sqlparser.Argument:
		return true
	}
	return false
}

func (b *compiler) inCentury(list ...sqlparser.Expr) (out []sqlparser.Expr, err error) {
	for _, e := range list {
		if b.isPlainConstant(e) {
			if e, err = b.oneInCentury(e); err != nil {
				return nil, err
			}
		}
		out = append(out, e)
	}
	return out, nil
}

func (b *compiler) oneInCentury(e sqlparser.Expr) (sqlparser.Expr, error) {
	at, _, err := b.step(e, node{function: century, args: []sqlparser.Expr{e}})
	if err != nil {
		return nil, err
	}
	return slot(at), nil
}
