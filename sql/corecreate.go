package sql

import (
	"context"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/catalog"
	"isochron/sql/change"
)

// fillByCore fills a table that a CREATE TABLE ... SELECT has made, in its transaction, as INSERT ... SELECT does; false: the
// core cannot compile that.
func fillByCore(ctx *gms.Context, create *gmsplan.CreateTable) (gms.RowIter, bool, error) {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return nil, false, nil
	}
	_, query := selectOf(ctx)
	if query == "" || !mayUseCore(s, query) {
		return nil, false, nil
	}
	q, err := compileCore(ctx, s, query, query, nil)
	if q == nil || err != nil {
		return nil, false, err
	}
	columns := make([]string, len(q.of))
	for i, f := range q.of {
		columns[i] = quotedName(f.Name)
	}
	text := "INSERT INTO " + quotedName(create.Db.Name()) + "." + quotedName(create.Name()) + " (" + strings.Join(columns, ", ") + ") " + query
	p, err := compileChange(ctx, s, text, text, nil)
	if p == nil || err != nil {
		return nil, false, err
	}
	tx, err := s.use(ctx, p.plan.Table)
	if err != nil {
		return nil, false, err
	}
	c := coreContext(ctx, s)
	reader := newCoreReader(s, false, nil)
	reader.gctx = ctx
	out, err := p.plan.Execute(ctx, change.Env{
		Clock: s.quiet, Context: c, Strict: s.coreSettings().strict, KeepsZero: s.coreSettings().keepsZero,
		Tx: tx, Store: s.gateway.store, Reader: reader, Memory: s.spillMemory(), Unchecked: s.coreSettings().unchecked, Weak: s.Weak(),
		Use: func(ctx context.Context, d *catalog.Descriptor) error { _, err := s.use(ctx, d); return err },
	})
	if ctx.Err() != nil {
		return nil, true, context.Cause(ctx)
	}
	if err != nil {
		return nil, true, coreError(err)
	}
	showCoreWarnings(s, c)
	return gms.RowsToRowIter(gms.NewRow(gmstypes.NewOkResult(int(out.Changed)))), true, nil
}

func quotedName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
