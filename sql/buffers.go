package sql

import (
	"isochron/sql/legacy"
	"isochron/sql/memory"
	"sync/atomic"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Parts of the engine's plans hold the rows that they are given: who sorts, groups or
// joins by a hash. The rows are counted on their way in, and charged to the statement
// until the part is closed.

// bufferedBytes says how much of a row a part of a plan holds on to; nil: it holds nothing.
// lasting parts hold it until the statement ends.
func bufferedBytes(ctx *gms.Context, n gms.Node) (size func(gms.Row) int64, most int64, lasting bool) {
	const every = 1 << 62
	mark := func(gms.Row) int64 { return legacy.RowBytes } // a hash
	none := func(gms.Row) int64 { return 0 }
	switch n := n.(type) {
	case *gmsplan.GroupBy:
		return none, every, false // its groups are counted, and the values that they keep
	case *gmsplan.Sort, *gmsplan.Window, *gmsplan.Into, *gmsplan.RecursiveCte:
		return legacy.RowSize, every, false
	case *gmsplan.TopN:
		return legacy.RowSize, topOf(ctx, n), false
	case *gmsplan.Distinct:
		return mark, every, false
	case *gmsplan.SetOp:
		if n.SetOpType != gmsplan.UnionType {
			return legacy.RowSize, every, false
		}
		if n.Distinct || len(n.SortConditions) > 0 {
			return legacy.RowSize, every, false
		}
	case *gmsplan.HashLookup:
		if n.Lookup == nil {
			return legacy.RowSize, every, true
		}
	case *gmsplan.CachedResults:
		if !n.IsFinalized() {
			return legacy.RowSize, every, true
		}
	case *gmsplan.JoinNode:
		if n.Op.IsFullOuter() || n.Op.IsMerge() || n.Op.IsRange() {
			return legacy.RowSize, every, false
		}
	}
	return nil, 0, false
}

// topOf is how many rows a TopN holds.
func topOf(ctx *gms.Context, n *gmsplan.TopN) int64 {
	if l, ok := n.Limit.(*expression.Literal); ok {
		if v, err := l.Eval(ctx, nil); err == nil {
			return max(1, int64(numberAt([]any{v}, 0)))
		}
	}
	return 1 << 62
}

// countBuffered builds a part that holds rows so that they are counted; nil: it holds none.
func (b *builder) countBuffered(ctx *gms.Context, n gms.Node, row gms.Row) (gms.RowIter, error) {
	account := accountOf(ctx)
	if account == nil {
		return nil, nil
	}
	size, most, lasting := bufferedBytes(ctx, n)
	if size == nil {
		return nil, nil
	}
	f := &feeding{g: b.g, part: n, size: size, most: most, lasting: lasting, held: &memory.Holding{Account: account}}
	if g, ok := n.(*gmsplan.GroupBy); ok {
		counted, err := f.countGroups(ctx, g)
		if err != nil {
			return nil, err
		}
		f.part = counted
	}
	iter, err := rowexec.NewBuilder(f, b.g.overrides).Build(ctx, f.part, row)
	if err == nil && f.grouped {
		iter = groups{iter, &f.failed}
	}
	return iter, err
}

// feeding builds what a part is fed by.
type feeding struct {
	g       *gateway
	part    gms.Node
	size    func(gms.Row) int64
	most    int64
	lasting bool
	held    *memory.Holding
	grouped bool
	last    atomic.Int64 // the size of the row that came last
	failed  firstFailure // of groups
}

// Build implements gms.NodeExecBuilder.
func (f *feeding) Build(ctx *gms.Context, n gms.Node, row gms.Row) (gms.RowIter, error) {
	if n == f.part {
		return nil, nil // by the engine
	}
	inner, err := f.g.engine.Analyzer.ExecBuilder.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	return &counting{RowIter: inner, feeding: f}, nil
}

// counting counts the rows that a part is given.
type counting struct {
	gms.RowIter
	*feeding
	rows int64
}

// Next implements gms.RowIter.
func (c *counting) Next(ctx *gms.Context) (gms.Row, error) {
	if err := c.failed.err(); err != nil {
		return nil, err
	}
	row, err := c.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	if c.grouped {
		c.last.Store(legacy.RowSize(row))
	}
	if c.rows++; c.rows <= c.most {
		if err := c.held.Add(c.size(row)); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// Close implements gms.RowIter.
func (c *counting) Close(ctx *gms.Context) error {
	err := c.RowIter.Close(ctx)
	if !c.lasting {
		c.held.Drop()
	}
	return err
}

// groupBytes is what a group takes for each of its aggregates.
const groupBytes = 160

// countGroups has the groups counted of a GROUP BY, and the values that its aggregates
// keep.
func (f *feeding) countGroups(ctx *gms.Context, n *gmsplan.GroupBy) (gms.Node, error) {
	copied := *n
	f.grouped = len(n.GroupByExprs) > 0 && len(n.SelectDeps) > 0
	copied.SelectDeps = make([]gms.Expression, len(n.SelectDeps))
	for i, e := range n.SelectDeps {
		var err error
		if copied.SelectDeps[i], err = f.countArguments(ctx, e); err != nil {
			return nil, err
		}
	}
	if f.grouped {
		f.keepFailures(&copied)
	}
	return &copied, nil
}

// keepFailures counts the groups, and has what fails among them be kept (firstFailure).
func (f *feeding) keepFailures(n *gmsplan.GroupBy) {
	by := make([]gms.Expression, len(n.GroupByExprs))
	for i, e := range n.GroupByExprs {
		by[i] = groupKey{e, &f.failed}
	}
	n.GroupByExprs = by
	for i, e := range n.SelectDeps {
		a, ok := e.(gms.Aggregation)
		if !ok {
			a = aggregation.NewFirst(e) // as the engine takes it
		}
		if i == 0 {
			a = groupCount{a, f, int64(len(n.SelectDeps)) * groupBytes}
		}
		n.SelectDeps[i] = groupValue{a, &f.failed}
	}
}

// groupCount counts the groups: each makes a buffer of its own.
type groupCount struct {
	gms.Aggregation
	feeding *feeding
	bytes   int64
}

// NewBuffer implements gms.Aggregation.
func (c groupCount) NewBuffer(ctx *gms.Context) (gms.AggregationBuffer, error) {
	if err := c.feeding.held.Add(c.bytes + c.feeding.last.Load()); err != nil {
		return nil, err
	}
	return c.Aggregation.NewBuffer(ctx)
}

// countArguments has the values counted that an aggregate keeps.
func (f *feeding) countArguments(ctx *gms.Context, e gms.Expression) (gms.Expression, error) {
	if _, ok := e.(gms.Aggregation); !ok {
		return e, nil
	}
	all, changed := keeps(e), false
	children := e.Children()
	counted := make([]gms.Expression, len(children))
	for i, child := range children {
		counted[i] = child
		switch c := child.(type) {
		case *expression.DistinctExpression:
			with, err := c.WithChildren(ctx, f.value(c.Child, true))
			if err != nil {
				return nil, err
			}
			counted[i], changed = with, true
		case *expression.Star, *expression.Literal:
		default:
			if all {
				counted[i], changed = f.value(child, isCountDistinct(e)), true
			}
		}
	}
	if !changed {
		return e, nil
	}
	return e.WithChildren(ctx, counted...)
}

// keeps reports whether an aggregate keeps the values that it is given.
func keeps(e gms.Expression) bool {
	switch e.(type) {
	case *aggregation.GroupConcat, *aggregation.JsonArray, *aggregation.JSONObjectAgg, *aggregation.CountDistinct:
		return true
	}
	return false
}

// top counts what a statement yields while it is on its way to the client: the engine
// has many rows under way. It is built once a statement, for the plan's root.
func (b *builder) top(ctx *gms.Context, n gms.Node, row gms.Row) (gms.RowIter, error) {
	account := accountOf(ctx)
	s, ok := ctx.Session.(*Session)
	if account == nil || !ok || s.statement.topped || !yieldsRows(n) {
		return nil, nil
	}
	s.statement.tops()
	n, err := countSubqueries(ctx, n, b, account)
	if err != nil {
		return nil, err
	}
	iter, err := b.g.engine.Analyzer.ExecBuilder.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	return &underWay{RowIter: iter, account: account}, nil
}

// yieldsRows reports whether a plan's root is one whose rows the engine hands out as
// they are; at others it looks what they are.
func yieldsRows(n gms.Node) bool {
	switch n.(type) {
	case *gmsplan.Project, *gmsplan.Filter, *gmsplan.Limit, *gmsplan.Offset, *gmsplan.Sort, *gmsplan.TopN, *gmsplan.GroupBy, *gmsplan.Distinct, *gmsplan.SetOp, *gmsplan.Having, *gmsplan.Window, *gmsplan.JoinNode, *gmsplan.SubqueryAlias:
		return true
	}
	return false
}

// underWayRows are at most between the plan and the client.
const underWayRows = 2048

// underWay counts the last rows that were handed out.
type underWay struct {
	gms.RowIter
	account *memory.Account
	sizes   [underWayRows]int64
	at      int
}

// Next implements gms.RowIter.
func (u *underWay) Next(ctx *gms.Context) (gms.Row, error) {
	row, err := u.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	u.account.Release(u.sizes[u.at])
	u.sizes[u.at] = 0
	size := legacy.RowSize(row)
	if err := u.account.Charge(size); err != nil {
		return nil, err
	}
	u.sizes[u.at] = size
	u.at = (u.at + 1) % underWayRows
	return row, nil
}

// countSubqueries has the results counted that subqueries in expressions hold.
func countSubqueries(ctx *gms.Context, n gms.Node, b *builder, account *memory.Account) (gms.Node, error) {
	out, _, err := transform.NodeExprsWithOpaque(ctx, n, func(ctx *gms.Context, e gms.Expression) (gms.Expression, transform.TreeIdentity, error) {
		q, ok := e.(*gmsplan.Subquery)
		if !ok {
			return e, transform.SameTree, nil
		}
		inner, err := countSubqueries(ctx, q.Query, b, account)
		if err != nil {
			return nil, transform.SameTree, err
		}
		// Its result is kept for the statement, if it is the same for all rows.
		f := &feeding{g: b.g, size: legacy.RowSize, most: 1 << 62, lasting: !q.IsNonDeterministic(), held: &memory.Holding{Account: account}}
		return q.WithQuery(inner).WithExecBuilder(f), transform.NewTree, nil
	})
	return out, err
}
