package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/account"
	"isochron/sql/legacy/accounts"
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
	switch n := n.(type) {
	case *accounts.Node:
		if n.Show != nil {
			return b.showGrants(ctx, n.Show)
		}
		return b.changeAccounts(ctx, n.Statement)
	case *gmsplan.FlushPrivileges:
		return done(), nil // they are never behind for long
	case *gmsplan.Call, *gmsplan.CreateProcedure, *gmsplan.DropProcedure:
		return nil, errProcedureElsewhere
	case *gmsplan.InsertInto, *gmsplan.Update, *gmsplan.DeleteFrom:
		return nil, errChangeByEngine
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
	if s.statement.bounded { // it is not the plan's root
		return nil, nil
	}
	s.statement.bounded = true
	within, same, err := withinBounds(ctx, n)
	if err != nil || bool(same) {
		return nil, err
	}
	return b.g.engine.Analyzer.ExecBuilder.Build(ctx, within, row)
}

// errChangeByEngine is the error of a change that has reached the engine, which executes none.
var errChangeByEngine = mysql.NewSQLError(codeInvalidRequest, "42000", "this form of INSERT, REPLACE, UPDATE or DELETE is not supported")

func done() gms.RowIter { return gms.RowsToRowIter(gms.NewRow(types.NewOkResult(0))) }
