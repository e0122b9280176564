package bind

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
	"isochron/sql/parse"
)

// union binds a set operation: its result is the source of the query, which orders and limits it.
func (b *binder) union(s *sqlparser.Union) (*Query, error) {
	if s.Into != nil {
		return nil, expr.NewError(1064, "42000", "You have an error in your SQL syntax: INTO is not allowed in a query within another")
	}
	if err := b.with(s.With); err != nil {
		return nil, err
	}
	if parse.Wraps(s) {
		return b.whole(s)
	}
	right := lockedLast(s)
	set := &SetOperation{Op: Union, All: !s.Distinct}
	switch {
	case parse.Intersects(s):
		set.Op = Intersect
	case parse.Excepts(s):
		set.Op = Except
	}
	var err error
	if set.Left, err = b.arm(s.Left, b.depth); err != nil {
		return nil, err
	}
	if set.Right, err = b.arm(right, b.depth+1); err != nil {
		return nil, err
	}
	if len(set.Left.Items) != len(set.Right.Items) {
		return nil, expr.NewError(1222, "21000", "The used SELECT statements have a different number of columns")
	}
	var names []string
	for _, item := range set.Left.Items {
		names = append(names, item.Name)
	}
	return b.around(b.rows(&Source{Set: set}, names), s.OrderBy, s.Limit)
}

// whole binds a query that has an order or limit of its own, and another one around it.
func (b *binder) whole(s *sqlparser.Union) (*Query, error) {
	inner, err := b.side(s.Left, b.depth+1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, item := range inner.Items {
		names = append(names, item.Name)
	}
	return b.around(b.rows(&Source{Query: inner}, names), s.OrderBy, s.Limit)
}

// lockedLast is the right side of a set operation, with the locking clause behind it: it is that of the last SELECT.
func lockedLast(s *sqlparser.Union) sqlparser.TableStatement {
	right, ok := s.Right.(*sqlparser.Select)
	if !ok || s.Lock <= sqlparser.NoLock {
		return s.Right
	}
	locked := *right
	locked.Lock = s.Lock
	return &locked
}

// side binds a query whose rows another one has.
func (b *binder) side(tree sqlparser.TableStatement, depth int) (*Query, error) {
	c := b.child()
	c.enclosing, c.depth = b.outer, depth
	return c.query(tree)
}

// arm binds an operand of a set operation. Long lists of them are nested on the left and do not count as nested.
func (b *binder) arm(tree sqlparser.TableStatement, depth int) (*Query, error) {
	c := b.child()
	c.enclosing, c.depth, c.isArm = b.outer, depth, true
	return c.query(tree)
}

// around is all rows of an operand, ordered and limited.
func (b *binder) around(o *operand, order sqlparser.OrderBy, limit *sqlparser.Limit) (*Query, error) {
	b.q.From, b.names = o.join, o.names
	if err := b.star(&sqlparser.StarExpr{}); err != nil {
		return nil, err
	}
	for i := range b.q.Items { // they are columns of no table
		b.q.Items[i].Source, b.q.Items[i].Column = nil, -1
	}
	b.clause = "order clause"
	if err := b.orderBy(order); err != nil {
		return nil, err
	}
	if limit != nil {
		b.q.Offset, b.q.Count = limit.Offset, limit.Rowcount
	}
	return b.q, nil
}

func (b *binder) valuesQuery(s *sqlparser.ValuesStatement) (*Query, error) {
	if err := b.with(s.With); err != nil {
		return nil, err
	}
	o, err := b.values(s)
	if err != nil {
		return nil, err
	}
	return b.around(o, s.Order, s.Limit)
}

// with binds common table expressions, which what follows may name.
func (b *binder) with(w *sqlparser.With) error {
	if w == nil {
		return nil
	}
	for i, e := range w.CTEs {
		for _, o := range w.CTEs[:i] {
			if strings.EqualFold(o.ID.String(), e.ID.String()) {
				return expr.NewError(1066, "42000", "Not unique table/alias: '%s'", e.ID.String())
			}
		}
		cte := &CTE{Name: e.ID.String()}
		if err := b.defined(cte, e, w.Recursive && namesTable(e.Subquery, cte.Name)); err != nil {
			return err
		}
		b.ctes = &ctes{cte: cte, up: b.ctes}
		if len(cte.Query.Outer) > 0 {
			b.ctes.of, b.ctes.tree = b, e
			continue
		}
		b.q.CTEs = append(b.q.CTEs, cte)
	}
	return nil
}

// defined binds the query of a common table expression.
func (b *binder) defined(cte *CTE, e *sqlparser.CommonTableExpr, recursive bool) (err error) {
	tree, step := e.Subquery, sqlparser.TableStatement(nil)
	if recursive {
		u, ok := tree.(*sqlparser.Union)
		if !ok || u.Lock != sqlparser.NoLock || u.With != nil || len(u.OrderBy) > 0 {
			return unsupported("this recursion")
		}
		if u.Limit != nil {
			cte.Offset, cte.Count = u.Limit.Offset, u.Limit.Rowcount
		}
		if namesTable(u.Left, cte.Name) {
			return expr.NewError(3573, "HY000", "Recursive Common Table Expression '%s' should have one or more non-recursive query blocks followed by one or more recursive ones", cte.Name)
		}
		tree, step, cte.Distinct = u.Left, u.Right, u.Distinct
	}
	if cte.Query, err = b.side(tree, b.depth+1); err != nil {
		return err
	}
	if cte.Columns, err = itemNames(cte.Query, columnNames(e.Columns)); err != nil || step == nil {
		return err
	}
	c := b.child()
	c.enclosing, c.ctes = b.outer, &ctes{cte: cte, up: b.ctes, round: true}
	if cte.Step, err = c.query(step); err != nil {
		return err
	}
	if len(cte.Step.Items) != len(cte.Columns) {
		return expr.NewError(1222, "21000", "The used SELECT statements have a different number of columns")
	}
	if cte.Step.Grouped || cte.Step.Distinct || len(cte.Step.Order) > 0 || cte.Step.Count != nil || len(cte.Step.Windows) > 0 {
		return expr.NewError(3575, "HY000", "Recursive Common Table Expression '%s' can contain neither aggregation nor window functions in recursive query block", cte.Name)
	}
	return b.uncorrelated(cte.Step, b.uncorrelated(cte.Query, nil))
}

// uncorrelated refuses a query that refers to the queries around it.
func (b *binder) uncorrelated(q *Query, err error) error {
	if err == nil && q != nil && len(q.Outer) > 0 {
		return unsupported("a common table expression that refers to a query around it")
	}
	return err
}

// namesTable reports whether a FROM clause of a query names a table.
func namesTable(tree sqlparser.SQLNode, name string) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if t, ok := n.(*sqlparser.AliasedTableExpr); ok {
			if n, ok := t.Expr.(sqlparser.TableName); ok && n.Qualifier.IsEmpty() && strings.EqualFold(n.Name.String(), name) {
				found = true
			}
		}
		return !found, nil
	}, tree)
	return found
}

// namesWindow reports whether a SELECT has a window by a name.
func namesWindow(s *sqlparser.Select) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if o, ok := n.(*sqlparser.OverClause); ok && (!o.WindowName.IsEmpty() || o.WindowSpec != nil && !o.WindowSpec.Name.IsEmpty()) {
			found = true
		}
		_, sub := n.(sqlparser.TableStatement)
		return !found && (!sub || n == sqlparser.SQLNode(s)), nil
	}, s)
	return found
}

// inlined is a SELECT whose windows have no names: those of its WINDOW clause are put in the place of their names.
func inlined(s *sqlparser.Select) (*sqlparser.Select, error) {
	if len(s.Windows) == 0 && !namesWindow(s) {
		return s, nil
	}
	named := map[string]*sqlparser.WindowSpecification{}
	for _, list := range s.Windows {
		for _, w := range list.Windows {
			name := w.Name.Lowered()
			if named[name] != nil {
				return nil, expr.NewError(3591, "HY000", "Window '%s' is defined twice.", w.Name.String())
			}
			named[name] = w.WindowSpec
		}
	}
	var failed error
	var whole func(w *sqlparser.WindowSpecification, depth int) *sqlparser.WindowSpecification
	of := func(name sqlparser.IdentifierCI, depth int) *sqlparser.WindowSpecification {
		base := named[name.Lowered()]
		switch {
		case base == nil:
			failed = expr.NewError(3579, "HY000", "Window name '%s' is not defined.", name.String())
		case depth > len(named):
			failed = expr.NewError(3580, "HY000", "There is a circularity in the window dependency graph.")
		default:
			return whole(base, depth+1)
		}
		return &sqlparser.WindowSpecification{}
	}
	whole = func(w *sqlparser.WindowSpecification, depth int) *sqlparser.WindowSpecification {
		if w.Name.IsEmpty() {
			return w
		}
		base := of(w.Name, depth)
		out := *w
		out.Name = sqlparser.IdentifierCI{}
		switch {
		case failed != nil:
		case len(w.PartitionClause) > 0:
			failed = expr.NewError(3581, "HY000", "A window which depends on another cannot define partitioning.")
		case len(w.OrderClause) > 0 && len(base.OrderClause) > 0:
			failed = expr.NewError(3583, "HY000", "Window '<unnamed window>' cannot inherit '%s' since both contain an ORDER BY clause.", w.Name.String())
		case base.FrameClause != nil:
			failed = expr.NewError(3582, "HY000", "Window '%s' has a frame definition, so cannot be referenced by another window.", w.Name.String())
		}
		out.PartitionClause = base.PartitionClause
		if len(out.OrderClause) == 0 {
			out.OrderClause = base.OrderClause
		}
		return &out
	}
	out := sqlparser.CopyOnRewrite(s, func(n, _ sqlparser.SQLNode) bool {
		_, sub := n.(sqlparser.TableStatement)
		return !sub || n == sqlparser.SQLNode(s)
	}, func(c *sqlparser.CopyOnWriteCursor) {
		o, ok := c.Node().(*sqlparser.OverClause)
		if !ok {
			return
		}
		if !o.WindowName.IsEmpty() {
			c.Replace(&sqlparser.OverClause{WindowSpec: of(o.WindowName, 0)})
		} else if o.WindowSpec != nil && !o.WindowSpec.Name.IsEmpty() {
			c.Replace(&sqlparser.OverClause{WindowSpec: whole(o.WindowSpec, 0)})
		}
	}, nil).(*sqlparser.Select)
	out.Windows = nil
	return out, failed
}
