package window

import (
	"context"
	"errors"
	"io"
	"sort"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
)

// lookEvery is after how many rows it is looked whether the statement was cut short.
const lookEvery = 64

// rows computes the functions of a node over the rows that it is given.
type rows struct {
	node   *gmsplan.Window
	input  gms.RowIter
	charge func(gms.Row) error // for held rows
	in     []gms.Row
	out    []gms.Row
	filled bool
	at     int
}

// Rows executes a node over its input; charge is called for each row that is held.
func Rows(n *gmsplan.Window, input gms.RowIter, charge func(gms.Row) error) gms.RowIter {
	return &rows{node: n, input: input, charge: charge}
}

// Next implements gms.RowIter.
func (r *rows) Next(ctx *gms.Context) (gms.Row, error) {
	if !r.filled {
		if err := r.fill(ctx); err != nil {
			return nil, err
		}
		r.filled, r.in = true, nil
	}
	if r.at == len(r.out) {
		return nil, io.EOF
	}
	row := r.out[r.at]
	r.out[r.at] = nil
	r.at++
	return row, nil
}

// Close implements gms.RowIter.
func (r *rows) Close(ctx *gms.Context) error {
	r.in, r.out, r.at = nil, nil, 0
	return r.input.Close(ctx)
}

// fill reads the input and computes each column.
func (r *rows) fill(ctx *gms.Context) error {
	for {
		row, err := r.input.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		r.in = append(r.in, row)
		out := make(gms.Row, len(r.node.SelectExprs))
		if err := r.charge(out); err != nil {
			return err
		}
		r.out = append(r.out, out)
	}
	orders := map[string]*sorted{}
	for column, e := range r.node.SelectExprs {
		f, ok := e.(*Function)
		if !ok {
			for i, row := range r.in {
				v, err := e.Eval(ctx, row)
				if err != nil {
					return err
				}
				r.out[i][column] = v
			}
			continue
		}
		w := f.window
		if w == nil {
			return gms.ErrWindowUnsupported.New(f.name)
		}
		text := windowText(&gms.WindowDefinition{PartitionBy: w.PartitionBy, OrderBy: w.OrderBy})
		s := orders[text]
		if s == nil {
			var err error
			if s, err = r.sort(ctx, w); err != nil {
				return err
			}
			orders[text] = s
		}
		if err := s.compute(ctx, f, func(at int, v any) { r.out[s.index[at]][column] = v }); err != nil {
			return err
		}
	}
	return nil
}

// span is from a place up to before another.
type span struct{ from, to int }

// sorted are rows in the order of a window.
type sorted struct {
	in        []gms.Row
	index     []int   // of the rows, by their places
	keys      [][]any // by places: the values to partition by, then those to sort by
	by        int     // where those to sort by begin
	partition []span  // by places
	peers     []span  // by places: rows that are sorted alike
}

func (s *sorted) row(at int) gms.Row { return s.in[s.index[at]] }

// sort sorts the rows for a window.
func (r *rows) sort(ctx *gms.Context, w *gms.WindowDefinition) (*sorted, error) {
	by := make([]gms.Expression, 0, w.ExpressionsLen())
	by = append(append(by, w.PartitionBy...), w.OrderBy.ToExpressions()...)
	s := &sorted{in: r.in, index: make([]int, len(r.in)), keys: make([][]any, len(r.in)), by: len(w.PartitionBy)}
	kept := make([][]any, len(r.in))
	for i, row := range r.in {
		s.index[i] = i
		key := make(gms.Row, len(by))
		for j, e := range by {
			v, err := e.Eval(ctx, row)
			if err != nil {
				return nil, err
			}
			key[j] = v
		}
		if err := r.charge(key); err != nil {
			return nil, err
		}
		kept[i] = key
	}
	o := &order{ctx: ctx, types: make([]gms.Type, len(by)), down: make([]bool, len(by))}
	for j, e := range by {
		o.types[j] = e.Type(ctx)
		o.down[j] = j >= s.by && w.OrderBy[j-s.by].Order == gms.Descending
	}
	if len(by) > 0 {
		sort.SliceStable(s.index, func(a, b int) bool { return o.compare(kept[s.index[a]], kept[s.index[b]], 0, len(by)) < 0 })
	}
	for at, i := range s.index {
		s.keys[at] = kept[i]
	}
	s.partition = s.spans(func(a, b []any) bool { return o.compare(a, b, 0, s.by) == 0 })
	s.peers = s.spans(func(a, b []any) bool { return o.compare(a, b, 0, len(by)) == 0 })
	return s, o.err
}

// spans gives each place those around it whose keys are alike.
func (s *sorted) spans(alike func(a, b []any) bool) []span {
	out := make([]span, len(s.keys))
	for from := 0; from < len(out); {
		to := from + 1
		for to < len(out) && alike(s.keys[from], s.keys[to]) {
			to++
		}
		for i := from; i < to; i++ {
			out[i] = span{from, to}
		}
		from = to
	}
	return out
}

// order compares keys. What fails is kept: a sort cannot fail.
type order struct {
	ctx   *gms.Context
	types []gms.Type
	down  []bool
	count int
	err   error
}

func (o *order) compare(a, b []any, from, to int) int {
	if o.count++; o.count%lookEvery == 0 && o.err == nil && o.ctx.Err() != nil {
		o.err = context.Cause(o.ctx)
	}
	if o.err != nil {
		return 0
	}
	for i := from; i < to; i++ {
		c := 0
		switch {
		case a[i] == nil && b[i] == nil:
		case a[i] == nil:
			c = -1
		case b[i] == nil:
			c = 1
		default:
			var err error
			if c, err = o.types[i].Compare(o.ctx, a[i], b[i]); err != nil {
				o.err = err
				return 0
			}
		}
		if o.down[i] {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}
