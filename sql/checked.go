package sql

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
)

// The engine's iterators do not look at the context: a join that finds nothing, or a
// group of many rows, would go on for whoever has gone. So each iterator from which
// rows can come without another being asked is wrapped in one that looks.

// checkEvery is after how many rows of an iterator the context is looked at, and after
// how many comparisons of a sort.
const checkEvery = 64

// checked is an iterator that ends when its statement is cut short.
type checked struct {
	gms.RowIter
	rows int
}

// Next implements gms.RowIter.
func (c *checked) Next(ctx *gms.Context) (gms.Row, error) {
	if c.rows++; c.rows%checkEvery == 0 && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return c.RowIter.Next(ctx)
}

// yields reports whether the iterator of a node can yield rows without asking another
// iterator for one each time. Those of statements that write are told apart by the
// engine by their types, and ask others for each row.
func yields(n gms.Node) bool {
	switch n.(type) {
	case *gmsplan.JoinNode, *gmsplan.ResolvedTable, *gmsplan.IndexedTableAccess,
		*gmsplan.CachedResults, *gmsplan.SubqueryAlias, *gmsplan.HashLookup, *gmsplan.Sort, *gmsplan.GroupBy,
		*gmsplan.Window, *gmsplan.SetOp, *gmsplan.RecursiveCte, *gmsplan.RecursiveTable, *gmsplan.Values,
		*gmsplan.JSONTable, *gmsplan.Concat, *gmsplan.Having, *gmsplan.Filter, *gmsplan.Distinct:
		return true
	}
	return false
}

// check has the engine build the iterator of a node, and wraps it; nil if that is not
// needed. What holds rows counts them as well (countBuffered).
func (b *builder) check(ctx *gms.Context, n gms.Node, row gms.Row) (gms.RowIter, error) {
	if !yields(n) {
		return b.countBuffered(ctx, n, row)
	}
	if ctx.Err() != nil { // a join builds one for each row
		return nil, context.Cause(ctx)
	}
	if s, ok := n.(*gmsplan.Sort); ok {
		n = checkedSort(s)
	}
	iter, err := b.countBuffered(ctx, n, row)
	if iter == nil && err == nil {
		once := *b.g.engine.Analyzer.ExecBuilder
		once.PriorityBuilder = &besides{builder: b, leave: n}
		iter, err = once.Build(ctx, n, row)
	}
	if err != nil {
		return nil, err
	}
	return &checked{RowIter: iter}, nil
}

// besides is the builder for all but one node, which the engine builds by itself: the
// first that it is asked for.
type besides struct {
	*builder
	leave gms.Node
}

// Build implements gms.NodeExecBuilder.
func (b *besides) Build(ctx *gms.Context, n gms.Node, row gms.Row) (gms.RowIter, error) {
	if b.leave != nil {
		b.leave = nil
		return nil, nil
	}
	return b.builder.Build(ctx, n, row)
}

// checkedSort is a sort that looks at the context among its comparisons.
func checkedSort(n *gmsplan.Sort) gms.Node {
	if len(n.SortConditions) == 0 {
		return n
	}
	sort := *n
	sort.SortConditions = append(gms.SortConditions(nil), n.SortConditions...)
	sort.SortConditions[0].Expr = &checkedExpression{Expression: sort.SortConditions[0].Expr}
	return &sort
}

// checkedExpression is an expression that fails when its statement is cut short. It
// stands in no plan: it is made for one execution.
type checkedExpression struct {
	gms.Expression
	count int
}

var _ gms.Expression = (*checkedExpression)(nil)

// Eval implements gms.Expression.
func (e *checkedExpression) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	if e.count++; e.count%checkEvery == 0 && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return e.Expression.Eval(ctx, row)
}

// WithChildren implements gms.Expression.
func (e *checkedExpression) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	inner, err := e.Expression.WithChildren(ctx, children...)
	return &checkedExpression{Expression: inner}, err
}
