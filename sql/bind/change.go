package bind

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/parse"
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

// Change is a statement that changes rows, whose names are resolved.
type Change struct {
	Kind   Kind
	Ignore bool
	Table  *catalog.Descriptor // the only one that is changed, or the first of Targets
	// Rows are the rows of an UPDATE or DELETE of one table without subqueries: Table, Where, Order and Count. Their items are
	// none.
	Rows *Query
	// Query, in the place of Rows, is a query for all that an UPDATE or DELETE needs of its rows: its items are references,
	// which Targets and Sets refer to likewise. Of an insertion, in the place of Values, its items are the values for Columns,
	// and behind them those of Beyond.
	Query   *Query
	Targets []*Target // of Query
	// Sets are the assignments of an UPDATE by Rows, in their order.
	Sets []Set
	// Columns are the positions of the columns that an insertion gives values for, and Values the rows of these: a nil
	// expression is DEFAULT. Expressions refer to the columns of the row that is inserted.
	Columns []int
	Values  [][]sqlparser.Expr
	// Duplicate are the assignments of ON DUPLICATE KEY UPDATE: they refer to the row that exists and, by positions behind
	// its columns, to the one that was to be inserted.
	Duplicate []Set
	// Beyond are the items of Query that Duplicate refers to by positions behind these.
	Beyond []int
	// Row has the subqueries of Values and Duplicate, over the row that is inserted.
	Row *Query
	// Returned has the items of RETURNING, over the columns of Table; nil: there are none.
	Returned *Query
}

// Set assigns a value to a column; a nil expression is DEFAULT.
type Set struct {
	Column int
	Expr   sqlparser.Expr
}

// ChangeOf binds an INSERT, REPLACE, UPDATE or DELETE.
func ChangeOf(of *parse.Change, scope Scope) (c *Change, err error) {
	b := &binder{scope: &scope, q: &Query{}}
	var table sqlparser.TableExpr
	switch s := of.Tree.(type) {
	case *sqlparser.Insert:
		table = s.Table
		c, err = b.insert(s)
	case *sqlparser.Update:
		return b.update(s)
	case *sqlparser.Delete:
		table = s.TableExprs[0]
		c, err = b.delete(s)
	default:
		return nil, unsupported("this kind of statement")
	}
	if err == nil && of.Returning != nil {
		err = c.returns(&scope, table, of.Returning, of.Texts)
	}
	return c, err
}

// assigned is a value that is assigned; nil: DEFAULT.
func (b *binder) assigned(e sqlparser.Expr) (sqlparser.Expr, error) {
	if d, ok := e.(*sqlparser.Default); ok && d.ColName == "" {
		return nil, nil
	}
	e, err := b.withDefaults(e)
	if err != nil {
		return nil, err
	}
	out, err := b.resolve(e, nil)
	if err == nil && hasAggregate(out) {
		err = expr.NewError(1111, "HY000", "Invalid use of group function")
	}
	return out, err
}

// withDefaults has the default of a column in the place of DEFAULT(column).
func (b *binder) withDefaults(e sqlparser.Expr) (_ sqlparser.Expr, failed error) {
	if !hasDefault(e) {
		return e, nil
	}
	out := sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		d, ok := c.Node().(*sqlparser.Default)
		if !ok || failed != nil {
			return
		}
		n := sqlparser.NewColName(d.ColName)
		at := b.position(n)
		if at < 0 {
			failed = b.unknown(n)
			return
		}
		s, pos := b.q.SourceOf(at)
		if s == nil || s.Table == nil || pos >= len(s.Table.Record.Columns) {
			failed = unsupported(sqlparser.String(d))
			return
		}
		to, err := defaultValue(&s.Table.Record.Columns[pos])
		if failed = err; err == nil {
			c.Replace(to)
		}
	}, nil).(sqlparser.Expr)
	return out, failed
}

// defaultValue is a column's default, which is a value.
func defaultValue(c *catalog.Column) (sqlparser.Expr, error) {
	if c.Default == nil {
		if c.Nullable {
			return &sqlparser.NullVal{}, nil
		}
		return nil, expr.NewError(1364, "HY000", "Field '%s' doesn't have a default value", c.Name)
	}
	e, err := expr.Environment().Parser().ParseExpr(c.Default.Text)
	if err != nil || !constantValue(e) {
		return nil, expr.NewError(3773, "HY000", "DEFAULT function cannot be used with default value expressions")
	}
	return e, nil
}

// partitioned is the error of a table with partitions that it does not have.
func partitioned() error {
	return expr.NewError(1747, "HY000", "PARTITION () clause on non partitioned table")
}

// Elsewhere is the error of a change of a table that is not one of the catalogue's.
type Elsewhere struct{ Database, Table string }

// Error implements error.
func (e *Elsewhere) Error() string {
	return "a change of table " + e.Database + "." + e.Table + ", which is not the cluster's own"
}

func hasDefault(e sqlparser.Expr) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		_, is := n.(*sqlparser.Default)
		found = found || is
		return !found, nil
	}, e)
	return found
}

func (b *binder) insert(s *sqlparser.Insert) (*Change, error) {
	c := &Change{Kind: Inserts, Ignore: bool(s.Ignore)}
	if s.Action == sqlparser.ReplaceAct {
		c.Kind = Replaces
	}
	if len(s.Partitions) > 0 {
		return nil, partitioned()
	}
	if err := b.from([]sqlparser.TableExpr{s.Table}); err != nil {
		return nil, err
	}
	if c.Table = b.q.Table; c.Table == nil {
		t := b.names.tables
		switch {
		case len(t) != 1:
			return nil, unsupported("an INSERT into no table")
		case t[0].virtual != nil:
			return nil, &Elsewhere{t[0].virtual.Database, t[0].virtual.Name}
		}
		return nil, expr.NewError(1471, "HY000", "The target table %s of the INSERT is not insertable-into", t[0].alias)
	}
	if err := c.columns(b, s.Columns); err != nil {
		return nil, err
	}
	c.Row = b.q
	offered, err := c.rowsOf(b, s)
	if err != nil {
		return nil, err
	}
	if err := c.onDuplicate(b, s, offered); err != nil {
		return nil, err
	}
	return c, usesTarget(c.Table, b.q.Alias, c.Row.Subqueries)
}

// rowsOf binds where the rows of an insertion come from, and returns the columns of a query that ON DUPLICATE may name.
func (c *Change) rowsOf(b *binder, s *sqlparser.Insert) (*offeredNames, error) {
	values, ok := s.Rows.(sqlparser.Values)
	if !ok {
		return c.queried(b, s.Rows)
	}
	for i, tuple := range values {
		row, err := c.row(b, tuple, i)
		if err != nil {
			return nil, err
		}
		c.Values = append(c.Values, row)
	}
	return nil, nil
}

// valueCount is the error of a row that has not as many values as there are columns; rows are counted from 0.
func valueCount(row int) error {
	return expr.NewError(1136, "21S01", "Column count doesn't match value count at row %d", row+1)
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
		if at < 0 {
			b.clause = "field list"
			return b.unknown(sqlparser.NewColName(n.String()))
		}
		if slices.Contains(c.Columns, at) {
			return expr.NewError(1110, "42000", "Column '%s' specified twice", n.String())
		}
		c.Columns = append(c.Columns, at)
	}
	return nil
}

// row binds the values of a row; VALUES () has the defaults of all columns.
func (c *Change) row(b *binder, tuple sqlparser.ValTuple, number int) ([]sqlparser.Expr, error) {
	row := make([]sqlparser.Expr, len(c.Columns))
	if len(tuple) == 0 && len(c.Columns) == len(c.Table.Record.Columns) {
		return row, nil
	}
	if len(tuple) != len(row) {
		return nil, valueCount(number)
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

// DefaultOf binds the expression of a column's default, over the row that is inserted.
func DefaultOf(d *catalog.Descriptor, e sqlparser.Expr) (sqlparser.Expr, error) {
	b := &binder{scope: &Scope{Table: func(string, string) (*catalog.Descriptor, bool) { return d, true }}, q: &Query{}}
	if err := b.from([]sqlparser.TableExpr{&sqlparser.AliasedTableExpr{Expr: sqlparser.NewTableName(d.Record.Name)}}); err != nil {
		return nil, err
	}
	return b.resolve(e, nil)
}
