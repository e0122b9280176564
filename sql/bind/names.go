package bind

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// aliases resolves a name that may be an alias; false: it is none. nested: the name is part of a larger expression.
type aliases func(name string, nested bool) (sqlparser.Expr, bool)

// resolve returns an expression with references in the place of names and subqueries. first may resolve a name before the
// columns are sought.
func (b *binder) resolve(e sqlparser.Expr, first aliases) (sqlparser.Expr, error) {
	before := b.first
	b.first = first
	defer func() { b.first = before }()
	var failed error
	post := func(c *sqlparser.CopyOnWriteCursor) {
		if failed != nil {
			return
		}
		to, err := b.node(c.Node(), c.Parent())
		if err != nil {
			failed = err
		} else if to != nil {
			c.Replace(to)
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

// node is what a node of an expression is replaced by, its children being resolved; nil: it stays.
func (b *binder) node(n, parent sqlparser.SQLNode) (sqlparser.SQLNode, error) {
	var to sqlparser.Expr
	var err error
	switch n := n.(type) {
	case *sqlparser.ColName:
		to, err = b.name(n, parent != nil)
	case *sqlparser.ComparisonExpr:
		if to, err = b.compared(n); to == nil && err == nil {
			to, err = rowComparison(n)
		}
	case sqlparser.AggrFunc:
		to = b.outerAggregate(n)
	case *sqlparser.ExistsExpr:
		to, err = b.subquery(&Subquery{Kind: Exists}, n.Subquery)
	case *sqlparser.Subquery:
		if ofComparison(n, parent) {
			return nil, nil
		}
		to, err = b.subquery(&Subquery{Kind: Scalar}, n)
	}
	if to == nil || err != nil {
		return nil, err
	}
	return to, nil
}

// name is what a name refers to.
func (b *binder) name(n *sqlparser.ColName, nested bool) (sqlparser.Expr, error) {
	if strings.HasPrefix(n.Qualifier.Name.String(), "\x00") {
		return nil, nil // resolved before
	}
	e, err := b.sought(n, nested)
	if err == nil && e == nil {
		err = b.unknown(n)
	}
	return e, err
}

// position is a column's position in the sources' row, -1 if it has none.
func (b *binder) position(n *sqlparser.ColName) int {
	v, err := b.find(n)
	if err != nil || v == nil {
		return -1
	}
	if at, ok := Column(v.to); ok {
		return at
	}
	return -1
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
	if v, err := b.find(sqlparser.NewColName(name)); v != nil || err != nil {
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
