package define

import (
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/expr"
	"isochron/sql/store"
)

// finish decides what becomes of the rows.
func (a *alterer) finish() error {
	a.out.Definition = a.builder.def
	next, err := catalog.Draft(a.builder.def)
	if err != nil {
		return err
	}
	r := &rows{a: a, next: next, target: store.Target{Context: a.env.Context, Strict: a.env.Strict}}
	rewrite := !slices.Equal(a.keyBefore(), a.builder.def.PrimaryKey)
	for pos := range a.columns {
		must, err := r.column(pos)
		if err != nil {
			return err
		}
		rewrite = rewrite || must
		a.out.From = append(a.out.From, a.columns[pos].from)
		a.out.Fill = append(a.out.Fill, r.fill[pos])
	}
	if !rewrite {
		return nil
	}
	a.out.Row = r.row
	a.out.Next = func() uint64 { return r.number }
	return nil
}

// keyBefore is the primary key before, as positions of the new columns; a column that was dropped is -1.
func (a *alterer) keyBefore() (out []int) {
	for _, was := range a.before.PrimaryKey {
		out = append(out, slices.IndexFunc(a.columns, func(e entry) bool { return e.from == was }))
	}
	return out
}

// rows makes rows of the new table of those of the old one.
type rows struct {
	a       *alterer
	next    *catalog.Descriptor
	target  store.Target
	makes   []maker
	fill    []any // of new columns that have one value in all rows
	scratch []expr.Value
	number  uint64 // that the column which counts by itself gives next; 0: there is none that is new
}

// maker makes the values of one column.
type maker struct {
	column  *store.Column // nil: values stay as they are
	program *expr.Program // over the new row; nil: values are the old column's
	uses    []int
	counts  bool // rows without a number get one
}

// column readies a column. It reports whether rows have to be written again for it.
func (r *rows) column(pos int) (rewrite bool, err error) {
	e, def := &r.a.columns[pos], &r.a.builder.def.Columns[pos]
	var m maker
	var fill any
	if m.column, _ = store.NewColumn(r.next, pos); m.column == nil && e.from < 0 && def.Default != nil {
		return false, expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'adding column %s with a default'", def.Name)
	}
	switch {
	case def.Generated != nil && !def.Virtual:
		rewrite = e.from < 0 || r.a.before.Columns[e.from].Generated == nil || *r.a.before.Columns[e.from].Generated != *def.Generated || r.differs(pos)
		err = r.compile(&m, *def.Generated)
	case e.from >= 0:
		gains := def.AutoInc && !r.a.before.Columns[e.from].AutoInc
		if rewrite = gains || r.differs(pos); !rewrite {
			m.column = nil
		}
		m.counts = gains
	case def.AutoInc:
		m.counts, rewrite = true, true
	case def.Default != nil:
		if err = r.compile(&m, *def.Default); err == nil && (len(m.uses) > 0 || varies(*def.Default)) {
			rewrite = true
		} else if err == nil {
			fill, err = r.computed(&m, def)
		}
	case !def.Nullable && m.column != nil:
		fill = m.column.Zero()
	}
	if m.counts {
		r.number = max(r.number, 1)
	}
	r.makes, r.fill = append(r.makes, m), append(r.fill, fill)
	return rewrite, err
}

// varies reports whether an expression may have another value in each row.
func varies(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"rand(", "uuid(", "uuid_short(", "random_bytes("}, func(f string) bool { return strings.Contains(text, f) })
}

// differs reports whether a column stores another form of its values, or takes no NULL any more.
func (r *rows) differs(pos int) bool {
	e, now := &r.a.columns[pos], &r.a.builder.def.Columns[pos]
	was := &r.a.before.Columns[e.from]
	if was.Nullable && !now.Nullable {
		return true
	}
	if was.Type == now.Type && was.Collation == now.Collation {
		return false
	}
	s, t := r.a.old.Type(e.from), r.next.Type(pos)
	wider := s.Kind == coltype.KindText && t.Kind == coltype.KindText && s.SQL == t.SQL && s.Collation.ID == t.Collation.ID && s.Characters <= t.Characters
	return !wider || s.Shown != t.Shown
}

// compile readies an expression over the new row.
func (r *rows) compile(m *maker, text string) error {
	e, err := expr.Environment().Parser().ParseExpr(text)
	if err != nil {
		return err
	}
	columns := expr.Columns{Find: func(name *sqlparser.ColName) (int, error) {
		at := positionOf(r.a.builder.def.Columns, name.Name.String())
		if at >= 0 && !slices.Contains(m.uses, at) {
			m.uses = append(m.uses, at)
		}
		return at, nil
	}}
	for pos, c := range r.next.Record.Columns {
		columns.Types = append(columns.Types, expr.ColumnType(r.next.Type(pos), c.Nullable))
	}
	if m.program, err = expr.Compile(r.a.env.Context, columns, e); err == nil {
		m.program.Begin(r.a.env.Context)
	}
	return err
}

// computed is the value of a column by its expression.
func (r *rows) computed(m *maker, def *catalog.ColumnDefinition) (any, error) {
	out, err := m.program.Run(r.scratch, nil)
	if err != nil {
		return nil, err
	}
	if out[0].IsNull() {
		if !def.Nullable {
			return nil, expr.NewError(1048, "23000", "Column '%s' cannot be null", def.Name)
		}
		return nil, nil
	}
	if m.column == nil {
		return nil, expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'computing column %s'", def.Name)
	}
	return r.target.Store(m.column, out[0])
}

// row is a row of the new table for the n-th row of the old one, from 0.
func (r *rows) row(n int, old []any) ([]any, error) {
	r.target.Row = n + 1
	out := make([]any, len(r.makes))
	for pos := range r.makes {
		var err error
		if out[pos], err = r.value(pos, old, out); err != nil {
			return nil, err
		}
	}
	for pos := range r.makes { // generated columns may refer to any others that are not generated
		m, def := &r.makes[pos], &r.a.builder.def.Columns[pos]
		if m.program == nil || def.Generated == nil {
			continue
		}
		if err := r.load(m, out); err != nil {
			return nil, err
		}
		var err error
		if out[pos], err = r.computed(m, def); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// load readies the values that an expression needs of a row.
func (r *rows) load(m *maker, row []any) (err error) {
	if r.scratch == nil {
		r.scratch = make([]expr.Value, len(r.makes))
	}
	for _, at := range m.uses {
		if r.scratch[at], err = r.next.TextOf(at, row[at]); err != nil {
			return err
		}
	}
	return nil
}

// value is the value of a column that is not generated.
func (r *rows) value(pos int, old, row []any) (any, error) {
	m, e, def := &r.makes[pos], &r.a.columns[pos], &r.a.builder.def.Columns[pos]
	switch {
	case m.program != nil && def.Generated != nil:
		return nil, nil
	case m.counts:
		return r.counted(pos, old)
	case e.from < 0 && m.program != nil && (len(m.uses) > 0 || varies(*def.Default)):
		if err := r.load(m, row); err != nil {
			return nil, err
		}
		return r.computed(m, def)
	case e.from < 0:
		return r.fill[pos], nil
	}
	v := old[e.from]
	if v == nil {
		if def.Nullable {
			return nil, nil
		}
		if r.target.Strict || m.column == nil {
			return nil, expr.NewError(1138, "22004", "Invalid use of NULL value")
		}
		r.a.env.Context.Warn(1265, fmt.Sprintf("Data truncated for column '%s' at row %d", def.Name, r.target.Row))
		return m.column.Zero(), nil
	}
	if m.column == nil {
		return v, nil
	}
	text, err := r.a.old.TextOf(e.from, v)
	if err != nil {
		return nil, err
	}
	return r.target.Store(m.column, text)
}

// counted is the number of a row in a column that counts by itself.
func (r *rows) counted(pos int, old []any) (any, error) {
	e := &r.a.columns[pos]
	var n uint64
	if e.from >= 0 && old[e.from] != nil {
		text, err := r.a.old.TextOf(e.from, old[e.from])
		if err != nil {
			return nil, err
		}
		if i, err := text.ToInt64(); err == nil && i > 0 {
			n = uint64(i)
		}
	}
	if n == 0 {
		n = r.number
	}
	r.number = max(r.number, n+1)
	return r.target.Store(r.makes[pos].column, sqltypes.NewUint64(n))
}
