package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
)

// The engine gives, for RETURNING of a row that an INSERT or REPLACE found in its place, the old
// row and the new one side by side. Here RETURNING is of the row as it is stored afterwards. For a
// REPLACE it is refused: the engine takes both rows for the columns of the answer.

var errReplaceReturning = mysql.NewSQLError(1235, "42000", "REPLACE ... RETURNING is not supported for a table of the cluster's own: use INSERT ... ON DUPLICATE KEY UPDATE ... RETURNING, or read the rows afterwards")

// returning carries out an insertion with RETURNING that may update a row in its place; nil for others.
func (b *builder) returning(ctx *gms.Context, n *gmsplan.InsertInto, row gms.Row) (gms.RowIter, error) {
	switch {
	case len(n.Returning) == 0:
		return nil, nil
	case n.IsReplace:
		return nil, errReplaceReturning
	case !n.OnDupExprs.HasUpdates():
		return nil, nil
	}
	without := *n
	without.Returning = nil
	rows, err := b.g.engine.Analyzer.ExecBuilder.Build(ctx, &without, row)
	if err != nil {
		return nil, err
	}
	return &returned{rows, n.Returning, len(n.Destination.Schema(ctx))}, nil
}

// returned are the expressions of RETURNING over rows, each with the row before it or not.
type returned struct {
	gms.RowIter
	list  []gms.Expression
	width int
}

// Next implements gms.RowIter.
func (r *returned) Next(ctx *gms.Context) (gms.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	stored, out := row[len(row)-r.width:], make(gms.Row, len(r.list))
	for i, e := range r.list {
		if out[i], err = e.Eval(ctx, stored); err != nil {
			return nil, err
		}
	}
	return out, nil
}
