package bind

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// ofComparison reports whether a subquery is the right side of a comparison that is bound as a whole.
func ofComparison(s *sqlparser.Subquery, parent sqlparser.SQLNode) bool {
	switch p := parent.(type) {
	case *sqlparser.ExistsExpr:
		return true
	case *sqlparser.ComparisonExpr:
		_, row := p.Left.(sqlparser.ValTuple)
		among := p.Operator == sqlparser.InOp || p.Operator == sqlparser.NotInOp
		if p.Right == sqlparser.Expr(s) {
			return among || p.Modifier != sqlparser.Missing || row
		}
		_, row = p.Right.(sqlparser.ValTuple)
		return row && !among
	}
	return false
}

// compared binds a comparison with the rows of a subquery; nil: it is none.
func (b *binder) compared(n *sqlparser.ComparisonExpr) (sqlparser.Expr, error) {
	sub, ok := n.Right.(*sqlparser.Subquery)
	left, op := n.Left, n.Operator
	if !ok {
		if sub, ok = n.Left.(*sqlparser.Subquery); !ok {
			return nil, nil
		}
		left, op = n.Right, mirrored(op)
	}
	s := &Subquery{Kind: OneRow, Op: op, Left: []sqlparser.Expr{left}}
	if row, ok := left.(sqlparser.ValTuple); ok {
		s.Left = row
	}
	switch {
	case op == sqlparser.InOp || op == sqlparser.NotInOp:
		s.Kind, s.Op = Any, sqlparser.EqualOp
	case n.Modifier == sqlparser.Any:
		s.Kind = Any
	case n.Modifier == sqlparser.All:
		s.Kind = All
	}
	e, err := b.subquery(s, sub)
	if err == nil && op == sqlparser.NotInOp {
		return &sqlparser.NotExpr{Expr: e}, nil
	}
	return e, err
}

// mirrored is a comparison with its sides exchanged.
func mirrored(op sqlparser.ComparisonExprOperator) sqlparser.ComparisonExprOperator {
	switch op {
	case sqlparser.LessThanOp:
		return sqlparser.GreaterThanOp
	case sqlparser.LessEqualOp:
		return sqlparser.GreaterEqualOp
	case sqlparser.GreaterThanOp:
		return sqlparser.LessThanOp
	case sqlparser.GreaterEqualOp:
		return sqlparser.LessEqualOp
	}
	return op
}

// subquery binds a subquery and returns the reference to its value.
func (b *binder) subquery(s *Subquery, n *sqlparser.Subquery) (sqlparser.Expr, error) {
	c := b.child()
	c.enclosing, c.exists = b.inside, s.Kind == Exists
	c.aggregates = b.clause == "where clause" || b.clause == "on clause"
	q, err := c.query(n.Select)
	if err != nil {
		return nil, err
	}
	if c.compacts {
		c.compact()
	}
	columns := max(len(s.Left), 1)
	if s.Kind != Exists && len(q.Items) != columns {
		return nil, expr.NewError(1241, "21000", "Operand should contain %d column(s)", columns)
	}
	s.Query = q
	b.q.Subqueries = append(b.q.Subqueries, s)
	return refer(subRow, len(b.q.Subqueries)-1), nil
}

// outerAggregate is the reference to an aggregate over columns of the query around this one alone, which is computed there;
// nil: it is not such, or the query is where the one around it can have no aggregate.
func (b *binder) outerAggregate(n sqlparser.AggrFunc) sqlparser.Expr {
	if b.enclosing == nil || b.aggregates || isWindow(n) || !hasReference(n, outerRow) || hasReference(n, columnRow) || hasReference(n, subRow) {
		return nil
	}
	moved := sqlparser.CopyOnRewrite(n, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if r, ok := RefOf(c.Node()); ok && r.Row == OfOuter {
			c.Replace(b.q.Outer[r.At])
		}
	}, nil).(sqlparser.Expr)
	b.q.Outer = append(b.q.Outer, moved)
	b.compacts = true
	return refer(outerRow, len(b.q.Outer)-1)
}

// compact removes what the query no longer refers to of the query around it: arguments of aggregates that are computed there.
func (b *binder) compact() {
	used := map[int]bool{}
	note := func(r Ref) {
		if r.Row == OfOuter {
			used[r.At] = true
		}
	}
	for _, e := range b.q.Expressions() {
		Refs(e, note)
	}
	for _, s := range b.q.Sources {
		for _, q := range s.queries() {
			for _, e := range q.Outer {
				Refs(e, note)
			}
		}
		for _, row := range s.Values {
			for _, e := range row {
				Refs(e, note)
			}
		}
	}
	for i := range b.q.Outer {
		if !used[i] {
			b.q.Outer[i] = &sqlparser.NullVal{} // its number stays: others refer to those behind it
		}
	}
}

// queries are those whose rows a source has.
func (s *Source) queries() []*Query {
	switch {
	case s.Set != nil:
		return []*Query{s.Set.Left, s.Set.Right}
	case s.Query != nil && s.CTE == nil:
		return []*Query{s.Query}
	}
	return nil
}

// Comparison is the comparison of values on the left with those of a row, by references of the two.
func (s *Subquery) Comparison(left, right func(i int) sqlparser.Expr) (sqlparser.Expr, error) {
	var l, r sqlparser.ValTuple
	for i := range s.Left {
		l, r = append(l, left(i)), append(r, right(i))
	}
	if len(l) == 1 {
		return &sqlparser.ComparisonExpr{Operator: s.Op, Left: l[0], Right: r[0]}, nil
	}
	return rowComparison(&sqlparser.ComparisonExpr{Operator: s.Op, Left: l, Right: r})
}
