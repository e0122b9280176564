package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// from writes FROM and fills the scope with its tables.
func (e *emitter) from(from []sqlparser.TableExpr) string {
	if len(from) == 1 {
		if a, ok := from[0].(*sqlparser.AliasedTableExpr); ok {
			if t, ok := a.Expr.(sqlparser.TableName); ok && isDual(t) {
				return ""
			}
		}
	}
	return list(len(from), func(i int) string { return e.tableExpr(from[i]) })
}

// isDual reports whether a name is that of no table: the parser gives it to each query without FROM.
func isDual(n sqlparser.TableName) bool { return n.Qualifier.IsEmpty() && n.Name.String() == "dual" }

func (e *emitter) tableExpr(t sqlparser.TableExpr) string {
	switch t := t.(type) {
	case *sqlparser.AliasedTableExpr:
		return e.aliased(t)
	case *sqlparser.ParenTableExpr:
		if len(t.Exprs) == 1 {
			text := e.tableExpr(t.Exprs[0])
			if _, join := t.Exprs[0].(*sqlparser.JoinTableExpr); join {
				return "(" + text + ")"
			}
			return text // PostgreSQL has no brackets around a table
		}
		text := e.tableExpr(t.Exprs[0])
		for _, x := range t.Exprs[1:] {
			text = text + " CROSS JOIN " + e.tableExpr(x)
		}
		return "(" + text + ")"
	case *sqlparser.JoinTableExpr:
		return e.join(t)
	case *sqlparser.JSONTableExpr:
		refuse("JSON_TABLE", "PostgreSQL 15 does not have it", "")
	}
	refuse("a table of this kind in FROM", "the writer does not know it", "")
	return ""
}

func (e *emitter) aliased(t *sqlparser.AliasedTableExpr) string {
	if len(t.Partitions) > 0 {
		refuse("PARTITION (...)", "partitions of a source have names of their own", "Select by a condition on the key")
	}
	switch x := t.Expr.(type) {
	case sqlparser.TableName:
		return e.tableUse(e.tableName(x), t.As.String())
	case *sqlparser.DerivedTable:
		return e.derived(x, t)
	}
	refuse("a table of this kind in FROM", "the writer does not know it", "")
	return ""
}

// tableUse writes a table that is read.
func (e *emitter) tableUse(n Name, alias string) string {
	if c := e.named(n); c != nil {
		i := &item{name: n.Table, columns: c.columns, closed: c.closed}
		if alias != "" {
			i.name = alias
		}
		i.quoted = ident(fold(i.name))
		e.enter(i)
		return as(ident(fold(c.name)), i.quoted)
	}
	e.out.Reads = addName(e.out.Reads, n)
	return e.use(n, alias)
}

// enter puts a table into the scope.
func (e *emitter) enter(i *item) {
	if len(e.scope.items) >= joinMax || len(e.out.Reads) > tablesMax {
		refuse("a query of this many tables", "MySQL joins at most "+itoa(joinMax)+", and a statement names at most "+itoa(tablesMax), "Take it apart")
	}
	e.scope.items = append(e.scope.items, i)
}

// use writes a table and puts it into the scope.
func (e *emitter) use(n Name, alias string) string {
	i := e.newItem(n, alias)
	e.enter(i)
	return as(e.physical(n), i.quoted)
}

// as gives a table its alias, if that is not its name already.
func as(table, quoted string) string {
	if table == quoted || strings.HasSuffix(table, "."+quoted) {
		return table
	}
	return table + " AS " + quoted
}

func (e *emitter) derived(q *sqlparser.DerivedTable, t *sqlparser.AliasedTableExpr) string {
	if t.As.IsEmpty() {
		refuse("a subquery in FROM without a name", "MySQL requires one", "")
	}
	i := &item{name: t.As.String(), quoted: ident(fold(t.As.String()))}
	outer := e.scope
	if !q.Lateral {
		e.scope = outer.outer // it does not see its neighbours
	}
	text, columns, closed := e.queryColumns(q.Select, true)
	e.scope = outer
	i.columns, i.closed = columns, closed
	names := ""
	if len(t.Columns) > 0 {
		i.columns = nil
		for n, c := range t.Columns {
			o := output{name: c.String()}
			if n < len(columns) {
				o.typed, o.sure = columns[n].typed, columns[n].sure
			}
			i.columns = append(i.columns, o)
		}
		i.closed = true
		names = " (" + list(len(t.Columns), func(n int) string { return ident(t.Columns[n].String()) }) + ")"
	}
	e.enter(i)
	lateral := ""
	if q.Lateral {
		lateral = "LATERAL "
	}
	return lateral + "(" + text + ") AS " + i.quoted + names
}

// join writes a join. MySQL's inner joins may lack a condition.
func (e *emitter) join(j *sqlparser.JoinTableExpr) string {
	start := len(e.scope.items)
	left := e.tableExpr(j.LeftExpr)
	middle := len(e.scope.items)
	right := e.tableExpr(j.RightExpr)
	if _, nested := j.RightExpr.(*sqlparser.JoinTableExpr); nested {
		right = "(" + right + ")"
	}
	word := ""
	on, using := conditionOf(j)
	switch j.Join {
	case sqlparser.NormalJoinType, sqlparser.StraightJoinType:
		word = "JOIN"
		if on == nil && len(using) == 0 {
			word = "CROSS JOIN"
		}
	case sqlparser.LeftJoinType:
		word = "LEFT JOIN"
		optional(e.scope.items[middle:])
	case sqlparser.RightJoinType:
		word = "RIGHT JOIN"
		optional(e.scope.items[start:middle])
	case sqlparser.NaturalJoinType:
		word = "NATURAL JOIN"
	case sqlparser.NaturalLeftJoinType:
		word = "NATURAL LEFT JOIN"
		optional(e.scope.items[middle:])
	case sqlparser.NaturalRightJoinType:
		word = "NATURAL RIGHT JOIN"
		optional(e.scope.items[start:middle])
	default:
		refuse("the join "+strings.ToUpper(j.Join.ToString()), "MySQL does not have it", "")
	}
	text := left + " " + word + " " + right
	switch {
	case len(using) > columnsMax:
		refuse("USING over this many columns", "MySQL has at most "+itoa(columnsMax), "")
	case len(using) > 0:
		text += " USING (" + list(len(using), func(i int) string {
			return e.usingColumn(using[i].String(), start)
		}) + ")"
	case on != nil:
		text += " ON " + e.condition(on).text
	}
	return text
}

// usingColumn is a column of both sides of a join; the left side's spelling is taken.
func (e *emitter) usingColumn(name string, start int) string {
	for _, i := range e.scope.items[start:] {
		if c, ok := i.find(name); ok {
			return ident(c.name)
		}
	}
	return ident(fold(name))
}

func optional(items []*item) {
	for _, i := range items {
		i.optional = true
	}
}

// selectList writes the columns of a SELECT.
func (e *emitter) selectList(s *sqlparser.Select, named bool) (columns []output, closed bool, text string) {
	exprs := s.SelectExprs.Exprs
	if len(exprs) > columnsMax {
		refuse("a query of this many columns", "MySQL has at most "+itoa(columnsMax), "")
	}
	closed = true
	text = list(len(exprs), func(n int) string {
		switch x := exprs[n].(type) {
		case *sqlparser.StarExpr:
			cols, all := e.star(x)
			columns = append(columns, cols...)
			closed = closed && all
			if x.TableName.IsEmpty() {
				return "*"
			}
			i := e.scope.item(x.TableName)
			if i == nil {
				refuse("the columns "+textOf(x), "no table of that name stands in the query", "")
			}
			return i.quoted + ".*"
		case *sqlparser.AliasedExpr:
			t, c := e.selectExpr(x, e.texts.of(s, n), named)
			columns = append(columns, c)
			return t
		}
		refuse("a column of this kind", "the writer does not know it", "")
		return ""
	})
	return columns, closed, text
}

func (e *emitter) star(x *sqlparser.StarExpr) ([]output, bool) {
	items := e.scope.items
	if !x.TableName.IsEmpty() {
		items = nil
		if i := e.scope.item(x.TableName); i != nil {
			items = []*item{i}
		}
	}
	var out []output
	closed := true
	for _, i := range items {
		for _, c := range i.columns {
			c.sure = c.sure && !i.optional
			out = append(out, c)
		}
		closed = closed && i.closed
	}
	return out, closed
}

// selectExpr writes a column of a SELECT with the name that MySQL gives it.
func (e *emitter) selectExpr(x *sqlparser.AliasedExpr, written string, named bool) (string, output) {
	f := finished(e.value(x.Expr))
	name := x.As.String()
	if c, ok := x.Expr.(*sqlparser.ColName); ok && name == "" {
		name = c.Name.String()
		if f.text == ident(name) || strings.HasSuffix(f.text, "."+ident(name)) {
			return f.text, output{typed: f.typed, name: name, sure: f.sure, expr: f}
		}
	}
	if name == "" && named {
		name = written
		if f.literal && f.kind == text {
			name = f.value
		}
		if len(name) > identMax || strings.ContainsAny(name, "\x00\n") {
			name = ""
		}
	}
	if name == "" {
		return f.text, output{typed: f.typed, sure: f.sure, expr: f}
	}
	return f.text + " AS " + ident(name), output{typed: f.typed, name: name, sure: f.sure, expr: f}
}

// finished gives a quotient the digits that MySQL shows.
func finished(f frag) frag {
	if f.kind == decimal && f.quotient && f.scale >= 0 {
		g := call("round", decimal, f.text, itoa(f.scale))
		g.scale, g.sure = f.scale, f.sure
		return g
	}
	return f
}
