package sql

import (
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"isochron/sql/expr"
	"isochron/sql/wire"
)

// yieldRows takes a batch of rows of the core's.
func (x *execution) yieldRows(p *corePlan, fields []*querypb.Field, rows [][]expr.Value) error {
	if x.below == nil {
		return x.yield(coreResult(fields, p.of, rows, x.s.shown(x.prepare != nil)), true)
	}
	if err := x.s.statement.refused(); err != nil {
		return err
	}
	columns := x.describe(p, fields)
	w, before := &x.below.execute.answer, x.below.execute.answer.Len()
	form := x.s.shown(x.prepare != nil)
	shown := func(i int, v expr.Value) []byte { return form(v, p.of[i].Type) }
	for _, row := range rows {
		row = row[:len(p.of)] // without what it was sorted by
		if x.prepare != nil {
			w.BinaryRow(columns, row, shown)
		} else {
			w.TextRow(row, shown)
		}
		if w.Len()-before < answerKept {
			continue
		}
		if err := x.keepOrSend(int64(w.Len() - before)); err != nil {
			return err
		}
		before = w.Len()
	}
	return x.keepOrSend(int64(w.Len() - before))
}

// describe begins the answer with the columns, once.
func (x *execution) describe(p *corePlan, fields []*querypb.Field) *wire.Columns {
	if x.described {
		return x.columns
	}
	x.described, x.columns = true, p.columns
	if len(fields) > 0 && (p.columns == nil || &fields[0] != &p.fields[0]) {
		x.columns = wire.NewColumns(wireColumns(fields))
	}
	x.below.execute.answer.Columns(x.columns, x.c.StatusFlags, x.below.deprecatesEOF())
	return x.columns
}

// keepOrSend keeps so many more bytes of the answer, or sends all that there are: those of a statement that may be done again
// are kept, as execution.yield has it.
func (x *execution) keepOrSend(bytes int64) error {
	st, w := &x.s.statement, &x.below.execute.answer
	switch {
	case st.own:
		return x.held.charge(bytes)
	case st.first && !st.shown && int64(w.Len()) <= heldFreeBytes:
		return nil
	case w.Len() < answerKept && (!st.first || st.shown):
		return nil
	}
	st.shown, x.streamed = st.shown || st.first, true
	x.below.send()
	return nil
}

// wireColumns are fields as they are sent.
func wireColumns(fields []*querypb.Field) []wire.Column {
	out := make([]wire.Column, len(fields))
	for i, f := range fields {
		typ, flags := sqltypes.TypeToMySQL(f.Type)
		if f.Flags != 0 {
			flags = int64(f.Flags)
		}
		out[i] = wire.Column{Database: f.Database, Table: f.Table, OrgTable: f.OrgTable, Name: f.Name, OrgName: f.OrgName,
			Collation: uint16(f.Charset), Length: f.ColumnLength, Type: byte(typ), Flags: uint16(flags), Decimals: byte(f.Decimals)}
	}
	return out
}
