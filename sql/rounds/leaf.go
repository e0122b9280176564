package rounds

import (
	"context"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/access"
	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/txn"
)

// leaf reads the rows of a table that fulfil a filter.
type leaf struct {
	source     *bind.Source
	lock       txn.Lock
	wait       txn.Wait
	changed    bool  // the statement changes its rows
	columns    []int // of the table, that are read, rising; behind them hidden ones
	where      *expr.Program
	filter     sqlparser.Expr // where's; nil: there is none
	conditions []condition
	gates      []*expr.Program // parts of the filter with one value for all rows
	whole      bool            // the conditions are the whole filter
	closed     bool            // no row can match, in the present execution
}

// newLeaf reads a table's columns; it has no filter yet.
func newLeaf(s *bind.Source, columns []int) *leaf {
	return &leaf{source: s, lock: s.Lock, wait: s.Wait, changed: s.Changed, columns: columns, whole: true}
}

// columnsOf finds the columns of a source that expressions refer to.
func columnsOf(s *bind.Source, list []sqlparser.SQLNode) []int {
	out := []int{} // none, as for COUNT(*), is not all
	for _, e := range list {
		bind.Refs(e, func(r bind.Ref) {
			if at := r.At - s.First; r.Row == bind.OfSources && at >= 0 && at < s.Width && !slices.Contains(out, at) {
				out = append(out, at)
			}
		})
	}
	slices.Sort(out)
	return out
}

// column is the column of the table that an expression just is.
func (l *leaf) column(e sqlparser.Expr) (int, bool) {
	at, ok := bind.Column(e)
	at -= l.source.First
	return at, ok && at >= 0 && at < l.source.Width
}

// typeOf is the type of a column of the table, as expressions know it.
func (l *leaf) typeOf(pos int) expr.Type { return columnType(l.source.Table, pos) }

func columnType(d *catalog.Descriptor, pos int) expr.Type {
	if pos >= len(d.Record.Columns) {
		return hiddenType
	}
	return expr.ColumnType(d.Type(pos), d.Record.Columns[pos].Nullable)
}

// layout is the row that is read.
func (l *leaf) layout() *layout {
	out := newLayout()
	for _, pos := range l.columns {
		out.add(bind.Ref{Row: bind.OfSources, At: l.source.First + pos}, l.typeOf(pos))
	}
	return out
}

// compile compiles the filter.
func (l *leaf) compile(c *expr.Context, filter sqlparser.Expr) (err error) {
	l.filter, l.whole = filter, true
	if filter == nil {
		return nil
	}
	if l.where, err = expr.Compile(c, l.layout().columns(), filter); err != nil {
		return err
	}
	return l.split(c)
}

// begin readies the programs.
func (l *leaf) begin(c *expr.Context) {
	if l.where != nil {
		l.where.Begin(c)
	}
	quiet := *c // the filter warns
	beginAll(l.conditions, &quiet)
	for _, g := range l.gates {
		g.Begin(c)
	}
}

func beginAll(list []condition, c *expr.Context) {
	for i := range list {
		if list[i].values != nil {
			list[i].values.Begin(c)
		}
		for _, a := range list[i].alternatives {
			beginAll(a, c)
		}
	}
}

// wanted is what the filter asks of the table with the present values. closed is set: no row can match.
func (l *leaf) wanted(r *run) (w access.Wanted, err error) {
	w = access.Wanted{Columns: l.columns, Whole: l.whole, Locking: l.locks()}
	closed := false
	for _, g := range l.gates { // all of them, for their warnings
		open, err := g.True(nil)
		if err != nil {
			return w, err
		}
		closed = closed || !open
	}
	w.Conditions, l.closed, err = present(r, l.conditions)
	l.closed = l.closed || closed
	return w, err
}

// locks reports whether its reads lock rows, or may.
func (l *leaf) locks() bool { return l.lock != txn.LockNone || l.changed }

// Read reads the rows of an access.
func (l *leaf) read(ctx context.Context, r *run, a *access.Choice) ([][]expr.Value, error) {
	if begun := r.begun(l); begun != nil {
		from := begun.from
		if r.clock != nil {
			from = &watchedRows{from, r.clock, r.noteRounds(l, begun.rounds, r.clock())}
		}
		return r.all(from)
	}
	if r.clock != nil {
		return r.watched(ctx, l, a)
	}
	return r.reader.Read(ctx, a.Access, l.lock, l.wait, l.columns)
}

// rows yields the rows of an access, in pieces if the reader can.
func (l *leaf) rows(r *run, a *access.Choice) (exec.Source, error) {
	if begun := r.begun(l); begun != nil {
		if r.clock == nil {
			return begun.from, nil
		}
		return &watchedRows{begun.from, r.clock, r.noteRounds(l, begun.rounds, r.clock())}, nil
	}
	p, ok := r.reader.(PieceReader)
	if !ok {
		rows, err := l.read(r.ctx, r, a)
		return exec.Rows(rows), err
	}
	if r.clock == nil {
		return p.ReadPieces(r.ctx, a.Access, l.lock, l.wait, l.columns, a.Ordered)
	}
	began := r.clock()
	from, err := p.ReadPieces(r.ctx, a.Access, l.lock, l.wait, l.columns, a.Ordered)
	if err != nil {
		return nil, err
	}
	return &watchedRows{from, r.clock, r.noteRead(l, a, began)}, nil
}

// open yields the rows that fulfil the filter.
func (l *leaf) open(r *run) (exec.Source, error) {
	l.begin(r.c)
	w, err := l.wanted(r)
	if err != nil {
		return nil, err
	}
	if l.where != nil && !l.closed {
		if err := l.where.Constants(); err != nil {
			return nil, err
		}
	}
	if l.closed {
		return exec.Rows(nil), nil
	}
	var choice *access.Choice
	if begun := r.first[l]; begun != nil {
		choice = begun.choice
	} else if choice, err = access.Choose(r.now, l.source.Table, w); err != nil || choice == nil {
		return exec.Rows(nil), err
	}
	from, err := l.rows(r, choice)
	if err != nil {
		return nil, err
	}
	if l.where != nil && !choice.Decided {
		from = exec.Filter(from, l.where)
	}
	return from, nil
}

// choose is the access of the filter for the present values; nil: no row can match.
func (l *leaf) choose(r *run) (*access.Choice, error) {
	w, err := l.wanted(r)
	if err != nil || l.closed {
		return nil, err
	}
	return access.Choose(r.now, l.source.Table, w)
}
