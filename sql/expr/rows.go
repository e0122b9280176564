package expr

import "vitess.io/vitess/go/vt/sqlparser"

// Comparisons of rows, as AND and OR of comparisons of their columns (the manual's 14.4.2): so each pair is compared by its
// types, and only as long as it matters.

// rowComparison is a comparison of rows by columns; nil: it is none. Calls of ours are slots in it.
func (b *compiler) rowComparison(e *sqlparser.ComparisonExpr, literal *bool) (sqlparser.Expr, error) {
	left, ok := e.Left.(sqlparser.ValTuple)
	right, both := e.Right.(sqlparser.ValTuple)
	if !ok || !both {
		return nil, nil
	}
	left, err := b.singles(left, literal)
	if err != nil {
		return nil, err
	}
	if e.Operator == sqlparser.InOp || e.Operator == sqlparser.NotInOp {
		return b.rowIn(e, left, right, literal)
	}
	if _, plain := comparisons[e.Operator]; !plain || len(left) != len(right) {
		return nil, nil
	}
	if right, err = b.singles(right, literal); err != nil {
		return nil, err
	}
	return compareRows(e.Operator, left, right), nil
}

func (b *compiler) rowIn(e *sqlparser.ComparisonExpr, left, list sqlparser.ValTuple, literal *bool) (out sqlparser.Expr, err error) {
	for _, item := range list {
		row, ok := item.(sqlparser.ValTuple)
		if !ok || len(row) != len(left) {
			return nil, nil
		}
		if row, err = b.singles(row, literal); err != nil {
			return nil, err
		}
		out = orWith(out, compareRows(sqlparser.EqualOp, left, row))
	}
	if e.Operator == sqlparser.NotInOp {
		out = &sqlparser.NotExpr{Expr: out}
	}
	return out, nil
}

// singles are the columns of a row, each of which is compiled once.
func (b *compiler) singles(row sqlparser.ValTuple, literal *bool) (out sqlparser.ValTuple, err error) {
	for _, e := range row {
		if e, err = b.single(e, literal); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// strict are the comparisons of the columns before the last one.
var strict = map[sqlparser.ComparisonExprOperator]sqlparser.ComparisonExprOperator{
	sqlparser.LessThanOp: sqlparser.LessThanOp, sqlparser.LessEqualOp: sqlparser.LessThanOp,
	sqlparser.GreaterThanOp: sqlparser.GreaterThanOp, sqlparser.GreaterEqualOp: sqlparser.GreaterThanOp,
}

func compareRows(op sqlparser.ComparisonExprOperator, left, right sqlparser.ValTuple) sqlparser.Expr {
	one := func(op sqlparser.ComparisonExprOperator) sqlparser.Expr {
		if l, ok := left[0].(sqlparser.ValTuple); ok {
			if r, ok := right[0].(sqlparser.ValTuple); ok && len(l) == len(r) {
				return compareRows(op, l, r)
			}
		}
		return &sqlparser.ComparisonExpr{Operator: op, Left: left[0], Right: right[0]}
	}
	if len(left) == 1 {
		return one(op)
	}
	rest := compareRows(op, left[1:], right[1:])
	switch op {
	case sqlparser.EqualOp, sqlparser.NullSafeEqualOp:
		return &sqlparser.AndExpr{Left: one(op), Right: rest}
	case sqlparser.NotEqualOp:
		return &sqlparser.OrExpr{Left: one(op), Right: rest}
	}
	return &sqlparser.OrExpr{Left: one(strict[op]), Right: &sqlparser.AndExpr{Left: one(sqlparser.EqualOp), Right: rest}}
}

func orWith(e, next sqlparser.Expr) sqlparser.Expr {
	if e == nil {
		return next
	}
	return &sqlparser.OrExpr{Left: e, Right: next}
}
