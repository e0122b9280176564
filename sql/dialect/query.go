package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// query writes a query and drops its columns.
func (e *emitter) query(s sqlparser.TableStatement, top bool) string {
	text, _, _ := e.queryColumns(s, top)
	return text
}

// queryColumns writes a query; its columns are all known if closed is true. At the top and in
// FROM the columns get the names that MySQL gives them.
func (e *emitter) queryColumns(s sqlparser.TableStatement, named bool) (sql string, columns []output, closed bool) {
	switch s := s.(type) {
	case *sqlparser.Select:
		e.within(func(sc *scope) { sql, columns, closed = e.selected(s, sc, named) })
	case *sqlparser.Union:
		e.within(func(sc *scope) { sql, columns, closed = e.setOp(s, sc, named) })
	default:
		refuse("a query of this kind", "the writer does not know it", "")
	}
	return sql, columns, closed
}

func (e *emitter) row(r sqlparser.ValTuple) string {
	return "(" + list(len(r), func(i int) string { return e.value(r[i]).text }) + ")"
}

// selected writes a SELECT.
func (e *emitter) selected(s *sqlparser.Select, sc *scope, named bool) (string, []output, bool) {
	if s.Into != nil {
		refuse("SELECT ... INTO", "variables and files are not the source's", "Read the row and use its values")
	}
	if s.SQLCalcFoundRows {
		refuse("SQL_CALC_FOUND_ROWS", "PostgreSQL has nothing like it", "Count with a second query")
	}
	if s.GroupBy != nil && s.GroupBy.WithRollup {
		refuse("WITH ROLLUP", "the names of its rows differ", "Use UNION ALL")
	}
	with := e.with(s.With)
	from := e.from(s.From)
	columns, closed, list := e.selectList(s, named)
	sc.aliases = aliasesOf(s.SelectExprs.Exprs, columns)
	sc.groups = groupsOf(s)
	lock := e.lockOf(s, sc)

	where := e.where(s)
	var b strings.Builder
	b.WriteString(with + "SELECT ")
	if s.Distinct {
		b.WriteString("DISTINCT ")
	}
	b.WriteString(list)
	switch {
	case lock.inner:
		b.WriteString(" FROM (SELECT * FROM " + from + clause(" WHERE ", where) + lock.clause + ") AS " + sc.items[0].quoted)
	case from != "":
		b.WriteString(" FROM " + from + clause(" WHERE ", where))
	case where != "":
		b.WriteString(" WHERE " + where)
	}
	b.WriteString(e.groupBy(s))
	b.WriteString(e.having(s))
	b.WriteString(e.windows(s.Windows))
	b.WriteString(e.orderBy(s.OrderBy, true))
	b.WriteString(e.limit(s.Limit))
	if !lock.inner {
		b.WriteString(lock.clause)
	}
	e.closeWith(s.With)
	e.locked = lock.clause != "" && !lock.inner
	return b.String(), columns, closed
}

func clause(word, text string) string {
	if text == "" {
		return ""
	}
	return word + text
}

// where writes the condition of WHERE and, where there is neither grouping nor an aggregate, the
// condition of HAVING, which MySQL uses as one more filter then.
func (e *emitter) where(s *sqlparser.Select) string {
	var out []string
	if s.Where != nil {
		out = append(out, e.condition(s.Where.Expr).text)
	}
	if s.Having != nil && !grouped(s) {
		f := e.withAliases(s.Having.Expr)
		if len(out) > 0 {
			out[0] = "(" + out[0] + ")"
			out = append(out, f.operand())
		} else {
			out = append(out, f.text)
		}
	}
	return strings.Join(out, " AND ")
}

// grouped reports whether a SELECT makes one row of several.
func grouped(s *sqlparser.Select) bool {
	return len(groupKeys(s)) > 0 || aggregates(s.SelectExprs) || s.Having != nil && aggregates(s.Having.Expr)
}

func (e *emitter) having(s *sqlparser.Select) string {
	if s.Having == nil || !grouped(s) {
		return ""
	}
	return " HAVING " + e.withAliases(s.Having.Expr).text
}

// groupKeys are the expressions of GROUP BY.
func groupKeys(s *sqlparser.Select) []sqlparser.Expr {
	if s.GroupBy == nil {
		return nil
	}
	return s.GroupBy.Exprs
}

func groupsOf(s *sqlparser.Select) map[string]bool {
	out := map[string]bool{}
	for _, x := range groupKeys(s) {
		if c, ok := x.(*sqlparser.ColName); ok {
			out[fold(c.Name.String())] = true
		}
	}
	return out
}

// groupBy writes GROUP BY. A bare name or number may be an output's, as in MySQL.
func (e *emitter) groupBy(s *sqlparser.Select) string {
	keys := groupKeys(s)
	if len(keys) == 0 {
		return ""
	}
	return " GROUP BY " + list(len(keys), func(i int) string { return e.key(keys[i], false).text })
}

// key writes an expression of GROUP BY or ORDER BY, where a name may be an output's. MySQL
// looks for it among the outputs first in ORDER BY, among the columns first in GROUP BY, and
// so does PostgreSQL; in an expression it looks among the columns alone.
func (e *emitter) key(x sqlparser.Expr, order bool) frag {
	if v, ok := x.(*sqlparser.Literal); ok {
		if v.Type == sqlparser.IntVal {
			return atom(v.Val, unknown)
		}
		refuse("a constant in GROUP BY or ORDER BY", "PostgreSQL takes only the place of a column there", "Leave it out")
	}
	if c, ok := x.(*sqlparser.ColName); ok && c.Qualifier.IsEmpty() {
		holder := e.scope.holder(c.Name.String())
		if a := e.scope.alias(c.Name.String()); a != nil {
			if _, column := holds(holder, c.Name.String()); order || !column {
				return frag{typed: a.typed, text: ident(a.name), atom: true, sure: a.sure}
			}
		}
		return e.any(x)
	}
	how := columnsBefore
	if order {
		how = aliasesBefore
	}
	return asValue(e.substituting(x, how))
}

func holds(i *item, name string) (output, bool) {
	if i == nil {
		return output{}, false
	}
	return i.find(name)
}

func (s *scope) alias(name string) *output {
	for i := range s.aliases {
		if strings.EqualFold(s.aliases[i].name, name) {
			return &s.aliases[i]
		}
	}
	return nil
}

func aliasesOf(exprs []sqlparser.SelectExpr, columns []output) []output {
	var out []output
	at := 0
	for _, x := range exprs {
		a, ok := x.(*sqlparser.AliasedExpr)
		if !ok {
			return out // outputs after * are found by their names all the same, but not by place
		}
		if at < len(columns) && !a.As.IsEmpty() {
			out = append(out, columns[at])
		}
		at++
	}
	return out
}

// orderBy writes ORDER BY. NULL is the least value in MySQL and the greatest in PostgreSQL; what
// cannot be NULL is left alone, so that an index gives the order.
func (e *emitter) orderBy(o sqlparser.OrderBy, aliases bool) string {
	if len(o) == 0 {
		return ""
	}
	return " ORDER BY " + list(len(o), func(i int) string {
		if _, null := o[i].Expr.(*sqlparser.NullVal); null {
			return "(SELECT NULL)"
		}
		var f frag
		if aliases {
			f = e.key(o[i].Expr, true)
		} else {
			f = e.value(o[i].Expr)
		}
		return f.text + direction(o[i].Direction, f.sure)
	})
}

func direction(d sqlparser.OrderDirection, sure bool) string {
	switch {
	case d == sqlparser.DescOrder && sure:
		return " DESC"
	case d == sqlparser.DescOrder:
		return " DESC NULLS LAST"
	case sure:
		return ""
	}
	return " NULLS FIRST"
}

// limit writes LIMIT. MySQL's way to say "all that follow" is a huge number, which PostgreSQL
// reads as long as it has 63 bits.
func (e *emitter) limit(l *sqlparser.Limit) string {
	if l == nil {
		return ""
	}
	out := ""
	if v, ok := l.Rowcount.(*sqlparser.Literal); !ok || v.Type != sqlparser.IntVal || v.Val != "18446744073709551615" {
		out = " LIMIT " + e.count(l.Rowcount)
	}
	if l.Offset != nil {
		out += " OFFSET " + e.count(l.Offset)
	}
	return out
}

func (e *emitter) count(x sqlparser.Expr) string {
	v, ok := x.(*sqlparser.Literal)
	if _, given := x.(*sqlparser.Argument); !given && (!ok || v.Type != sqlparser.IntVal) {
		refuse("a LIMIT that is no number", "MySQL takes only numbers and placeholders there", "")
	}
	return e.any(x).text
}

// setOp writes UNION, INTERSECT or EXCEPT.
func (e *emitter) setOp(s *sqlparser.Union, sc *scope, named bool) (string, []output, bool) {
	if s.Into != nil {
		refuse("SELECT ... INTO", "variables and files are not the source's", "Read the row and use its values")
	}
	with := e.with(s.With)
	left, columns, closed := e.queryColumns(s.Left, named)
	left = e.arm(s, s.Left, left)
	text := with + left
	if s.Right != nil {
		right, _, _ := e.queryColumns(s.Right, false)
		text += " " + setWord(s) + " " + e.arm(s, s.Right, right)
	}
	sc.aliases = columns
	if len(s.OrderBy) > 0 {
		text += " ORDER BY " + list(len(s.OrderBy), func(i int) string { return e.orderOfSet(s.OrderBy[i], sc) })
	}
	text += e.limit(s.Limit)
	if s.Lock > sqlparser.NoLock {
		refuse("a locking clause on "+setWord(s), "PostgreSQL locks no rows there", "Put the clause into each SELECT, in brackets")
	}
	e.closeWith(s.With)
	e.locked = false
	return text, columns, closed
}

// setWord is a set operator's name.
func setWord(s *sqlparser.Union) string {
	word := "UNION"
	switch {
	case parse.Intersects(s):
		word = "INTERSECT"
	case parse.Excepts(s):
		word = "EXCEPT"
	}
	if !s.Distinct {
		word += " ALL"
	}
	return word
}

// arm puts an arm of a set operation into brackets where it needs them. PostgreSQL has no locking clause
// in an arm, and no second ORDER BY and LIMIT behind brackets, but in a subquery.
func (e *emitter) arm(of *sqlparser.Union, s sqlparser.TableStatement, text string) string {
	if e.locked || parse.Wraps(of) {
		e.locked = false
		return "SELECT * FROM (" + text + `) AS "arm"`
	}
	if bare(of, s) {
		return text
	}
	return "(" + text + ")"
}

// bare reports whether an arm of a set operation needs no brackets. INTERSECT binds more than the
// others, which bind from the left.
func bare(of *sqlparser.Union, s sqlparser.TableStatement) bool {
	if len(s.GetOrderBy()) > 0 || s.GetLimit() != nil || s.GetWith() != nil {
		return false
	}
	u, ok := s.(*sqlparser.Union)
	if !ok {
		return len(locksOf(s)) == 0
	}
	return !parse.Wraps(u) && u.Lock <= sqlparser.NoLock && s == of.Left && (parse.Intersects(u) || !parse.Intersects(of))
}

// orderOfSet writes an ORDER BY of a UNION: PostgreSQL takes the names and places of its
// columns there, and no expression.
func (e *emitter) orderOfSet(o *sqlparser.Order, sc *scope) string {
	switch x := o.Expr.(type) {
	case *sqlparser.Literal:
		if x.Type == sqlparser.IntVal {
			return x.Val + direction(o.Direction, false)
		}
	case *sqlparser.ColName:
		if a := sc.alias(x.Name.String()); a != nil {
			return ident(a.name) + direction(o.Direction, false)
		}
		return ident(fold(x.Name.String())) + direction(o.Direction, false)
	}
	refuse("an expression in the ORDER BY of a UNION", "PostgreSQL takes the columns of the result there", "Order a SELECT * FROM (... UNION ...) AS u by it")
	return ""
}

// with writes WITH and makes its queries' names known; closeWith drops them.
func (e *emitter) with(w *sqlparser.With) string {
	if w == nil {
		return ""
	}
	text := "WITH "
	if w.Recursive {
		text += "RECURSIVE "
	}
	return text + list(len(w.CTEs), func(i int) string { return e.cte(w.CTEs[i], w.Recursive) }) + " "
}

func (e *emitter) closeWith(w *sqlparser.With) {
	if w != nil {
		e.ctes = e.ctes[:len(e.ctes)-len(w.CTEs)]
	}
}

func (e *emitter) cte(c *sqlparser.CommonTableExpr, recursive bool) string {
	known := &cte{name: c.ID.String()}
	for _, n := range c.Columns {
		known.columns = append(known.columns, output{name: n.String()})
	}
	var text string
	if recursive {
		e.ctes = append(e.ctes, known)
	}
	before := e.recursive
	e.recursive = e.recursive || recursive
	text, columns, closed := e.queryColumns(c.Subquery, true)
	e.recursive = before
	if !recursive {
		e.ctes = append(e.ctes, known)
	}
	head := ident(fold(known.name))
	if len(c.Columns) > 0 {
		head += " (" + list(len(c.Columns), func(i int) string { return ident(c.Columns[i].String()) }) + ")"
		for i := range known.columns {
			if i < len(columns) {
				known.columns[i].typed = columns[i].typed
			}
		}
		known.closed = true
	} else {
		known.columns, known.closed = columns, closed
	}
	return head + " AS (" + text + ")"
}

// named finds a query by its name.
func (e *emitter) named(n Name) *cte {
	if n.Database != "" {
		return nil
	}
	for i := len(e.ctes) - 1; i >= 0; i-- {
		if strings.EqualFold(e.ctes[i].name, n.Table) {
			return e.ctes[i]
		}
	}
	return nil
}
