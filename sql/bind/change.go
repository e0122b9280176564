package bind

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
)

// Kind is what a change does.
type Kind uint8

// The kinds.
const (
	Inserts Kind = iota
	Replaces
	Updates
	Deletes
)

// Change is a statement that changes rows of one table, whose names are resolved.
type Change struct {
	Kind   Kind
	Ignore bool
	Table  *catalog.Descriptor
	// Rows are the rows of an UPDATE or DELETE: Table, Where, Order and Count. Their items are none.
	Rows *Query
	// Sets are the assignments of an UPDATE, in their order.
	Sets []Set
	// Columns are the positions of the columns that an insertion gives values for, and Values the rows of these: a nil
	// expression is DEFAULT. Expressions refer to the columns of the row that is inserted.
	Columns []int
	Values  [][]sqlparser.Expr
	// Duplicate are the assignments of ON DUPLICATE KEY UPDATE: they refer to the row that exists and, by positions behind
	// its columns, to the one that was to be inserted.
	Duplicate []Set
}

// Set assigns a value to a column; a nil expression is DEFAULT.
type Set struct {
	Column int
	Expr   sqlparser.Expr
}

// ChangeOf binds an INSERT, REPLACE, UPDATE or DELETE of one table.
func ChangeOf(stmt sqlparser.Statement, lookup Lookup) (*Change, error) {
	switch s := stmt.(type) {
	case *sqlparser.Insert:
		return insertOf(s, lookup)
	case *sqlparser.Update:
		return updateOf(s, lookup)
	case *sqlparser.Delete:
		return deleteOf(s, lookup)
	}
	return nil, unsupported("this kind of statement")
}

func updateOf(s *sqlparser.Update, lookup Lookup) (*Change, error) {
	if s.With != nil {
		return nil, unsupported("WITH")
	}
	c := &Change{Kind: Updates, Ignore: bool(s.Ignore)}
	b, err := c.rows(s.TableExprs, s.Where, s.OrderBy, s.Limit, lookup)
	if err != nil {
		return nil, err
	}
	if c.Sets, err = b.sets(s.Exprs); err == nil {
		err = b.noSubquery()
	}
	return c, err
}

func deleteOf(s *sqlparser.Delete, lookup Lookup) (*Change, error) {
	if s.With != nil || len(s.Targets) > 0 || len(s.Partitions) > 0 {
		return nil, unsupported("this form of DELETE")
	}
	c := &Change{Kind: Deletes, Ignore: bool(s.Ignore)}
	_, err := c.rows(s.TableExprs, s.Where, s.OrderBy, s.Limit, lookup)
	return c, err
}

// rows binds which rows are changed.
func (c *Change) rows(from []sqlparser.TableExpr, where *sqlparser.Where, order sqlparser.OrderBy, limit *sqlparser.Limit, lookup Lookup) (*binder, error) {
	b := &binder{scope: &Scope{Table: lookup}, q: &Query{}}
	if err := b.from(from); err != nil {
		return nil, err
	}
	if b.q.Table == nil {
		return nil, unsupported("a change of no table")
	}
	if err := b.where(where); err != nil {
		return nil, err
	}
	for _, o := range order {
		e, err := b.resolve(o.Expr, nil)
		if err != nil {
			return nil, err
		}
		if _, number := itemNumber(o.Expr); number || hasAggregate(e) {
			return nil, unsupported("this ORDER BY")
		}
		b.q.Order = append(b.q.Order, Order{Expr: e, Item: -1, Descending: o.Direction == sqlparser.DescOrder})
	}
	if limit != nil {
		if limit.Offset != nil {
			return nil, unsupported("an offset of a change")
		}
		b.q.Count = limit.Rowcount
	}
	c.Rows, c.Table = b.q, b.q.Table
	return b, b.noSubquery()
}

// noSubquery refuses a change with a subquery.
func (b *binder) noSubquery() error {
	if len(b.q.Subqueries) > 0 {
		return unsupported("a subquery in a change")
	}
	return nil
}

// sets binds assignments.
func (b *binder) sets(list sqlparser.UpdateExprs) (out []Set, err error) {
	for _, a := range list {
		s := Set{Column: b.position(a.Name)}
		if s.Column < 0 {
			return nil, unsupported("name " + sqlparser.String(a.Name))
		}
		if s.Expr, err = b.assigned(a.Expr); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// assigned is a value that is assigned; nil: DEFAULT.
func (b *binder) assigned(e sqlparser.Expr) (sqlparser.Expr, error) {
	if d, ok := e.(*sqlparser.Default); ok && d.ColName == "" {
		return nil, nil
	}
	if hasDefault(e) || hasAggregate(e) {
		return nil, unsupported("this value")
	}
	return b.resolve(e, nil)
}

func hasDefault(e sqlparser.Expr) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		_, is := n.(*sqlparser.Default)
		found = found || is
		return !found, nil
	}, e)
	return found
}

func insertOf(s *sqlparser.Insert, lookup Lookup) (*Change, error) {
	c := &Change{Kind: Inserts, Ignore: bool(s.Ignore)}
	if s.Action == sqlparser.ReplaceAct {
		c.Kind = Replaces
	}
	values, ok := s.Rows.(sqlparser.Values)
	if !ok || len(s.Partitions) > 0 || s.RowAlias != nil && len(s.RowAlias.Columns) > 0 {
		return nil, unsupported("this form of INSERT")
	}
	b := &binder{scope: &Scope{Table: lookup}, q: &Query{}}
	if err := b.from([]sqlparser.TableExpr{s.Table}); err != nil {
		return nil, err
	}
	if c.Table = b.q.Table; c.Table == nil {
		return nil, unsupported("a change of no table")
	}
	if err := c.columns(b, s.Columns); err != nil {
		return nil, err
	}
	for _, tuple := range values {
		row, err := c.row(b, tuple)
		if err != nil {
			return nil, err
		}
		c.Values = append(c.Values, row)
	}
	if err := c.onDuplicate(b, s); err != nil {
		return nil, err
	}
	return c, b.noSubquery()
}

// columns finds the columns that are given.
func (c *Change) columns(b *binder, names sqlparser.Columns) error {
	if len(names) == 0 {
		for at := range c.Table.Record.Columns {
			c.Columns = append(c.Columns, at)
		}
		return nil
	}
	for _, n := range names {
		at := b.position(&sqlparser.ColName{Name: n})
		if at < 0 || slices.Contains(c.Columns, at) {
			return unsupported("column " + n.String())
		}
		c.Columns = append(c.Columns, at)
	}
	return nil
}

// row binds the values of a row; VALUES () has the defaults of all columns.
func (c *Change) row(b *binder, tuple sqlparser.ValTuple) ([]sqlparser.Expr, error) {
	row := make([]sqlparser.Expr, len(c.Columns))
	if len(tuple) == 0 && len(c.Columns) == len(c.Table.Record.Columns) {
		return row, nil
	}
	if len(tuple) != len(row) {
		return nil, unsupported("a row of another length")
	}
	for i, e := range tuple {
		if constantValue(e) {
			row[i] = e
			continue
		}
		var err error
		if row[i], err = b.assigned(e); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// constantValue reports whether an expression has nothing to be resolved in it.
func constantValue(e sqlparser.Expr) bool {
	switch e.(type) {
	case *sqlparser.Literal, *sqlparser.NullVal, *sqlparser.Argument:
		return true
	}
	return false
}

// onDuplicate binds ON DUPLICATE KEY UPDATE.
func (c *Change) onDuplicate(b *binder, s *sqlparser.Insert) (err error) {
	alias := ""
	if s.RowAlias != nil {
		alias = s.RowAlias.TableName.String()
	}
	list := make(sqlparser.UpdateExprs, len(s.OnDup))
	for i, u := range s.OnDup {
		e, err := b.offered(u.Expr, alias)
		if err != nil {
			return err
		}
		list[i] = &sqlparser.UpdateExpr{Name: u.Name, Expr: e}
	}
	c.Duplicate, err = b.sets(list)
	return err
}

// offered replaces VALUES(column), and a column of the row's alias, by references to the row that was to be inserted.
func (b *binder) offered(e sqlparser.Expr, alias string) (sqlparser.Expr, error) {
	var failed error
	to := func(n *sqlparser.ColName) sqlparser.SQLNode {
		at := b.position(&sqlparser.ColName{Name: n.Name})
		if at < 0 {
			failed = unsupported("name " + sqlparser.String(n))
		}
		return refer(columnRow, len(b.q.Table.Record.Columns)+at)
	}
	pre := func(n, _ sqlparser.SQLNode) bool {
		_, values := n.(*sqlparser.ValuesFuncExpr)
		return !values
	}
	out := sqlparser.CopyOnRewrite(e, pre, func(c *sqlparser.CopyOnWriteCursor) {
		switch n := c.Node().(type) {
		case *sqlparser.ValuesFuncExpr:
			c.Replace(to(n.Name))
		case *sqlparser.ColName:
			if alias != "" && strings.EqualFold(n.Qualifier.Name.String(), alias) && n.Qualifier.Qualifier.IsEmpty() {
				c.Replace(to(n))
			}
		}
	}, nil)
	if failed != nil {
		return nil, failed
	}
	return out.(sqlparser.Expr), nil
}

// DefaultOf binds the expression of a column's default, over the row that is inserted.
func DefaultOf(d *catalog.Descriptor, e sqlparser.Expr) (sqlparser.Expr, error) {
	b := &binder{scope: &Scope{Table: func(string, string) (*catalog.Descriptor, bool) { return d, true }}, q: &Query{}}
	if err := b.from([]sqlparser.TableExpr{&sqlparser.AliasedTableExpr{Expr: sqlparser.NewTableName(d.Record.Name)}}); err != nil {
		return nil, err
	}
	return b.resolve(e, nil)
}
