package window

import (
	"strconv"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Rewrite changes a statement so that the engine plans its aggregates and windows as they
// are meant. Aggregates over a window get names of their own; a window over groups is put
// over a derived table that makes the groups; and an aggregate in a subquery is distinguished
// from one of the same words outside (apart).
func Rewrite(stmt sqlparser.Statement) error {
	found := false
	err := sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch n := node.(type) {
		case *sqlparser.Select:
			overGroups(n)
		case *sqlparser.FuncExpr:
			if n.Over == nil {
				found = found || isAggregate(n)
				break
			}
			return true, rename(n)
		case *sqlparser.GroupConcatExpr:
			found = true
		}
		return true, nil
	}, stmt)
	if err == nil && found {
		apart(stmt, nil)
	}
	return err
}

// rename names an aggregate over a window.
func rename(f *sqlparser.FuncExpr) error {
	name := f.Name.Lowered()
	if !sqlparser.Aggregates[name] && name != "any_value" {
		return nil
	}
	if f.Distinct {
		return mysql.NewSQLError(1235, "42000", "This version doesn't yet support '<window function>(DISTINCT ..)'")
	}
	if name == "count" && len(f.Exprs) == 1 {
		if _, all := f.Exprs[0].(*sqlparser.StarExpr); all {
			f.Exprs = sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: sqlparser.NewIntVal([]byte("1"))}}
		}
	}
	f.Name = sqlparser.NewColIdent(mark + name)
	return nil
}

func isAggregate(f *sqlparser.FuncExpr) bool {
	return f.Over == nil && (f.IsAggregate() || f.Name.EqualString("any_value"))
}

// within calls visit for each node, but for those inside of subqueries.
func within(visit func(sqlparser.SQLNode) bool, nodes ...sqlparser.SQLNode) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if !visit(node) {
			return false, nil
		}
		_, inner := node.(*sqlparser.Subquery)
		return !inner, nil
	}, nodes...)
}

// groupsOf reports whether there are windows, and aggregates without one.
func groupsOf(nodes ...sqlparser.SQLNode) (windows, aggregates bool) {
	within(func(node sqlparser.SQLNode) bool {
		switch n := node.(type) {
		case *sqlparser.FuncExpr:
			windows = windows || n.Over != nil
			aggregates = aggregates || isAggregate(n)
		case *sqlparser.GroupConcatExpr:
			aggregates = true
		}
		return true
	}, nodes...)
	return windows, aggregates
}

// The names of the derived table that makes the groups, and of its columns.
const (
	groupsTable  = "isochron groups"
	groupsColumn = "isochron group "
)

// grouping splits a SELECT with windows over groups.
type grouping struct {
	outer, inner *sqlparser.Select
	columns      map[string]string // of the derived table, by their text
	taken        map[string]bool   // names of its columns
}

// overGroups puts the windows of a SELECT over a derived table that makes its groups.
func overGroups(s *sqlparser.Select) {
	windows, aggregates := groupsOf(s.SelectExprs, s.OrderBy)
	if windows && s.QueryOpts.Distinct {
		orderByName(s)
	}
	grouped := aggregates || len(s.GroupBy) > 0 || s.Having != nil
	for _, e := range s.SelectExprs {
		if _, ok := e.(*sqlparser.AliasedExpr); !ok {
			return // the columns of a * are not known here
		}
	}
	hidden := namedHaving(s)
	if len(hidden) == 0 && (!windows || !grouped) {
		return
	}
	if !windows && s.QueryOpts.Distinct {
		orderByName(s)
	}
	g := &grouping{outer: s, columns: map[string]string{}, taken: map[string]bool{}}
	g.inner = &sqlparser.Select{From: s.From, Where: s.Where, GroupBy: s.GroupBy, Having: s.Having, Lock: s.Lock, SelectExprs: hidden}
	g.ordinals()
	names := map[string]bool{}
	for _, windows := range []bool{false, true} { // the others first: windows may be over them
		for _, e := range s.SelectExprs {
			item := e.(*sqlparser.AliasedExpr)
			if has, _ := groupsOf(item.Expr); has == windows {
				g.item(item)
				names[item.As.Lowered()] = true
			}
		}
	}
	for _, o := range s.OrderBy {
		if c, ok := o.Expr.(*sqlparser.ColName); ok && c.Qualifier.IsEmpty() && names[c.Name.Lowered()] {
			continue
		}
		if v, ok := o.Expr.(*sqlparser.SQLVal); !ok || v.Type != sqlparser.IntVal {
			o.Expr = g.lift(o.Expr)
		}
	}
	for _, w := range s.Window {
		g.liftWindow(w)
	}
	if len(g.inner.SelectExprs) == 0 {
		g.column(sqlparser.NewIntVal([]byte("1")), "")
	}
	s.From = sqlparser.TableExprs{&sqlparser.AliasedTableExpr{
		Auth: sqlparser.AuthInformation{AuthType: sqlparser.AuthType_IGNORE}, // its own tables are asked about
		Expr: &sqlparser.Subquery{Select: g.inner}, As: sqlparser.NewTableIdent(groupsTable),
	}}
	s.Where, s.GroupBy, s.Having, s.Lock = nil, nil, nil, nil
}

// orderByName puts names in the place of numbers in ORDER BY: what DISTINCT is left of is
// found by its name.
func orderByName(s *sqlparser.Select) {
	for _, o := range s.OrderBy {
		if e := ordinal(o.Expr, s.SelectExprs); e != nil {
			e.As = sqlparser.NewColIdent(shownName(e))
			o.Expr = &sqlparser.ColName{Name: e.As}
		}
	}
}

// ordinal is the item that a number names.
func ordinal(e sqlparser.Expr, items sqlparser.SelectExprs) *sqlparser.AliasedExpr {
	v, ok := e.(*sqlparser.SQLVal)
	if !ok || v.Type != sqlparser.IntVal {
		return nil
	}
	if n, err := strconv.Atoi(string(v.Val)); err == nil && n >= 1 && n <= len(items) {
		item, _ := items[n-1].(*sqlparser.AliasedExpr)
		return item
	}
	return nil
}

// shownName returns the name of a column of a list.
func shownName(item *sqlparser.AliasedExpr) string {
	if !item.As.IsEmpty() {
		return item.As.String()
	}
	if c, ok := item.Expr.(*sqlparser.ColName); ok {
		return c.Name.String()
	}
	if item.InputExpression != "" {
		return item.InputExpression
	}
	return sqlparser.String(item.Expr)
}

// ordinals puts expressions in the place of numbers in GROUP BY.
func (g *grouping) ordinals() {
	for i, e := range g.inner.GroupBy {
		if item := ordinal(e, g.outer.SelectExprs); item != nil {
			g.inner.GroupBy[i] = item.Expr
		}
	}
}

// item has a column of the list come from the derived table, under the name that it has.
func (g *grouping) item(item *sqlparser.AliasedExpr) {
	shown := shownName(item)
	if windows, _ := groupsOf(item.Expr); windows {
		item.Expr = g.lift(item.Expr)
	} else {
		item.Expr = g.column(item.Expr, item.As.String())
	}
	item.As = sqlparser.NewColIdent(shown)
}

// column adds a column to the derived table and refers to it. One with an alias keeps it, for
// GROUP BY and HAVING may name it.
func (g *grouping) column(e sqlparser.Expr, alias string) sqlparser.Expr {
	text := sqlparser.String(e)
	name, ok := g.columns[text]
	if !ok || alias != "" {
		if name = alias; name == "" || g.taken[sqlparser.NewColIdent(name).Lowered()] {
			name = groupsColumn + strconv.Itoa(len(g.inner.SelectExprs)+1)
		}
		as := sqlparser.NewColIdent(name)
		g.columns[text], g.taken[as.Lowered()] = name, true
		g.inner.SelectExprs = append(g.inner.SelectExprs, &sqlparser.AliasedExpr{Expr: e, As: as})
	}
	return &sqlparser.ColName{Name: sqlparser.NewColIdent(name), Qualifier: sqlparser.TableName{Name: sqlparser.NewTableIdent(groupsTable)}}
}

// lift has what an expression with windows is made of come from the derived table.
func (g *grouping) lift(e sqlparser.Expr) sqlparser.Expr {
	var parts []sqlparser.Expr
	within(func(node sqlparser.SQLNode) bool {
		if whole, ok := node.(sqlparser.Expr); ok && g.isColumn(whole) {
			parts = append(parts, whole)
			return false
		}
		switch n := node.(type) {
		case *sqlparser.Over:
			return false // below
		case *sqlparser.FuncExpr:
			if n.Over != nil {
				g.liftWindow((*sqlparser.WindowDef)(n.Over))
			} else if isAggregate(n) {
				parts = append(parts, n)
				return false
			}
		case *sqlparser.GroupConcatExpr:
			parts = append(parts, n)
			return false
		case *sqlparser.ExistsExpr:
			parts = append(parts, n)
			return false
		case *sqlparser.Subquery:
			parts = append(parts, n)
			return false
		case *sqlparser.ColName:
			if n.Name.Lowered()[0] != '@' {
				parts = append(parts, n)
			}
			return false
		}
		return true
	}, e)
	for _, part := range parts {
		e = sqlparser.ReplaceExpr(e, part, g.column(part, ""))
	}
	return e
}

// isColumn reports whether the derived table has an expression, or groups by it.
func (g *grouping) isColumn(e sqlparser.Expr) bool {
	text := sqlparser.String(e)
	if _, ok := g.columns[text]; ok {
		return true
	}
	for _, by := range g.inner.GroupBy {
		if sqlparser.String(by) == text {
			return true
		}
	}
	return false
}

func (g *grouping) liftWindow(w *sqlparser.WindowDef) {
	for i, e := range w.PartitionBy {
		w.PartitionBy[i] = g.lift(e)
	}
	for _, o := range w.OrderBy {
		o.Expr = g.lift(o.Expr)
	}
}

// apart distinguishes the aggregates of subqueries from the aggregates around them. The engine
// finds an aggregate by its text, and takes a query's aggregate around it for one of the same text.
func apart(node sqlparser.SQLNode, around map[string]int) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		s, ok := n.(*sqlparser.Select)
		if !ok {
			return true, nil
		}
		all := map[string]int{}
		for name, depth := range around {
			all[name] = depth
		}
		within(func(n sqlparser.SQLNode) bool {
			switch f := n.(type) {
			case *sqlparser.FuncExpr:
				if isAggregate(f) {
					all[f.Name.Lowered()] = around[f.Name.Lowered()] + 1
					f.Exprs = differ(f.Exprs, around[f.Name.Lowered()], len(s.From) > 0)
				}
			case *sqlparser.GroupConcatExpr:
				all["group_concat"] = around["group_concat"] + 1
				f.Exprs = differ(f.Exprs, around["group_concat"], len(s.From) > 0)
			}
			return true
		}, s.SelectExprs, s.Having, s.OrderBy)
		for _, part := range []sqlparser.SQLNode{s.With, s.From, s.Where} {
			apart(part, around)
		}
		for _, part := range []sqlparser.SQLNode{s.SelectExprs, s.Having, s.OrderBy} {
			apart(part, all)
		}
		return false, nil
	}, node)
}

// differ gives the arguments of an aggregate other words for the same values.
func differ(args sqlparser.SelectExprs, times int, from bool) sqlparser.SelectExprs {
	if times == 0 || !from || len(args) == 0 {
		return args
	}
	arg := &sqlparser.AliasedExpr{Expr: sqlparser.NewIntVal([]byte("1"))}
	if first, ok := args[0].(*sqlparser.AliasedExpr); ok {
		*arg = *first
	}
	for range times {
		arg = &sqlparser.AliasedExpr{Expr: &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("coalesce"), Exprs: sqlparser.SelectExprs{arg}}}
	}
	return append(sqlparser.SelectExprs{arg}, args[1:]...)
}
