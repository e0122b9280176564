package bind

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// offeredNames are the columns of a query's tables that ON DUPLICATE KEY UPDATE may name.
type offeredNames struct {
	query *Query
	names names // in the terms of the query
}

// queried binds the query of an INSERT ... SELECT.
func (c *Change) queried(b *binder, rows sqlparser.InsertRows) (*offeredNames, error) {
	tree, ok := rows.(sqlparser.TableStatement)
	if !ok {
		return nil, unsupported("this form of INSERT")
	}
	if v, ok := tree.(*sqlparser.ValuesStatement); ok && len(v.Order) == 0 && v.Limit == nil && v.With == nil && v.ListArg == "" {
		return nil, c.rowValues(b, v)
	}
	inner := b.child()
	inner.depth = b.depth
	q, err := inner.query(tree)
	if err != nil {
		return nil, err
	}
	if len(q.Items) != len(c.Columns) {
		return nil, valueCount(0)
	}
	c.Query = q
	if _, ok := tree.(*sqlparser.Select); !ok || q.Grouped {
		return nil, nil
	}
	return &offeredNames{q, inner.names}, nil
}

// rowValues binds VALUES ROW(...), ...: its rows may have DEFAULT, as those of VALUES (...).
func (c *Change) rowValues(b *binder, v *sqlparser.ValuesStatement) error {
	for i, tuple := range v.Rows {
		row, err := c.row(b, tuple, i)
		if err != nil {
			return err
		}
		c.Values = append(c.Values, row)
	}
	return nil
}

// valuesName qualifies the columns of VALUES(column). No client can write it.
const valuesName = "\x01values"

// onDuplicate binds ON DUPLICATE KEY UPDATE. Its expressions see the row that exists, the one that was to be inserted, and the
// tables of the query.
func (c *Change) onDuplicate(b *binder, s *sqlparser.Insert, query *offeredNames) error {
	if len(s.OnDup) == 0 {
		return nil
	}
	n := len(c.Table.Record.Columns)
	b.names.tables = append(b.names.tables, c.offered(valuesName, nil))
	if s.RowAlias != nil {
		row := c.offered(s.RowAlias.TableName.String(), s.RowAlias.Columns)
		if len(s.RowAlias.Columns) > 0 {
			if len(s.RowAlias.Columns) != len(c.Columns) {
				return expr.NewError(1136, "21S01", "Column count doesn't match value count at row 1")
			}
			b.names.visible = append(slices.Clone(b.names.visible), row.columns...)
		}
		b.names.tables = append(b.names.tables, row)
	}
	changed := b.names
	var beyond []sqlparser.Expr
	if query != nil {
		beyond = b.offer(query, 2*n)
	}
	whole := b.names
	for _, u := range s.OnDup {
		b.names = changed
		set := Set{Column: b.position(u.Name)}
		if set.Column < 0 || set.Column >= n {
			b.clause = "field list"
			return b.unknown(u.Name)
		}
		b.names = whole
		var err error
		if set.Expr, err = b.assigned(valuesNamed(u.Expr)); err != nil {
			return err
		}
		c.Duplicate = append(c.Duplicate, set)
	}
	return c.gather(b, query, beyond)
}

// offered names the columns of the row that was to be inserted; columns are their names, in the order of those that are given.
func (c *Change) offered(alias string, columns sqlparser.Columns) *namedTable {
	out := &namedTable{alias: alias}
	all := c.Table.Record.Columns
	if len(columns) > 0 {
		for i, at := range c.Columns[:min(len(columns), len(c.Columns))] {
			out.columns = append(out.columns, visible{name: columns[i].String(), to: refer(columnRow, len(all)+at)})
		}
		return out
	}
	for at, column := range all {
		out.columns = append(out.columns, visible{name: column.Name, to: refer(columnRow, len(all)+at)})
	}
	return out
}

// valuesNamed is an expression with names in the place of VALUES(column), also in its subqueries.
func valuesNamed(e sqlparser.Expr) sqlparser.Expr {
	return sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if v, ok := c.Node().(*sqlparser.ValuesFuncExpr); ok {
			c.Replace(sqlparser.NewColNameWithQualifier(v.Name.Name.String(), sqlparser.TableName{Name: sqlparser.NewIdentifierCS(valuesName)}))
		}
	}, nil).(sqlparser.Expr)
}

// offer has the columns of a query's tables visible, at positions from one on, and returns what they are in the query.
func (b *binder) offer(query *offeredNames, from int) (all []sqlparser.Expr) {
	places := map[sqlparser.Expr]sqlparser.Expr{}
	at := func(v visible) visible {
		to := places[v.to]
		if to == nil {
			to = refer(columnRow, from+len(all))
			places[v.to] = to
			all = append(all, v.to)
		}
		v.to = to
		return v
	}
	out := names{tables: slices.Clone(b.names.tables), visible: slices.Clone(b.names.visible)}
	for _, t := range query.names.tables {
		moved := &namedTable{alias: t.alias, database: t.database}
		for _, v := range t.columns {
			moved.columns = append(moved.columns, at(v))
		}
		out.tables = append(out.tables, moved)
	}
	for _, v := range query.names.visible {
		out.visible = append(out.visible, at(v))
	}
	b.names = out
	return all
}

// gather makes items of the query of what the assignments refer to of its tables.
func (c *Change) gather(b *binder, query *offeredNames, beyond []sqlparser.Expr) error {
	first := 2 * len(c.Table.Record.Columns)
	places := map[int]int{}
	var failed error
	take := func(e sqlparser.Expr) sqlparser.Expr {
		return sqlparser.CopyOnRewrite(e, nil, func(cur *sqlparser.CopyOnWriteCursor) {
			r, ok := RefOf(cur.Node())
			if !ok || r.Row != OfSources || r.At < first {
				return
			}
			at, known := places[r.At]
			if !known {
				item := query.item(beyond[r.At-first])
				if item < 0 {
					failed = unsupported("a column of a DISTINCT query that it does not select")
					return
				}
				at = first + len(c.Beyond)
				c.Beyond = append(c.Beyond, item)
				places[r.At] = at
			}
			cur.Replace(refer(columnRow, at))
		}, nil).(sqlparser.Expr)
	}
	for i, set := range c.Duplicate {
		if set.Expr != nil {
			c.Duplicate[i].Expr = take(set.Expr)
		}
	}
	for _, s := range b.q.Subqueries {
		for i, e := range s.Left {
			s.Left[i] = take(e)
		}
		for i, e := range s.Query.Outer {
			s.Query.Outer[i] = take(e)
		}
	}
	return failed
}

// item is the item of the query that an expression is, which is appended if there is none; -1: it cannot be.
func (o *offeredNames) item(e sqlparser.Expr) int {
	for i, item := range o.query.Items {
		if sqlparser.Equals.Expr(item.Expr, e) {
			return i
		}
	}
	if o.query.Distinct {
		return -1
	}
	o.query.Items = append(o.query.Items, Item{Expr: e, Column: -1})
	return len(o.query.Items) - 1
}
