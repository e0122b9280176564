package window

import (
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Carry has the windows of a plan yield the columns as well that subqueries beside them
// refer to. The engine leaves them out.
func Carry(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
	found := false
	transform.InspectWithOpaque(ctx, n, func(_ *gms.Context, n gms.Node) bool {
		_, is := n.(*gmsplan.Window)
		found = found || is
		return !found
	})
	if !found {
		return n, transform.SameTree, nil
	}
	c := &carrying{ctx: ctx}
	out, _, err := c.through(n, nil, false)
	if err != nil || !c.changed {
		return n, transform.SameTree, err
	}
	return out, transform.NewTree, nil
}

type carrying struct {
	ctx     *gms.Context
	changed bool
}

type fields map[gms.ColumnId]*expression.GetField

// through walks down to the windows with the fields that are needed of them, and returns the ones
// that exist. inner: there is a projection above.
func (c *carrying) through(n gms.Node, wanted fields, inner bool) (gms.Node, fields, error) {
	project, isProject := n.(*gmsplan.Project)
	switch n := n.(type) {
	case *gmsplan.Project, *gmsplan.Sort, *gmsplan.TopN, *gmsplan.Having, *gmsplan.Filter, *gmsplan.Limit, *gmsplan.Offset:
		more := fields{}
		for id, f := range wanted {
			more[id] = f
		}
		if e, ok := n.(gms.Expressioner); ok {
			for _, e := range e.Expressions() {
				outer(c.ctx, e, more)
			}
		}
		child, there, err := c.through(n.Children()[0], more, inner || isProject)
		if err != nil {
			return nil, nil, err
		}
		out, err := n.WithChildren(c.ctx, child)
		if err == nil && isProject && inner {
			if missing := there.without(project.Projections); len(missing) > 0 {
				exprs := append(append([]gms.Expression{}, project.Projections...), missing...)
				out = gmsplan.NewProject(c.ctx, exprs, child).WithAliasDeps(project.AliasDeps)
				c.changed = true
			}
		}
		return out, there, err
	case *gmsplan.Window:
		there, has := fields{}, columnsOf(c.ctx, n.Child)
		for id, f := range wanted {
			if has.Contains(id) {
				there[id] = f
			}
		}
		child, _, err := c.through(n.Child, nil, false)
		if err != nil {
			return nil, nil, err
		}
		missing := there.without(n.SelectExprs)
		c.changed = c.changed || len(missing) > 0
		return gmsplan.NewWindow(append(append([]gms.Expression{}, n.SelectExprs...), missing...), child), there, nil
	}
	children := n.Children()
	if len(children) == 0 {
		return n, nil, nil
	}
	with := make([]gms.Node, len(children))
	for i, child := range children {
		var err error
		if with[i], _, err = c.through(child, nil, false); err != nil {
			return nil, nil, err
		}
	}
	if !c.changed {
		return n, nil, nil
	}
	out, err := n.WithChildren(c.ctx, with...)
	return out, nil, err
}

// without are the fields that are not among the expressions, in the order of their numbers.
func (f fields) without(exprs []gms.Expression) (missing []gms.Expression) {
	var ids gms.ColSet
	for id := range f { // order: into a set
		ids.Add(id)
	}
	for _, e := range exprs {
		if e, ok := e.(*expression.GetField); ok {
			ids.Remove(e.Id())
		}
	}
	ids.ForEach(func(id gms.ColumnId) { missing = append(missing, f[id]) })
	return missing
}

// outer gathers the fields of queries around them that the subqueries of an expression name.
func outer(ctx *gms.Context, e gms.Expression, into fields) {
	transform.InspectExpr(ctx, e, func(ctx *gms.Context, e gms.Expression) bool {
		q, ok := e.(*gmsplan.Subquery)
		if !ok {
			return false
		}
		transform.InspectWithOpaque(ctx, q.Query, func(ctx *gms.Context, n gms.Node) bool {
			x, ok := n.(gms.Expressioner)
			if !ok {
				return true
			}
			for _, e := range x.Expressions() {
				transform.InspectExpr(ctx, e, func(_ *gms.Context, e gms.Expression) bool {
					if f, ok := e.(*expression.GetField); ok && q.Correlated().Contains(f.Id()) {
						into[f.Id()] = f
					}
					return false
				})
				outer(ctx, e, into)
			}
			return true
		})
		return false
	})
}

// columnsOf are the columns of the tables below a node.
func columnsOf(ctx *gms.Context, n gms.Node) (all gms.ColSet) {
	transform.InspectWithOpaque(ctx, n, func(_ *gms.Context, n gms.Node) bool {
		if t, ok := n.(gmsplan.TableIdNode); ok {
			all = all.Union(t.Columns())
		}
		return true
	})
	return all
}

// WithoutSubqueries puts the columns that subqueries refer to in their place, for the
// engine's rule about GROUP BY, which refuses every subquery.
func WithoutSubqueries(ctx *gms.Context, n gms.Node) (gms.Node, error) {
	own := columnsOf(ctx, n)
	out, _, err := transform.NodeWithOpaque(ctx, n, func(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
		switch n.(type) {
		case *gmsplan.Project, *gmsplan.GroupBy, *gmsplan.Sort:
		default:
			return n, transform.SameTree, nil
		}
		x := n.(gms.Expressioner)
		exprs, changed, err := withoutAll(ctx, x.Expressions(), own)
		if err != nil || !changed {
			return n, transform.SameTree, err
		}
		n, err = x.WithExpressions(ctx, exprs...)
		return n, transform.NewTree, err
	})
	return out, err
}

// withoutAll does it for expressions, from the outside in.
func withoutAll(ctx *gms.Context, exprs []gms.Expression, own gms.ColSet) (out []gms.Expression, changed bool, err error) {
	out = slices.Clone(exprs)
	for i, e := range exprs {
		switch e.(type) {
		case nil:
			continue
		case *gmsplan.Subquery, *gmsplan.ExistsSubquery, *gmsplan.InSubquery:
			out[i], changed = named(ctx, e, own), true
			continue
		}
		children, inside, err := withoutAll(ctx, e.Children(), own)
		if err != nil {
			return nil, false, err
		}
		if inside {
			if out[i], err = e.WithChildren(ctx, children...); err != nil {
				return nil, false, err
			}
			changed = true
		}
	}
	return out, changed, nil
}

// named are the columns of its own query that an expression with a subquery names.
func named(ctx *gms.Context, e gms.Expression, own gms.ColSet) gms.Expression {
	all := fields{}
	outer(ctx, e, all)
	if in, ok := e.(*gmsplan.InSubquery); ok {
		transform.InspectExpr(ctx, in.LeftChild, func(_ *gms.Context, e gms.Expression) bool {
			if f, ok := e.(*expression.GetField); ok {
				all[f.Id()] = f
			}
			return false
		})
	}
	for id := range all { // order: each by itself
		if !own.Contains(id) {
			delete(all, id)
		}
	}
	if len(all) == 0 {
		return expression.NewLiteral(int64(1), types.Int64)
	}
	return expression.NewTuple(all.without(nil)...)
}

// FiltersItsOutput reports whether a plan filters what windows or limits yield: no such
// filter may choose the rows that they are given.
func FiltersItsOutput(ctx *gms.Context, n gms.Node) bool {
	found := false
	transform.InspectWithOpaque(ctx, n, func(ctx *gms.Context, n gms.Node) bool {
		if f, ok := n.(*gmsplan.Filter); ok {
			transform.InspectWithOpaque(ctx, f.Child, func(_ *gms.Context, n gms.Node) bool {
				switch n.(type) {
				case *gmsplan.Window, *gmsplan.Limit, *gmsplan.Offset, *gmsplan.TopN:
					found = true
				}
				return !found
			})
		}
		return !found
	})
	return found
}
