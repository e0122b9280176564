package bind

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// isWindow reports whether a node is a function over a window.
func isWindow(n sqlparser.SQLNode) bool {
	w, ok := n.(sqlparser.WindowFunc)
	return ok && w.GetOverClause() != nil
}

// hasWindow reports whether an expression has a function over a window.
func hasWindow(e sqlparser.Expr) (found bool) {
	if e == nil {
		return false
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		found = found || isWindow(n)
		return !found, nil
	}, e)
	return found
}

// windows takes the functions over windows out of the select list and the order.
func (b *binder) windows() error {
	for _, e := range append([]sqlparser.Expr{b.q.Where, b.q.Having}, b.q.Keys...) {
		if hasWindow(e) {
			return expr.NewError(3593, "HY000", "You cannot use the window function in this context.")
		}
	}
	for i := range b.q.Items {
		var err error
		if b.q.Items[i].Expr, err = b.windowed(b.q.Items[i].Expr); err != nil {
			return err
		}
	}
	for i := range b.q.Order {
		var err error
		if b.q.Order[i].Expr, err = b.windowed(b.q.Order[i].Expr); err != nil {
			return err
		}
	}
	return nil
}

// windowed replaces functions over windows by references.
func (b *binder) windowed(e sqlparser.Expr) (sqlparser.Expr, error) {
	if !hasWindow(e) {
		return e, nil
	}
	var failed error
	out := sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		w, ok := c.Node().(sqlparser.WindowFunc)
		if !ok || !isWindow(w) || failed != nil {
			return
		}
		for _, arg := range w.GetArgs() {
			if hasReference(arg, windowRow) {
				failed = expr.NewError(3593, "HY000", "You cannot use the window function in this context.")
			}
		}
		at := slices.IndexFunc(b.q.Windows, func(o sqlparser.WindowFunc) bool { return sqlparser.Equals.Expr(o, w) })
		if at < 0 {
			at = len(b.q.Windows)
			b.q.Windows = append(b.q.Windows, w)
		}
		c.Replace(refer(windowRow, at))
	}, nil)
	return out.(sqlparser.Expr), failed
}

// hasReference reports whether an expression refers to a kind of rows.
func hasReference(e sqlparser.Expr, row string) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok && c.Qualifier.Name.String() == row {
			found = true
		}
		return !found, nil
	}, e)
	return found
}
