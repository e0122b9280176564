package sql

import (
	"context"
	"io"

	gms "github.com/dolthub/go-mysql-server/sql"
	vtsqltypes "vitess.io/vitess/go/sqltypes"
	vtparser "vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/legacy"
	"isochron/txn"
)

// serverDatabases are those whose tables are the server's own.
var serverDatabases = []string{"information_schema", "performance_schema", "mysql", systemDatabase}

// isServers reports whether a database is one of the server's own.
func isServers(database string) bool {
	for _, d := range serverDatabases {
		if equalFold(database, d) {
			return true
		}
	}
	return false
}

// coreVirtual finds tables at sources, and those of the server, that the session's user may read.
func coreVirtual(ctx context.Context, s *Session, snap *catalog.Snapshot) func(database, name string) (*bind.Virtual, bool) {
	current := s.GetCurrentDatabase()
	return func(database, name string) (*bind.Virtual, bool) {
		if database == "" {
			database = current
		}
		h := s.holder()
		if !equalFold(database, serverDatabases[0]) && !h.HasOnTable("SELECT", database, name) {
			return nil, false
		}
		if t, ok := snap.ForeignTable(database, name); ok {
			return virtualOf(t.Database, t.Name, t.Schema.Schema)
		}
		t := serversTable(newContext(ctx, gms.WithSession(s)), s, database, name)
		if t == nil {
			return nil, false
		}
		return virtualOf(database, t.Name(), t.Schema(s.quiet))
	}
}

// serversTable is a table of the server; nil: there is none.
func serversTable(ctx *gms.Context, s *Session, database, name string) gms.Table {
	if !isServers(database) {
		return nil
	}
	t, _, err := s.gateway.engine.Analyzer.Catalog.Table(ctx, database, name)
	if err != nil {
		return nil
	}
	return t
}

// virtualOf describes a table of the engine; false: it has a column that expressions cannot compute with.
func virtualOf(database, name string, schema gms.Schema) (*bind.Virtual, bool) {
	v := &bind.Virtual{Database: database, Name: name}
	for _, c := range schema {
		t := legacy.TypeOf(c.Type)
		if !expr.Computes(&t) {
			return nil, false
		}
		v.Columns = append(v.Columns, bind.VirtualColumn{Name: c.Name, Type: expr.ColumnType(&t, c.Nullable)})
	}
	return v, true
}

// ReadVirtual implements rounds.VirtualReader.
func (r coreReader) ReadVirtual(ctx context.Context, v *bind.Virtual, lock txn.Lock, wait txn.Wait) (exec.Source, error) {
	gctx := r.gctx
	if gctx == nil {
		var err error
		if gctx, err = r.x.h.sm.NewContextWithQuery(ctx, r.x.c, r.x.text); err != nil {
			return nil, err
		}
	}
	snap, err := r.s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	out := &engineRows{s: r.s, gctx: gctx, types: v.Columns}
	if at, ok := snap.ForeignTable(v.Database, v.Name); ok {
		t := &foreignTable{at, lockWords[lock] + waitWords[wait]}
		out.columns = t.Schema(gctx)
		out.rows, err = t.PartitionRows(gctx, nil)
		return out, err
	}
	text := "SELECT * FROM " + vtparser.String(vtparser.NewTableNameWithQualifier(v.Name, v.Database))
	out.columns, out.rows, _, err = r.s.gateway.engine.Query(gctx, text)
	return out, err
}

// engineRows are the rows of a table of the engine.
type engineRows struct {
	s       *Session
	gctx    *gms.Context
	columns gms.Schema
	types   []bind.VirtualColumn
	rows    gms.RowIter
	ended   bool
}

// Next implements exec.Source.
func (e *engineRows) Next(ctx context.Context) (out [][]expr.Value, err error) {
	for !e.ended && len(out) < exec.BatchMax {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		row, err := e.rows.Next(e.gctx)
		if err == io.EOF {
			e.ended = true
			break
		}
		if err != nil {
			return nil, err
		}
		values, err := e.values(row)
		if err != nil {
			return nil, err
		}
		out = append(out, values)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, e.s.account.Load().Charge(bytesOf(out))
}

// values are a row's values as expressions have them.
func (e *engineRows) values(row gms.Row) ([]expr.Value, error) {
	out := make([]expr.Value, len(row))
	for i, v := range row {
		if v == nil {
			continue
		}
		text, err := e.columns[i].Type.SQL(e.gctx, nil, v)
		if err != nil {
			return nil, err
		}
		if !text.IsNull() {
			out[i] = vtsqltypes.MakeTrusted(e.types[i].Type.Type(), text.ToBytes())
		}
	}
	return out, nil
}

// Close implements exec.Source.
func (e *engineRows) Close() {
	_ = e.rows.Close(e.gctx)
}
