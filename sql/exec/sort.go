package exec

import (
	"context"

	"isochron/sql/expr"
)

// Sort yields the rows in the order of the keys: NULLs first in an ascending one, equal rows as they came. top > 0: only
// the first so many. It holds all rows, or the top ones; what Memory refuses goes to files, if it has them.
func Sort(from Source, keys []Key, top uint64, m Memory) Source {
	s := fullSort{in: input{from: from}, encoder: newEncoder(keys), sorter: newRowSorter(m)}
	if top > 0 {
		return &topSort{fullSort: s, account: account{memory: m}, most: top, left: top}
	}
	return &s
}

// fullSort sorts all rows.
type fullSort struct {
	in      input
	encoder *encoder
	sorter  *rowSorter
	buffer  []byte
	out     [][]expr.Value
	filled  bool // all rows have been taken
}

func (s *fullSort) Next(ctx context.Context) ([][]expr.Value, error) {
	if !s.filled {
		if err := s.fill(ctx, s.take, s.sorter.settle); err != nil {
			return nil, err
		}
		if err := s.finish(ctx); err != nil {
			return nil, err
		}
	}
	return s.batch(ctx, BatchMax)
}

// batch is the next batch, of at most so many rows.
func (s *fullSort) batch(ctx context.Context, most int) ([][]expr.Value, error) {
	if err := s.in.check(ctx); err != nil {
		return nil, err
	}
	out, err := s.sorter.batch(s.out[:0], most)
	if err != nil {
		return nil, s.in.fail(err)
	}
	if s.out = out; len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// fill takes all rows, and settles after each batch.
func (s *fullSort) fill(ctx context.Context, take func(row []expr.Value) error, settle func() error) error {
	for {
		rows, err := s.in.next(ctx)
		if rows == nil {
			return err
		}
		for _, row := range rows {
			if err := take(row); err != nil {
				return s.in.fail(err)
			}
		}
		if err := settle(); err != nil {
			return s.in.fail(err)
		}
	}
}

func (s *fullSort) take(row []expr.Value) error {
	s.buffer = s.encoder.append(s.buffer[:0], row)
	return s.sorter.add(s.buffer, row)
}

func (s *fullSort) finish(ctx context.Context) error {
	if err := s.sorter.finish(ctx); err != nil {
		return s.in.fail(err)
	}
	s.filled = true
	return nil
}

func (s *fullSort) Close() {
	s.out = nil
	s.sorter.close()
	s.in.close()
}
