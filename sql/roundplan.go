package sql

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/server"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// roundPlan executes the round plan of a statement that was analysed before, with other
// values: a read, an insertion, an update or a deletion.
type roundPlan struct {
	ctx  *gms.Context
	text *text
	*variant
}

func (*roundPlan) kind() planKind { return cachedPlan }

func (p *roundPlan) counter() string { return p.counts }

// counterOf is the status variable that counts a statement.
func counterOf(stmt sqlparser.Statement) string {
	switch stmt.(type) {
	case *sqlparser.Insert:
		return "Com_insert"
	case *sqlparser.Update:
		return "Com_update"
	case *sqlparser.Delete:
		return "Com_delete"
	}
	return "Com_select"
}

// cached is the plan that is kept for the types of the statement's values, with the values
// in it; nil if there is none, or they are for the engine.
func (x *execution) cached(ctx context.Context, t *text) Plan {
	gctx, err := x.h.sm.NewContextWithQuery(ctx, x.c, x.text)
	if err != nil {
		return nil
	}
	v := t.bound(gctx, x)
	if v == nil || v.plan.Plan.Writes != nil && readsOnly(x.s) {
		return nil
	}
	return &roundPlan{gctx, t, v}
}

// Execute implements Plan.
func (p *roundPlan) Execute(_ context.Context, x *execution) error {
	x.s.statement.adopt(p.plan.Plan, x.s.statement.own)
	iter, err := x.h.g.engine.Analyzer.ExecBuilder.Build(p.ctx, p.plan.Root, nil)
	if err != nil {
		return err
	}
	if p.plan.Plan.Writes != nil {
		return p.yieldOK(x, iter)
	}
	return p.yieldRows(x, iter)
}

// yieldOK yields the count of rows that the statement changed.
func (p *roundPlan) yieldOK(x *execution, iter gms.RowIter) error {
	ctx := p.ctx
	iter, _ = rowexec.AddAccumulatorIter(ctx, iter)
	row, err := iter.Next(ctx)
	if err = errors.Join(err, iter.Close(ctx)); err != nil {
		return unjoined(err)
	}
	ok, is := row[0].(types.OkResult)
	if !is {
		return fmt.Errorf("a statement that writes yielded %T", row[0])
	}
	r := &sqltypes.Result{RowsAffected: ok.RowsAffected, InsertID: ok.InsertID}
	if ok.Info != nil {
		r.Info = ok.Info.String()
	}
	return x.yield(r, false)
}

// yieldRows yields the rows.
func (p *roundPlan) yieldRows(x *execution, iter gms.RowIter) error {
	ctx, t := p.ctx, p.text
	buf := gms.NewByteBuffer(512)
	r := &sqltypes.Result{Fields: t.fields}
	count := int64(0)
	for {
		row, err := iter.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			_ = iter.Close(ctx)
			return err
		}
		out, err := server.RowToSQL(ctx, p.schema, row, nil, buf)
		if err != nil {
			_ = iter.Close(ctx)
			return err
		}
		r.Rows = append(r.Rows, out)
		r.RowsAffected++
		count++
		if len(r.Rows) == rowsBatch {
			setFlags(x.s, x.c)
			if err := x.yield(r, true); err != nil {
				_ = iter.Close(ctx)
				return err
			}
			r = &sqltypes.Result{Fields: t.fields}
		}
	}
	if err := iter.Close(ctx); err != nil {
		return err
	}
	info := ctx.GetLastQueryInfo()
	info.RowCount.Store(-1)
	info.FoundRows.Store(count)
	setFlags(x.s, x.c)
	return x.yield(r, false)
}

// unjoined is the one error in a join of one: errors are told apart by type.
func unjoined(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()[0]
	}
	return err
}
