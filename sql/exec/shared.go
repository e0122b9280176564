package exec

import (
	"context"

	"isochron/sql/expr"
)

// Shared are the rows of a source that is read once, for several readers: a common table expression that is named twice.
// It holds the rows that the foremost reader has read. Close frees them, after its readers.
type Shared struct {
	in      input
	account account
	rows    [][]expr.Value
}

// NewShared makes the rows of a source shared.
func NewShared(from Source, m Memory) *Shared {
	return &Shared{in: input{from: from}, account: account{memory: m}}
}

// Source is one more reader, from the first row. Its Close leaves the rows to the others.
func (s *Shared) Source() Source { return &reader{of: s} }

// Close closes the source. It is called once; no reader is used after it.
func (s *Shared) Close() {
	s.rows = nil
	s.account.close()
	s.in.close()
}

// take holds the next batch; false: there are no more rows.
func (s *Shared) take(ctx context.Context) (bool, error) {
	rows, err := s.in.next(ctx)
	if rows == nil {
		return false, err
	}
	s.rows = append(s.rows, rows...)
	for _, row := range rows {
		if err := s.account.add(sizeOf(row)); err != nil {
			return false, s.in.fail(err)
		}
	}
	if err := s.account.settle(); err != nil {
		return false, s.in.fail(err)
	}
	return true, nil
}

// reader reads shared rows.
type reader struct {
	of  *Shared
	at  int // rows read
	err error
}

func (r *reader) Next(ctx context.Context) ([][]expr.Value, error) {
	if r.err == nil {
		r.err = cancelled(ctx)
	}
	if r.err != nil {
		return nil, r.err
	}
	if r.at == len(r.of.rows) {
		if ok, err := r.of.take(ctx); !ok {
			r.err = err
			return nil, err
		}
	}
	n := min(len(r.of.rows)-r.at, BatchMax)
	batch := r.of.rows[r.at : r.at+n : r.at+n]
	r.at += n
	return batch, nil
}

func (r *reader) Close() {}

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
