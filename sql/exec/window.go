package exec

import (
	"bytes"
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// Window is how rows are divided and ordered for window functions, and those functions.
type Window struct {
	Name             string // in errors; "": it has none
	Partition, Order []Key
	Functions        []WindowFunction
}

// WindowFunction is a function over the rows of a partition, or over a frame of them.
type WindowFunction struct {
	Kind      WindowKind
	Aggregate Aggregate // of OfAggregate; it has no Order
	// Args are positions in the row: the value; then, of Lag and Lead, the offset (-1: 1) and the default (-1: NULL); of
	// NthValue the number. Of Ntile the number of buckets. Offsets and numbers are the same in all rows.
	Args []int
	// Types are those of Args. The default has the type of the value.
	Types []expr.Type
	// Frame are the rows of FirstValue, LastValue, NthValue and OfAggregate.
	Frame Frame
}

// WindowKind is a window function.
type WindowKind uint8

// The window functions of MySQL.
const (
	RowNumber WindowKind = iota
	Rank
	DenseRank
	PercentRank
	CumeDist
	Ntile
	Lag
	Lead
	FirstValue
	LastValue
	NthValue
	OfAggregate
)

// Type is the type of the result, as MySQL gives it to clients.
func (f *WindowFunction) Type(c *expr.Context) expr.Type {
	switch f.Kind {
	case RowNumber, Rank, DenseRank:
		return typeOf(sqltypes.Uint64, false, 21, 0)
	case Ntile:
		return typeOf(sqltypes.Uint64, true, 21, 0)
	case PercentRank, CumeDist:
		return typeOf(sqltypes.Float64, false, 0, 31)
	case OfAggregate:
		return f.Aggregate.Type(c)
	}
	t := f.Types[0]
	t.SetNullability(true)
	return t
}

// Windowed appends a column for each function to the rows, which are sorted by the keys of the partition, then by those of
// the order. It holds the rows of one partition, in a file if they do not fit in memory and Memory has files. If each
// function needs only the rows up to its own, it holds one batch.
func Windowed(c *expr.Context, from Source, w Window, m Memory) Source {
	s := &windowed{
		in: input{from: from}, wide: len(w.Functions), running: true,
		keys:      newEncoder(w.Partition),
		partition: partition{rows: newRowStore(m), order: newEncoder(w.Order)},
	}
	for i := range w.Functions {
		f := newWindowFunction(c, &w, &w.Functions[i], m)
		s.functions = append(s.functions, f)
		s.running = s.running && w.Functions[i].running()
	}
	if s.running {
		s.partition.rows.files = nil // it holds a batch
	}
	return s
}

// running reports whether the function needs only the rows up to its own, each once.
func (f *WindowFunction) running() bool {
	switch f.Kind {
	case RowNumber, Rank, DenseRank:
		return true
	case OfAggregate:
		return f.Frame.Unit == ByRows && f.Frame.From.Kind == UnboundedPreceding && f.Frame.To.Kind == CurrentRow
	}
	return false
}

// windowFunction computes a function of a running statement.
type windowFunction interface {
	// value is the function for row i of the partition. It is called for each row, in their order.
	value(ctx context.Context, p *partition, i int) (expr.Value, error)
	// reset readies it for the next partition.
	reset()
	// close gives back what it holds.
	close()
}

type windowed struct {
	in        input
	functions []windowFunction
	wide      int  // functions
	running   bool // rows are yielded before their partition is complete
	keys      *encoder
	batch     [][]expr.Value // rows that have been read and not taken
	key, next []byte         // of the partition, and of a row
	partition partition
	complete  bool // the partition has all its rows
	at        int  // the row of the partition that is yielded next
	slab      slab
	out       [][]expr.Value
}

func (w *windowed) Next(ctx context.Context) ([][]expr.Value, error) {
	if err := w.in.check(ctx); err != nil {
		return nil, err
	}
	w.out = w.out[:0]
	for len(w.out) < BatchMax {
		ok, err := w.ready(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if err := w.yield(ctx); err != nil {
			return nil, w.in.fail(err)
		}
	}
	if len(w.out) == 0 {
		return nil, nil
	}
	return w.out, nil
}

// ready reads rows until one can be yielded; false: there is none, or none without a batch more than the output needs.
func (w *windowed) ready(ctx context.Context) (bool, error) {
	for !w.yieldable() {
		if w.complete {
			w.begin()
		}
		if len(w.batch) == 0 {
			if len(w.out) > 0 {
				return false, nil
			}
			rows, err := w.in.next(ctx)
			if err != nil {
				return false, err
			}
			if rows == nil {
				if w.partition.size() == 0 {
					return false, nil
				}
				w.complete = true
				continue
			}
			w.batch = rows
		}
		if err := w.take(); err != nil {
			return false, w.in.fail(err)
		}
	}
	return true, nil
}

// yieldable reports whether the next row of the partition can be yielded.
func (w *windowed) yieldable() bool {
	return w.at < w.partition.size() && (w.complete || w.running)
}

// begin begins the next partition.
func (w *windowed) begin() {
	w.complete, w.at = false, 0
	w.partition.clear()
	for _, f := range w.functions {
		f.reset()
	}
}

// take takes the rows of the batch that belong to the partition, which is complete if others follow.
func (w *windowed) take() error {
	for len(w.batch) > 0 {
		w.next = w.keys.append(w.next[:0], w.batch[0])
		if w.partition.size() == 0 {
			w.key, w.next = w.next, w.key
		} else if !bytes.Equal(w.key, w.next) {
			w.complete = true
			break
		}
		if err := w.partition.add(w.batch[0]); err != nil {
			return err
		}
		w.batch = w.batch[1:]
	}
	return w.partition.rows.settle()
}

// yield computes rows of the partition until it ends or the output is full.
func (w *windowed) yield(ctx context.Context) error {
	p := &w.partition
	for ; w.at < p.size() && len(w.out) < BatchMax; w.at++ {
		if err := p.moveTo(w.at); err != nil {
			return err
		}
		row := p.current
		out := append(w.slab.row(len(row)+w.wide, p.size()-w.at), row...)
		for _, f := range w.functions {
			v, err := f.value(ctx, p, w.at)
			if err != nil {
				return err
			}
			out = append(out, v)
		}
		if p.err != nil {
			return p.err
		}
		w.out = append(w.out, out)
	}
	if w.running {
		p.dropTo(w.at)
	}
	return nil
}

func (w *windowed) Close() {
	w.batch, w.out = nil, nil
	for _, f := range w.functions {
		f.close()
	}
	w.partition.close()
	w.in.close()
}

// unnamedWindow is how MySQL names a window without a name in errors.
const unnamedWindow = "<unnamed window>"

// boundError is the error of a ROWS bound that is no number of rows.
func (w *Window) boundError() error {
	name := w.Name
	if name == "" {
		name = unnamedWindow
	}
	return expr.NewError(3586, "HY000", "%s", fmt.Sprintf("Window '%s': frame start or end is negative, NULL or of non-integral type", name))
}
