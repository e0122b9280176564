package dialect

import "vitess.io/vitess/go/vt/sqlparser"

// WithKeys is a SELECT, UPDATE or DELETE of one table, and of no other query, whose lists of values
// of a column (IN) have only those values that keep names: no row with another value is at its
// destination. A list keeps one value at least. It is the statement itself if no list has others.
func (s *Statement) WithKeys(table Name, column string, schema Schema, keep func(Value) bool) *Statement {
	blocks := s.uses().blocks
	if len(blocks) != 1 || len(blocks[0].tables) != 1 || blocks[0].tables[0].name != table || blocks[0].where == nil {
		return s
	}
	b := blocks[0]
	of := member{0, fold(column)}
	where, changed := shortened(b.where, func(c *sqlparser.ColName) bool {
		m, ok := b.resolve(c, schema)
		return ok && m == of
	}, keep)
	if !changed {
		return s
	}
	out := *s
	out.Text = ""
	switch x := s.stmt.(type) {
	case *sqlparser.Select:
		c := *x
		c.Where = &sqlparser.Where{Type: x.Where.Type, Expr: where}
		out.parsed = s.with(x, &c)
	case *sqlparser.Update:
		c := *x
		c.Where = &sqlparser.Where{Type: x.Where.Type, Expr: where}
		out.stmt = &c
	case *sqlparser.Delete:
		c := *x
		c.Where = &sqlparser.Where{Type: x.Where.Type, Expr: where}
		out.stmt = &c
	default:
		return s
	}
	return &out
}

// shortened is a condition with shorter lists, among those conditions that must all hold.
func shortened(x sqlparser.Expr, ours func(*sqlparser.ColName) bool, keep func(Value) bool) (out sqlparser.Expr, changed bool) {
	switch x := x.(type) {
	case *sqlparser.AndExpr:
		l, left := shortened(x.Left, ours, keep)
		r, right := shortened(x.Right, ours, keep)
		if left || right {
			return &sqlparser.AndExpr{Left: l, Right: r}, true
		}
	case *sqlparser.ComparisonExpr:
		c, isColumn := x.Left.(*sqlparser.ColName)
		list, isList := x.Right.(sqlparser.ValTuple)
		if !isColumn || !isList || x.Operator != sqlparser.InOp || !ours(c) {
			break
		}
		var kept sqlparser.ValTuple
		for _, item := range list {
			if v, ok := valueOf(item); !ok || keep(v) {
				kept = append(kept, item)
			}
		}
		if len(kept) > 0 && len(kept) < len(list) {
			short := *x
			short.Right = kept
			return &short, true
		}
	}
	return x, false
}
