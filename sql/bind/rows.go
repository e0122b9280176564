package bind

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// rowComparison writes a comparison of rows as comparisons of their values, which is the same for NULL too:
// (a, b) IN ((1, 2), (3, 4)) is a = 1 AND b = 2 OR a = 3 AND b = 4. nil: it compares no rows.
func rowComparison(e *sqlparser.ComparisonExpr) (sqlparser.Expr, error) {
	left, ok := e.Left.(sqlparser.ValTuple)
	if !ok {
		return nil, nil
	}
	right, ok := e.Right.(sqlparser.ValTuple)
	if !ok {
		return nil, wrongColumns(len(left))
	}
	switch e.Operator {
	case sqlparser.EqualOp:
		return rowsEqual(left, right, sqlparser.EqualOp)
	case sqlparser.NullSafeEqualOp:
		return rowsEqual(left, right, sqlparser.NullSafeEqualOp)
	case sqlparser.NotEqualOp:
		equal, err := rowsEqual(left, right, sqlparser.EqualOp)
		return &sqlparser.NotExpr{Expr: equal}, err
	case sqlparser.InOp, sqlparser.NotInOp:
		in, err := rowAmong(left, right)
		if err == nil && e.Operator == sqlparser.NotInOp {
			in = &sqlparser.NotExpr{Expr: in}
		}
		return in, err
	}
	return rowsOrdered(e.Operator, left, right)
}

// rowsOrdered is (a, b) < (1, 2): a < 1 OR a = 1 AND b < 2.
func rowsOrdered(op sqlparser.ComparisonExprOperator, l, r sqlparser.ValTuple) (out sqlparser.Expr, err error) {
	strict, ok := map[sqlparser.ComparisonExprOperator]sqlparser.ComparisonExprOperator{
		sqlparser.LessThanOp: sqlparser.LessThanOp, sqlparser.LessEqualOp: sqlparser.LessThanOp,
		sqlparser.GreaterThanOp: sqlparser.GreaterThanOp, sqlparser.GreaterEqualOp: sqlparser.GreaterThanOp,
	}[op]
	if !ok {
		return nil, unsupported("an order of rows")
	}
	if len(l) != len(r) {
		return nil, wrongColumns(len(l))
	}
	for i := len(l) - 1; i >= 0; i-- {
		if _, nested := l[i].(sqlparser.ValTuple); nested {
			return nil, unsupported("rows within rows")
		}
		if out == nil {
			out = &sqlparser.ComparisonExpr{Operator: op, Left: l[i], Right: r[i]}
			continue
		}
		equal := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: l[i], Right: r[i]}
		out = &sqlparser.OrExpr{
			Left:  &sqlparser.ComparisonExpr{Operator: strict, Left: l[i], Right: r[i]},
			Right: &sqlparser.AndExpr{Left: equal, Right: out},
		}
	}
	return out, nil
}

func rowsEqual(l, r sqlparser.ValTuple, op sqlparser.ComparisonExprOperator) (out sqlparser.Expr, err error) {
	if len(l) != len(r) {
		return nil, wrongColumns(len(l))
	}
	for i := range l {
		var equal sqlparser.Expr = &sqlparser.ComparisonExpr{Operator: op, Left: l[i], Right: r[i]}
		if inner, nested := l[i].(sqlparser.ValTuple); nested {
			other, ok := r[i].(sqlparser.ValTuple)
			if !ok {
				return nil, wrongColumns(len(inner))
			}
			if equal, err = rowsEqual(inner, other, op); err != nil {
				return nil, err
			}
		}
		if out == nil {
			out = equal
		} else {
			out = &sqlparser.AndExpr{Left: out, Right: equal}
		}
	}
	return out, nil
}

// wrongColumns is the error of a comparison with an operand of another number of columns.
func wrongColumns(columns int) error {
	return expr.NewError(1241, "21000", "Operand should contain %d column(s)", columns)
}

func rowAmong(l sqlparser.ValTuple, list sqlparser.ValTuple) (out sqlparser.Expr, err error) {
	equals := make([]sqlparser.Expr, len(list))
	for i, e := range list {
		r, ok := e.(sqlparser.ValTuple)
		if !ok {
			return nil, wrongColumns(len(l))
		}
		if equals[i], err = rowsEqual(l, r, sqlparser.EqualOp); err != nil {
			return nil, err
		}
	}
	return anyOf(equals), nil
}

// anyOf is OR of a list, nested no deeper than need be.
func anyOf(list []sqlparser.Expr) sqlparser.Expr {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	return &sqlparser.OrExpr{Left: anyOf(list[:half]), Right: anyOf(list[half:])}
}
