package bind

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// tail binds GROUP BY, HAVING and ORDER BY, and takes the aggregates out of the expressions.
func (b *binder) tail(s *sqlparser.Select) error {
	b.clause = "group statement"
	if err := b.groupBy(s.GroupBy); err != nil {
		return err
	}
	b.clause = "having clause"
	having, err := b.having(s.Having)
	if err != nil {
		return err
	}
	b.clause = "order clause"
	if err := b.orderBy(s.OrderBy); err != nil {
		return err
	}
	b.q.Grouped = len(b.q.Keys) > 0 || hasAggregate(having)
	for _, item := range b.q.Items {
		b.q.Grouped = b.q.Grouped || hasAggregate(item.Expr)
	}
	for _, o := range b.q.Order {
		b.q.Grouped = b.q.Grouped || hasAggregate(o.Expr)
	}
	for _, s := range b.q.Subqueries {
		for _, e := range append(slices.Clone(s.Left), s.Query.Outer...) {
			b.q.Grouped = b.q.Grouped || hasAggregate(e)
		}
	}
	b.q.Having = having
	if !b.q.Grouped {
		if b.q.Rollup {
			return unsupported("WITH ROLLUP without keys")
		}
		return b.windows()
	}
	if err := b.lift(); err != nil {
		return err
	}
	return b.windows()
}

func (b *binder) groupBy(g *sqlparser.GroupBy) error {
	if g == nil {
		return nil
	}
	b.q.Rollup = g.WithRollup
	for _, e := range g.Exprs {
		if at, ok := itemNumber(e); ok {
			if at < 1 || at > len(b.q.Items) {
				return b.beyond(at)
			}
			e = b.q.Items[at-1].Expr
		}
		key, err := b.resolve(e, b.columnsFirst)
		if err != nil {
			return err
		}
		if hasAggregate(key) {
			return expr.NewError(1056, "42000", "Can't group on '%s'", sqlparser.String(e))
		}
		b.q.Keys = append(b.q.Keys, key)
	}
	return nil
}

// beyond is the error of a position that the select list does not have.
func (b *binder) beyond(at int) error {
	return &PositionError{expr.NewError(1054, "42S22", "Unknown column '%d' in '%s'", at, b.clauseName())}
}

// itemNumber is the position that a whole number in GROUP BY or ORDER BY stands for.
func itemNumber(e sqlparser.Expr) (int, bool) {
	lit, ok := e.(*sqlparser.Literal)
	if !ok || lit.Type != sqlparser.IntVal {
		return 0, false
	}
	n, err := strconv.Atoi(lit.Val)
	return n, err == nil
}

func (b *binder) having(w *sqlparser.Where) (sqlparser.Expr, error) {
	if w == nil {
		return nil, nil
	}
	return b.resolve(w.Expr, b.havingFirst)
}

func (b *binder) orderBy(list sqlparser.OrderBy) error {
	for _, o := range list {
		out := Order{Item: -1, Descending: o.Direction == sqlparser.DescOrder}
		if at, ok := itemNumber(o.Expr); ok {
			if at < 1 || at > len(b.q.Items) {
				return b.beyond(at)
			}
			out.Item, out.Expr = at-1, b.q.Items[at-1].Expr
		} else {
			e, err := b.resolve(o.Expr, b.aliasesFirst)
			if err != nil {
				return err
			}
			out.Expr = e
			out.Item = slices.IndexFunc(b.q.Items, func(i Item) bool { return sqlparser.Equals.Expr(i.Expr, e) })
		}
		if b.q.Distinct && out.Item < 0 {
			return expr.NewError(3065, "HY000", "Expression #%d of ORDER BY clause is not in SELECT list, references column which is not in SELECT list; this is incompatible with DISTINCT", len(b.q.Order)+1)
		}
		b.q.Order = append(b.q.Order, out)
	}
	return nil
}

// hasAggregate reports whether an expression has an aggregate.
func hasAggregate(e sqlparser.Expr) (found bool) {
	if e == nil {
		return false
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case sqlparser.AggrFunc:
			found = found || !isWindow(n)
		case *sqlparser.Subquery:
			return false, nil
		}
		return !found, nil
	}, e)
	return found
}

// lift has items, HAVING and ORDER BY refer to rows of groups.
func (b *binder) lift() (err error) {
	lifted := make([]Item, len(b.q.Items))
	for i, item := range b.q.Items {
		b.lifting = i + 1
		if item.Expr, err = b.ofGroup(item.Expr); err != nil {
			return err
		}
		lifted[i] = item
	}
	for i := range b.q.Order {
		o := &b.q.Order[i]
		if o.Expr, err = b.ofGroup(o.Expr); err != nil {
			return err
		}
	}
	if b.q.Having != nil {
		if b.q.Having, err = b.ofGroup(b.q.Having); err != nil {
			return err
		}
	}
	b.q.Items = lifted
	b.rolledLast()
	return nil
}

// rolledUp stands for the last column of a row of groups until the number of aggregates is known.
const rolledUp = 1 << 30

// ofGroup replaces keys and aggregates in an expression by references to a row of groups.
func (b *binder) ofGroup(e sqlparser.Expr) (sqlparser.Expr, error) {
	var failed error
	stop := func(n sqlparser.SQLNode) bool {
		e, ok := n.(sqlparser.Expr)
		if !ok {
			return false
		}
		if _, ok := n.(sqlparser.AggrFunc); ok && !isWindow(n) {
			return true
		}
		return b.key(e) >= 0 || isGrouping(e)
	}
	pre := func(n, _ sqlparser.SQLNode) bool { return failed == nil && !stop(n) }
	post := func(c *sqlparser.CopyOnWriteCursor) {
		n, ok := c.Node().(sqlparser.Expr)
		if failed != nil || !ok {
			return
		}
		var to sqlparser.Expr
		var err error
		if avg, ok := n.(*sqlparser.Avg); ok && !avg.Distinct && !isWindow(avg) && computes(c.Parent()) {
			to, err = b.quotient(avg)
		} else {
			to, err = b.lifted(n)
		}
		if err != nil {
			failed = err
		} else if to != nil {
			c.Replace(to)
		}
	}
	out := sqlparser.CopyOnRewrite(e, pre, post, nil)
	if failed != nil {
		return nil, failed
	}
	return out.(sqlparser.Expr), nil
}

// computes reports whether an expression computes with all digits of a number, more than the number's type has.
func computes(e sqlparser.SQLNode) bool {
	switch e := e.(type) {
	case *sqlparser.BinaryExpr:
		return e.Operator == sqlparser.PlusOp || e.Operator == sqlparser.MinusOp || e.Operator == sqlparser.MultOp || e.Operator == sqlparser.DivOp
	case *sqlparser.ComparisonExpr, *sqlparser.BetweenExpr, *sqlparser.FuncExpr, *sqlparser.CastExpr, *sqlparser.ConvertExpr:
		return true
	}
	return false
}

// quotient is AVG as the quotient that it is, of a sum and a number of rows.
func (b *binder) quotient(a *sqlparser.Avg) (sqlparser.Expr, error) {
	sum, err := b.aggregate(&sqlparser.Sum{Arg: a.Arg})
	if err != nil {
		return nil, err
	}
	count, err := b.aggregate(&sqlparser.Count{Args: []sqlparser.Expr{a.Arg}})
	if err != nil {
		return nil, err
	}
	return &sqlparser.BinaryExpr{Operator: sqlparser.DivOp, Left: sum, Right: count}, nil
}

// lifted is what an expression is in a row of groups; nil: it stays.
func (b *binder) lifted(e sqlparser.Expr) (sqlparser.Expr, error) {
	if at := b.key(e); at >= 0 {
		return refer(groupRow, at), nil
	}
	if isGrouping(e) {
		return b.grouping(e.(*sqlparser.FuncExpr))
	}
	if a, ok := e.(sqlparser.AggrFunc); ok && !isWindow(e) {
		return b.aggregate(a)
	}
	if at, ok := reference(e, OfSubqueries); ok {
		return nil, b.liftSubquery(b.q.Subqueries[at])
	}
	at, ok := Column(e)
	if !ok {
		return nil, nil
	}
	if b.scope.FullGroup && !b.determined()[at] {
		return nil, b.notGrouped(at)
	}
	return b.aggregate(&sqlparser.AnyValue{Arg: e})
}

// key is which key of the groups an expression is, -1 if it is none.
func (b *binder) key(e sqlparser.Expr) int {
	return slices.IndexFunc(b.q.Keys, func(k sqlparser.Expr) bool { return sqlparser.Equals.Expr(k, e) })
}

// liftSubquery has what a subquery refers to refer to rows of groups.
func (b *binder) liftSubquery(s *Subquery) (err error) {
	if s.lifted {
		return nil
	}
	s.lifted, s.Grouped = true, true
	for _, list := range [][]sqlparser.Expr{s.Left, s.Query.Outer} {
		for i, e := range list {
			if list[i], err = b.ofGroup(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// determined are the positions of the columns that have one value in a group: those of the keys, those that equal a value or
// such a column, and all of a table whose primary or unique key has one.
func (b *binder) determined() map[int]bool {
	if b.fixed != nil {
		return b.fixed
	}
	b.fixed = map[int]bool{}
	for _, k := range b.q.Keys {
		if at, ok := Column(k); ok {
			b.fixed[at] = true
		}
	}
	equal := append(conjunction(b.q.Where), innerConditions(b.q.From)...)
	for changed := true; changed; {
		changed = false
		note := func(at int) { changed, b.fixed[at] = changed || !b.fixed[at], true }
		for _, part := range equal {
			eq, ok := part.(*sqlparser.ComparisonExpr)
			if !ok || eq.Operator != sqlparser.EqualOp {
				continue
			}
			for _, side := range [][2]sqlparser.Expr{{eq.Left, eq.Right}, {eq.Right, eq.Left}} {
				if at, ok := Column(side[0]); ok && b.hasOneValue(side[1]) {
					note(at)
				}
			}
		}
		for _, s := range b.q.Sources {
			if s.Table != nil && b.keyed(s) {
				for i := range s.Width {
					note(s.First + i)
				}
			}
		}
	}
	return b.fixed
}

// hasOneValue reports whether an expression has one value in a group.
func (b *binder) hasOneValue(e sqlparser.Expr) bool {
	if at, ok := Column(e); ok {
		return b.fixed[at]
	}
	_, outer := reference(e, OfOuter)
	return outer || isValue(e)
}

// keyed reports whether a primary or unique key of a table has one value in a group.
func (b *binder) keyed(s *Source) bool {
	has := func(columns []int, nullable bool) bool {
		for _, pos := range columns {
			if !b.fixed[s.First+pos] || !nullable && s.Table.Record.Columns[pos].Nullable {
				return false
			}
		}
		return len(columns) > 0
	}
	if !s.Table.Keyless() && has(s.Table.Primary.Columns, true) {
		return true
	}
	for _, x := range s.Table.Indexes {
		if x.Unique && !x.HasPrefixes() && has(x.Columns, false) {
			return true
		}
	}
	return false
}

// innerConditions are the conditions of joins that all rows fulfil.
func innerConditions(j *Join) (out []sqlparser.Expr) {
	if j == nil || j.Source != nil {
		return nil
	}
	out = innerConditions(j.Left)
	if !j.Outer {
		out = append(append(out, innerConditions(j.Right)...), conjunction(j.On)...)
	}
	return out
}

// conjunction are the parts of a filter that must all be true.
func conjunction(e sqlparser.Expr) []sqlparser.Expr {
	if e == nil {
		return nil
	}
	if and, ok := e.(*sqlparser.AndExpr); ok {
		return append(conjunction(and.Left), conjunction(and.Right)...)
	}
	return []sqlparser.Expr{e}
}

func isValue(e sqlparser.Expr) bool {
	switch e.(type) {
	case *sqlparser.Literal, *sqlparser.Argument:
		return true
	}
	return false
}

// notGrouped is MySQL's error for a column that a group does not decide.
func (b *binder) notGrouped(at int) error {
	name := b.columnName(at)
	if len(b.q.Keys) == 0 {
		return expr.NewError(1140, "42000", "In aggregated query without GROUP BY, expression #%d of SELECT list contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by", b.lifting, name)
	}
	return expr.NewError(1055, "42000", "Expression #%d of SELECT list is not in GROUP BY clause and contains nonaggregated column '%s' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by", b.lifting, name)
}

// columnName is a column with its table and database, for errors.
func (b *binder) columnName(at int) string {
	s, column := b.q.SourceOf(at)
	name := ""
	for _, v := range b.names.visible {
		if pos, ok := Column(v.to); ok && pos == at {
			name = v.name
		}
	}
	if s == nil || s.Table == nil {
		return name
	}
	return fmt.Sprintf("%s.%s.%s", s.Table.Record.Database, s.Alias, s.Table.Record.Columns[column].Name)
}

// aggregate is the reference to an aggregate, which is computed once however often it is named.
func (b *binder) aggregate(a sqlparser.AggrFunc) (sqlparser.Expr, error) {
	for _, arg := range a.GetArgs() {
		if hasAggregate(arg) {
			return nil, expr.NewError(1111, "HY000", "Invalid use of group function")
		}
	}
	at := slices.IndexFunc(b.q.Aggregates, func(o sqlparser.AggrFunc) bool { return sqlparser.Equals.Expr(o, a) })
	if at < 0 {
		at = len(b.q.Aggregates)
		b.q.Aggregates = append(b.q.Aggregates, a)
	}
	return refer(groupRow, len(b.q.Keys)+at), nil
}

func isGrouping(e sqlparser.Expr) bool {
	f, ok := e.(*sqlparser.FuncExpr)
	return ok && strings.EqualFold(f.Name.String(), "grouping")
}

// grouping is GROUPING(key): 1 in a row in which the key is rolled up.
func (b *binder) grouping(f *sqlparser.FuncExpr) (sqlparser.Expr, error) {
	if len(f.Exprs) != 1 || !b.q.Rollup {
		return nil, unsupported("this GROUPING")
	}
	at := b.key(f.Exprs[0])
	if at < 0 {
		return nil, unsupported("GROUPING of what is no key")
	}
	behind := len(b.q.Keys) - 1 - at // keys behind it are rolled up first
	return &sqlparser.ComparisonExpr{Operator: sqlparser.GreaterThanOp, Left: refer(groupRow, rolledUp), Right: sqlparser.NewIntLiteral(strconv.Itoa(behind))}, nil
}

// rolledLast has the references to the number of keys rolled up refer to the last column.
func (b *binder) rolledLast() {
	last := len(b.q.Keys) + len(b.q.Aggregates)
	fix := func(e sqlparser.Expr) sqlparser.Expr {
		if e == nil {
			return nil
		}
		return sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
			if n, ok := c.Node().(*sqlparser.ColName); ok {
				if at, ok := reference(n, OfGroups); ok && at == rolledUp {
					c.Replace(refer(groupRow, last))
				}
			}
		}, nil).(sqlparser.Expr)
	}
	for i := range b.q.Items {
		b.q.Items[i].Expr = fix(b.q.Items[i].Expr)
	}
	for i := range b.q.Order {
		b.q.Order[i].Expr = fix(b.q.Order[i].Expr)
	}
	b.q.Having = fix(b.q.Having)
}

// PositionError is the error of a position in GROUP BY or ORDER BY that the list of columns has not; no table can mend it.
type PositionError struct{ err *expr.Error }

func (e *PositionError) Error() string { return e.err.Error() }

// Unwrap is the error with MySQL's number.
func (e *PositionError) Unwrap() error { return e.err }
