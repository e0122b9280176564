package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/account"
	"isochron/sql/legacy/accounts"
	"isochron/sql/legacy/enginetable"
	"isochron/sql/plan"
)

// builder is asked first how to execute a node of a plan; nil leaves it to the
// engine.
type builder struct{ g *gateway }

var _ gms.NodeExecBuilder = (*builder)(nil)

// Build implements gms.NodeExecBuilder.
func (b *builder) Build(ctx *gms.Context, n gms.Node, row gms.Row) (gms.RowIter, error) {
	if err := permitNode(ctx, n); err != nil {
		return nil, err
	}
	if err := b.defines(ctx, n); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *gmsplan.CreateCheck:
		return b.createCheck(ctx, n)
	case *gmsplan.AlterDefaultSet:
		return alterDefault(ctx, n.Database(), n.Table, n.ColumnName, n.Default)
	case *gmsplan.AlterDefaultDrop:
		return alterDefault(ctx, n.Database(), n.Table, n.ColumnName, nil)
	case *gmsplan.AddColumn:
		return b.addColumn(ctx, n)
	case *accounts.Node:
		return b.changeAccounts(ctx, n.Statement)
	case *gmsplan.FlushPrivileges:
		return done(), nil // they are never behind for long
	case *gmsplan.Call, *gmsplan.CreateProcedure, *gmsplan.DropProcedure:
		return nil, errProcedureElsewhere
	case *gmsplan.InsertInto:
		if iter, err := b.returning(ctx, n, row); iter != nil || err != nil {
			return iter, err
		}
	case *plan.Rows:
		return n.Iter(), nil
	case *gmsplan.ShowColumns:
		if iter, err := b.showColumns(ctx, n, row); iter != nil || err != nil {
			return iter, err
		}
	}
	s, ok := ctx.Session.(*Session)
	if !ok {
		return nil, nil
	}
	if writesUserTable(n) {
		return nil, account.ErrUserTables
	}
	if !s.statement.compiled { // it is the plan's root
		other, same, err := withinBounds(ctx, n)
		if err != nil {
			return nil, err
		}
		s.statement.compile(ctx, other, s.statement.own)
		if !same {
			return b.g.engine.Analyzer.ExecBuilder.Build(ctx, other, row)
		}
	}
	if s.statement.plan == nil {
		if iter, err := b.withoutPlan(ctx, n, row); iter != nil || err != nil {
			return iter, err
		}
	}
	if p := s.statement.plan; p != nil && p.Read != nil && p.Read.Top == n {
		return p.Read.Rows(), nil
	}
	if j, ok := n.(*gmsplan.JoinNode); ok {
		return b.joined(ctx, j, row)
	}
	if p := s.statement.plan; p != nil && p.Insert != nil && p.Insert.Node == n {
		return b.insert(ctx, p.Insert)
	}
	return b.check(ctx, n, row)
}

// joined lets the engine do a join, by lookups if it can be read so.
func (b *builder) joined(ctx *gms.Context, n *gmsplan.JoinNode, row gms.Row) (gms.RowIter, error) {
	if j := plan.FindLookupJoin(n); j != nil {
		return b.join(ctx, j, row)
	}
	return b.check(ctx, n, row)
}

// join lets the engine do a lookup join for which everything is read in batches.
func (b *builder) join(ctx *gms.Context, j *plan.LookupJoin, row gms.Row) (gms.RowIter, error) {
	exec := b.g.engine.Analyzer.ExecBuilder
	left, err := exec.Build(ctx, j.Node.Left(), row)
	if err != nil {
		return nil, err
	}
	ready, err := j.Prepare(ctx, left, row)
	if err != nil {
		return nil, err
	}
	return exec.Build(ctx, ready, row)
}

// insert evaluates the rows of an insertion, asks after all their keys at once,
// and lets the engine insert them.
func (b *builder) insert(ctx *gms.Context, i *plan.Insert) (gms.RowIter, error) {
	exec := b.g.engine.Analyzer.ExecBuilder
	source, err := exec.Build(ctx, i.Node.Source, nil)
	if err != nil {
		return nil, err
	}
	ready, err := i.Prepare(ctx, source)
	if err != nil {
		return nil, err
	}
	return exec.Build(ctx, ready, nil)
}

func done() gms.RowIter { return gms.RowsToRowIter(gms.NewRow(types.NewOkResult(0))) }

// addColumn adds a column without rewriting the rows, as the engine would.
func (b *builder) addColumn(ctx *gms.Context, n *gmsplan.AddColumn) (gms.RowIter, error) {
	rt, ok := n.Table.(*gmsplan.ResolvedTable)
	if !ok {
		return nil, nil
	}
	t, ok := rt.UnderlyingTable().(*enginetable.Table)
	if !ok {
		return nil, nil
	}
	if err := t.AddColumn(ctx, n.Column(), n.Order(ctx)); err != nil {
		return nil, err
	}
	return done(), nil
}
