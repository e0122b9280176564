package exec

import (
	"context"

	"isochron/sql/expr"
)

// Shared are the rows of a source that is read once, for several readers: a common table expression that is named twice.
// It holds the rows that the foremost reader has read, in a file if they do not fit in memory and Memory has files. Close
// frees them, after its readers.
type Shared struct {
	in   input
	rows rowStore
}

// NewShared makes the rows of a source shared.
func NewShared(from Source, m Memory) *Shared {
	return &Shared{in: input{from: from}, rows: newRowStore(m)}
}

// Source is one more reader, from the first row. Its Close leaves the rows to the others.
func (s *Shared) Source() Source { return &reader{of: s} }

// Close closes the source. It is called once; no reader is used after it.
func (s *Shared) Close() {
	s.rows.close()
	s.in.close()
}

// take holds the next batch; false: there are no more rows.
func (s *Shared) take(ctx context.Context) (bool, error) {
	rows, err := s.in.next(ctx)
	if rows == nil {
		return false, err
	}
	for _, row := range rows {
		if err := s.rows.add(row); err != nil {
			return false, s.in.fail(err)
		}
	}
	if err := s.rows.settle(); err != nil {
		return false, s.in.fail(err)
	}
	return true, nil
}

// reader reads shared rows.
type reader struct {
	of  *Shared
	at  int // rows read
	out [][]expr.Value
	err error
}

func (r *reader) Next(ctx context.Context) ([][]expr.Value, error) {
	if r.err == nil {
		r.err = cancelled(ctx)
	}
	if r.err != nil {
		return nil, r.err
	}
	if r.at == r.of.rows.size() {
		if ok, err := r.of.take(ctx); !ok {
			r.err = err
			return nil, err
		}
	}
	r.out = r.out[:0]
	for r.at < r.of.rows.size() && len(r.out) < BatchMax {
		row, err := r.of.rows.at(r.at)
		if err != nil {
			r.err = err
			return nil, err
		}
		r.out = append(r.out, row)
		r.at++
	}
	return r.out, nil
}

func (r *reader) Close() { r.out = nil }

// With yields the rows of a source and closes, after it, the shared rows that it reads: it is the query that declares them.
// Those that read others stand before them.
func With(from Source, shared ...*Shared) Source { return &with{from, shared} }

type with struct {
	Source
	shared []*Shared
}

func (w *with) Close() {
	w.Source.Close()
	for _, s := range w.shared {
		s.Close()
	}
}
