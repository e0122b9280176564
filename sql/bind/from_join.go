package bind

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// joinOf binds a join.
func (b *binder) joinOf(e *sqlparser.JoinTableExpr) (*operand, error) {
	l, err := b.operand(e.LeftExpr)
	if err != nil {
		return nil, err
	}
	r, err := b.beside(l, e.RightExpr)
	if err != nil {
		return nil, err
	}
	out, err := joined(l, r)
	if err != nil {
		return nil, err
	}
	right := e.Join == sqlparser.RightJoinType || e.Join == sqlparser.NaturalRightJoinType
	switch e.Join {
	case sqlparser.NaturalJoinType, sqlparser.NaturalLeftJoinType, sqlparser.NaturalRightJoinType:
		err = out.using(l, r, common(l, r), right)
	default:
		switch c := e.Condition; {
		case c == nil:
		case len(c.Using) > 0:
			err = out.using(l, r, columnNames(c.Using), right)
		case c.On != nil:
			out.join.On, err = b.on(out, c.On)
		}
	}
	j := out.join
	j.Outer = right || e.Join == sqlparser.LeftJoinType || e.Join == sqlparser.NaturalLeftJoinType
	j.Straight = e.Join == sqlparser.StraightJoinType
	if right {
		j.Left, j.Right = j.Right, j.Left
	}
	return out, err
}

// on binds the condition of a join: names are those of its operands.
func (b *binder) on(o *operand, e sqlparser.Expr) (sqlparser.Expr, error) {
	if hasAggregate(e) {
		return nil, expr.NewError(1111, "HY000", "Invalid use of group function")
	}
	before, clause := b.names, b.clause
	b.names, b.clause = o.names, "on clause"
	defer func() { b.names, b.clause = before, clause }()
	return b.resolve(e, nil)
}

// common are the names of columns that both operands have, in the order of the left one.
func common(l, r *operand) (out []string) {
	for _, v := range l.names.visible {
		has := slices.ContainsFunc(r.names.visible, func(o visible) bool { return strings.EqualFold(o.name, v.name) })
		if has && !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, v.name) }) {
			out = append(out, v.name)
		}
	}
	return out
}

// using joins by columns of the same names, which * shows once, before the others, in the order of the first side. An outer
// join's first side is that whose rows are all kept, and its columns are those that are shown.
func (o *operand) using(l, r *operand, columns []string, right bool) error {
	var merged []visible
	used := map[sqlparser.Expr]bool{}
	for _, name := range columns {
		of := func(n *names) (*visible, error) {
			var found *visible
			for i := range n.visible {
				if !strings.EqualFold(n.visible[i].name, name) {
					continue
				}
				if found != nil {
					return nil, expr.NewError(1052, "23000", "Column '%s' in from clause is ambiguous", name)
				}
				found = &n.visible[i]
			}
			if found == nil {
				return nil, expr.NewError(1054, "42S22", "Unknown column '%s' in 'from clause'", name)
			}
			return found, nil
		}
		a, err := of(&l.names)
		if err != nil {
			return err
		}
		c, err := of(&r.names)
		if err != nil {
			return err
		}
		equal := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: a.to, Right: c.to}
		o.join.On = and(o.join.On, equal)
		used[a.to], used[c.to] = true, true
		if right {
			a = c
		}
		merged = append(merged, *a)
	}
	first, second := l, r
	if right {
		first, second = r, l
	}
	place := func(v visible) int {
		return slices.IndexFunc(first.names.visible, func(o visible) bool { return o.to == v.to })
	}
	slices.SortStableFunc(merged, func(a, b visible) int { return place(a) - place(b) })
	for _, side := range []*operand{first, second} {
		for _, v := range side.names.visible {
			if !used[v.to] {
				merged = append(merged, v)
			}
		}
	}
	o.names.visible = merged
	return nil
}
