package bind

import (
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// aliases resolves a name that may be an alias; false: it is none. nested: the name is part of a larger expression.
type aliases func(name string, nested bool) (sqlparser.Expr, bool)

// resolve returns an expression with references in the place of names. first may resolve a name before the table's
// columns are sought.
func (b *binder) resolve(e sqlparser.Expr, first aliases) (sqlparser.Expr, error) {
	var failed error
	post := func(c *sqlparser.CopyOnWriteCursor) {
		if failed != nil {
			return
		}
		switch n := c.Node().(type) {
		case *sqlparser.ColName:
			to, err := b.name(n, first, c.Parent() != nil)
			if err != nil {
				failed = err
				return
			}
			c.Replace(to)
		case *sqlparser.ComparisonExpr:
			to, err := rowComparison(n)
			if err != nil {
				failed = err
			} else if to != nil {
				c.Replace(to)
			}
		case *sqlparser.Subquery:
			failed = unsupported("a subquery")
		case *sqlparser.OverClause:
			failed = unsupported("a window")
		}
	}
	pre := func(n, _ sqlparser.SQLNode) bool {
		_, sub := n.(*sqlparser.Subquery)
		return failed == nil && !sub
	}
	out := sqlparser.CopyOnRewrite(e, pre, post, nil)
	if failed != nil {
		return nil, failed
	}
	return out.(sqlparser.Expr), nil
}

// name is what a name refers to.
func (b *binder) name(n *sqlparser.ColName, first aliases, nested bool) (sqlparser.Expr, error) {
	if strings.HasPrefix(n.Qualifier.Name.String(), "\x00") {
		return n, nil // resolved before
	}
	if first != nil && n.Qualifier.IsEmpty() {
		if e, ok := first(n.Name.String(), nested); ok {
			return e, nil
		}
	}
	at := b.position(n)
	if at < 0 {
		return nil, unsupported("name " + sqlparser.String(n)) // its error is that of the way that finds other tables
	}
	return refer(columnRow, at), nil
}

// position is a column's position in the table's row, -1 if it has none.
func (b *binder) position(n *sqlparser.ColName) int {
	if b.q.Table == nil || !n.Qualifier.IsEmpty() && !b.qualifies(n.Qualifier) {
		return -1
	}
	return slices.IndexFunc(b.q.Table.Schema.Schema, func(c *gms.Column) bool { return strings.EqualFold(c.Name, n.Name.String()) })
}

// qualifies reports whether a qualifier is that of the table.
func (b *binder) qualifies(t sqlparser.TableName) bool {
	if !t.Qualifier.IsEmpty() && !strings.EqualFold(t.Qualifier.String(), b.database) {
		return false
	}
	return strings.EqualFold(t.Name.String(), b.q.Alias)
}

// alias finds an item by its name.
func (b *binder) alias(name string) (Item, int, bool) {
	for i, item := range b.q.Items {
		if strings.EqualFold(item.Name, name) {
			return item, i, true
		}
	}
	return Item{}, -1, false
}

// columnsFirst resolves an alias if no column has the name.
func (b *binder) columnsFirst(name string, _ bool) (sqlparser.Expr, bool) {
	if b.position(sqlparser.NewColName(name)) >= 0 {
		return nil, false
	}
	item, _, ok := b.alias(name)
	return item.Expr, ok
}

// aliasesFirst resolves an alias before a column, but inside a larger expression.
func (b *binder) aliasesFirst(name string, nested bool) (sqlparser.Expr, bool) {
	if nested {
		return b.columnsFirst(name, nested)
	}
	item, _, ok := b.alias(name)
	return item.Expr, ok
}

// havingFirst resolves an alias before a column, wherever it is.
func (b *binder) havingFirst(name string, _ bool) (sqlparser.Expr, bool) {
	item, _, ok := b.alias(name)
	return item.Expr, ok
}
