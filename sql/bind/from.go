package bind

import (
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/parse"
)

// operand is one side of a join.
type operand struct {
	join  *Join
	names names
}

// from binds a FROM clause.
func (b *binder) from(list []sqlparser.TableExpr) error {
	if len(list) == 1 {
		if t, ok := list[0].(*sqlparser.AliasedTableExpr); ok && isDual(t) {
			return nil
		}
	}
	all, err := b.product(list)
	if err != nil || all == nil {
		return err
	}
	b.q.From, b.names = all.join, all.names
	if s := all.join.Source; s != nil && s.Table != nil && len(b.q.Sources) == 1 {
		b.q.Table, b.q.Alias = s.Table, s.Alias
	}
	return nil
}

func isDual(t *sqlparser.AliasedTableExpr) bool {
	name, ok := t.Expr.(sqlparser.TableName)
	return ok && name.Qualifier.IsEmpty() && name.Name.String() == "dual"
}

// product joins a list of tables without a condition.
func (b *binder) product(list []sqlparser.TableExpr) (all *operand, err error) {
	for _, e := range list {
		if all == nil {
			if all, err = b.operand(e); err != nil {
				return nil, err
			}
			continue
		}
		next, err := b.beside(all, e)
		if err != nil {
			return nil, err
		}
		if all, err = joined(all, next); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// joined joins two operands without a condition.
func joined(l, r *operand) (*operand, error) {
	out := &operand{join: &Join{Left: l.join, Right: r.join}}
	for _, t := range r.names.tables {
		for _, o := range l.names.tables {
			if strings.EqualFold(t.alias, o.alias) && strings.EqualFold(t.database, o.database) {
				return nil, expr.NewError(1066, "42000", "Not unique table/alias: '%s'", t.alias)
			}
		}
	}
	out.names.add(&l.names)
	out.names.add(&r.names)
	return out, nil
}

// beside binds an operand to the right of another.
func (b *binder) beside(left *operand, e sqlparser.TableExpr) (*operand, error) {
	b.lefts = append(b.lefts, &left.names)
	defer func() { b.lefts = b.lefts[:len(b.lefts)-1] }()
	return b.operand(e)
}

func (b *binder) operand(e sqlparser.TableExpr) (*operand, error) {
	switch e := e.(type) {
	case *sqlparser.AliasedTableExpr:
		return b.aliased(e)
	case *sqlparser.ParenTableExpr:
		return b.product(e.Exprs)
	case *sqlparser.JoinTableExpr:
		return b.joinOf(e)
	}
	return nil, unsupported("this FROM clause")
}

// aliased binds a table, view, CTE or derived table.
func (b *binder) aliased(t *sqlparser.AliasedTableExpr) (*operand, error) {
	if len(t.Partitions) > 0 {
		return nil, partitioned()
	}
	switch e := t.Expr.(type) {
	case sqlparser.TableName:
		return b.named(e, t)
	case *sqlparser.DerivedTable:
		c := b.child()
		if e.Lateral {
			c.enclosing = b.lateral
		}
		before := len(b.q.Sources)
		out, err := b.derived(e.Select, t.As.String(), columnNames(t.Columns), c)
		for _, s := range b.q.Sources[before:] {
			s.derived = true
		}
		return out, err
	}
	return nil, unsupported("this table")
}

func columnNames(list sqlparser.Columns) (out []string) {
	for _, c := range list {
		out = append(out, c.String())
	}
	return out
}

// named binds a name: of a CTE, a table or a view.
func (b *binder) named(name sqlparser.TableName, t *sqlparser.AliasedTableExpr) (*operand, error) {
	alias := name.Name.String()
	if !t.As.IsEmpty() {
		alias = t.As.String()
	}
	if len(t.Columns) > 0 {
		return nil, expr.NewError(1064, "42000", "You have an error in your SQL syntax: table %s has names for its columns, which only derived tables may have", alias)
	}
	if name.Qualifier.IsEmpty() {
		for c := b.ctes; c != nil; c = c.up {
			if strings.EqualFold(c.cte.Name, name.Name.String()) {
				return b.common(c, alias)
			}
		}
	}
	database := name.Qualifier.String()
	if database == "" {
		database = b.database
	}
	d, ok := b.scope.Table(database, name.Name.String())
	if !ok {
		if b.scope.View != nil {
			if v, ok := b.scope.View(database, name.Name.String()); ok {
				out, err := b.view(v, name.Name.String(), alias, !t.As.IsEmpty())
				return b.covered(out, t), err
			}
		}
		if b.scope.Virtual != nil {
			if v, ok := b.scope.Virtual(database, name.Name.String()); ok {
				return b.covered(b.virtual(v, alias, !t.As.IsEmpty()), t), nil
			}
		}
		if b.scope.Missing != nil {
			return nil, b.scope.Missing(database, name.Name.String())
		}
		return nil, unsupported("table " + name.Name.String())
	}
	if unknown := unknownIndex(d, t.Hints); unknown != "" {
		return nil, expr.NewError(1176, "42000", "Key '%s' doesn't exist in table '%s'", unknown, alias)
	}
	s := &Source{Table: d, Alias: alias, Width: len(d.Record.Columns) + b.hides}
	b.marked(s, parse.LockOf(t))
	b.source(s)
	named := &namedTable{alias: alias, database: d.Record.Database, sources: []*Source{s}}
	if !t.As.IsEmpty() {
		named.database = ""
	}
	for i, c := range d.Record.Columns {
		named.columns = append(named.columns, visible{name: c.Name, to: refer(columnRow, s.First+i)})
	}
	return b.covered(leaf(s, named), t), nil
}

// covered has the sources of an operand locked as a clause with OF demands.
func (b *binder) covered(o *operand, t *sqlparser.AliasedTableExpr) *operand {
	if lock := parse.LockOf(t); o != nil && lock != sqlparser.NoLock {
		o.join.sources(func(s *Source) { s.Lock, s.Wait = lockOf(lock) })
	}
	return o
}

// sources calls f for the sources of a tree of joins.
func (j *Join) sources(f func(*Source)) {
	if j == nil {
		return
	}
	if j.Source != nil {
		f(j.Source)
	}
	j.Left.sources(f)
	j.Right.sources(f)
}

// source adds a source to the query.
func (b *binder) source(s *Source) *Source {
	s.First = b.q.Width()
	b.q.Sources = append(b.q.Sources, s)
	return s
}

func leaf(s *Source, t *namedTable) *operand {
	return &operand{join: &Join{Source: s}, names: names{tables: []*namedTable{t}, visible: t.columns}}
}

// rows is the operand of a source with named columns.
func (b *binder) rows(s *Source, columns []string) *operand {
	s.Width = len(columns)
	b.source(s)
	t := &namedTable{alias: s.Alias}
	for i, name := range columns {
		t.columns = append(t.columns, visible{name: name, to: refer(columnRow, s.First+i)})
	}
	return leaf(s, t)
}

// derived binds a derived table.
func (b *binder) derived(tree sqlparser.TableStatement, alias string, columns []string, c *binder) (*operand, error) {
	if c.enclosing == nil {
		c.enclosing = b.outer
	}
	q, err := c.query(tree)
	if err != nil {
		return nil, err
	}
	names, err := itemNames(q, columns)
	if err != nil {
		return nil, err
	}
	if mergeable(q) {
		return b.merge(q, alias, names), nil
	}
	return b.rows(&Source{Query: q, Alias: alias}, names), nil
}

// lateral resolves a name of a LATERAL derived table: among the columns to its left, the nearest first, then further out.
func (b *binder) lateral(n *sqlparser.ColName) (sqlparser.Expr, error) {
	for i := len(b.lefts) - 1; i >= 0; i-- {
		v, err := b.findAmong(b.lefts[i], n)
		if err != nil {
			return nil, err
		}
		if v != nil {
			return v.to, nil
		}
	}
	return b.outer(n)
}

// itemNames are the names of a query's columns: those that are given, or its items'.
func itemNames(q *Query, given []string) ([]string, error) {
	if len(given) == 0 {
		for _, item := range q.Items {
			given = append(given, item.Name)
		}
	} else if len(given) != len(q.Items) {
		return nil, expr.NewError(1353, "HY000", "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
	}
	for i, name := range given {
		if slices.ContainsFunc(given[:i], func(o string) bool { return strings.EqualFold(o, name) }) {
			return nil, expr.NewError(1060, "42S21", "Duplicate column name '%s'", name)
		}
	}
	return given, nil
}

// common binds a source of a common table expression.
func (b *binder) common(c *ctes, alias string) (*operand, error) {
	if c.round {
		return b.rows(&Source{Round: c.cte, Alias: alias}, c.cte.Columns), nil
	}
	if c.tree != nil {
		if c.of != b {
			return nil, unsupported("a common table expression that refers to a query around it, within another query")
		}
		inner := b.child()
		inner.ctes = c.up
		return b.derived(c.tree.Subquery, alias, columnNames(c.tree.Columns), inner)
	}
	c.cte.Uses++
	return b.rows(&Source{Query: c.cte.Query, CTE: c.cte, Alias: alias}, c.cte.Columns), nil
}

// view binds a view: its query is bound in its own database.
func (b *binder) view(v *View, name, alias string, renamed bool) (*operand, error) {
	full := strings.ToLower(v.Database + "." + name)
	if slices.Contains(b.views, full) {
		return nil, expr.NewError(1462, "HY000", "`%s`.`%s` contains view recursion", v.Database, name)
	}
	c := b.child()
	c.clauseLock = b.clauseLock
	c.ctes, c.database, c.views, c.hides = nil, v.Database, append(slices.Clone(b.views), full), b.hides
	scope := *b.scope
	scope.Texts = v.Texts
	c.scope = &scope
	before := len(b.q.Sources)
	out, err := b.derived(v.Tree, alias, v.Columns, c)
	if err != nil {
		return nil, err
	}
	t := out.names.tables[0]
	if !renamed {
		t.database = v.Database
	}
	if !v.Checked {
		t.sources = tablesOf(b.q.Sources[before:])
	}
	return out, nil
}

// tablesOf are the sources that are tables and of no derived table.
func tablesOf(list []*Source) (out []*Source) {
	for _, s := range list {
		if s.Table != nil && !s.derived {
			out = append(out, s)
		}
	}
	return out
}

// virtual binds a virtual table.
func (b *binder) virtual(v *Virtual, alias string, renamed bool) *operand {
	var names []string
	for _, c := range v.Columns {
		names = append(names, c.Name)
	}
	out := b.rows(&Source{Virtual: v, Alias: alias}, names)
	out.names.tables[0].virtual = v
	if !renamed {
		out.names.tables[0].database = v.Database
	}
	return out
}

// unknownIndex is the first name of hints that is no index of the table. Hints change no answer, and the choice by rounds is
// kept.
func unknownIndex(d *catalog.Descriptor, hints sqlparser.IndexHints) string {
	for _, h := range hints {
		for _, name := range h.Indexes {
			known := name.EqualString("primary") && !d.Keyless() || slices.ContainsFunc(d.Indexes, func(x *catalog.IndexInfo) bool { return name.EqualString(x.Name) })
			if !known {
				return name.String()
			}
		}
	}
	return ""
}

func and(a, b sqlparser.Expr) sqlparser.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &sqlparser.AndExpr{Left: a, Right: b}
}

// values binds VALUES ROW(...), ...
func (b *binder) values(v *sqlparser.ValuesStatement) (*operand, error) {
	if v.ListArg != "" || len(v.Rows) == 0 {
		return nil, unsupported("this VALUES")
	}
	s := &Source{}
	for _, row := range v.Rows {
		if len(row) != len(v.Rows[0]) {
			return nil, expr.NewError(1136, "21S01", "Column count doesn't match value count at row %d", len(s.Values)+1)
		}
		var out []sqlparser.Expr
		for _, e := range row {
			to, err := b.resolve(e, nil)
			if err != nil {
				return nil, err
			}
			out = append(out, to)
		}
		s.Values = append(s.Values, out)
	}
	var names []string
	for i := range v.Rows[0] {
		names = append(names, "column_"+strconv.Itoa(i))
	}
	return b.rows(s, names), nil
}
