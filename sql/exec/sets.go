package exec

import (
	"context"

	"isochron/sql/expr"
)

// Concat yields the rows of the sources one after the other, as UNION ALL does. A source is closed when it has ended.
func Concat(sources ...Source) Source {
	c := &concatenation{rest: make([]input, len(sources))}
	for i, s := range sources {
		c.rest[i].from = s
	}
	return c
}

type concatenation struct {
	rest []input // the first one is being read
	err  error
}

func (c *concatenation) Next(ctx context.Context) ([][]expr.Value, error) {
	for len(c.rest) > 0 && c.err == nil {
		rows, err := c.rest[0].next(ctx)
		if rows != nil {
			return rows, nil
		}
		if c.err = err; err == nil {
			c.rest[0].close()
			c.rest = c.rest[1:]
		}
	}
	return nil, c.err
}

func (c *concatenation) Close() {
	for i := range c.rest {
		c.rest[i].close()
	}
	c.rest = nil
}

// Distinct keeps the first of rows that are equal in their first columns, which have the types. It holds a key for each
// different row; beyond memory it sorts the rows in files, if Memory has them.
func Distinct(from Source, types []expr.Type, m Memory) Source {
	s := newSetOperation(from, Rows(nil), types, m)
	s.keep, s.late, s.counted = s.keepNew, isNew, true
	return s
}

// Intersect yields rows of the left that are among those of the right: each of different rows once, or, with all, as often
// as on the side that has fewer of it. Rows are equal if their first columns are, which have the types. The first of equal
// rows of the left are yielded. It holds a key for each different row of the right; beyond memory it sorts both sides.
func Intersect(left, right Source, types []expr.Type, all bool, m Memory) Source {
	s := newSetOperation(left, right, types, m)
	s.keep, s.late = s.keepCommon, isCommon
	if !all {
		s.most, s.late = 1, isFirstCommon
	}
	return s
}

// Except yields rows of the left that are not among those of the right: each of different rows once, or, with all, as many
// of equal ones as the left has more than the right, the last ones. Rows are equal as for Intersect. It holds a key for
// each different row of the right, and without all for each that it yielded; beyond memory it sorts both sides.
func Except(left, right Source, types []expr.Type, all bool, m Memory) Source {
	s := newSetOperation(left, right, types, m)
	s.keep, s.late = s.keepNew, isNew
	if all {
		s.keep, s.late = s.keepSurplus, isSurplus
	}
	return s
}

// setOperation counts the rows of the right, then reads the left. The right is read after the first batch of the left, and
// not at all if the left is empty.
type setOperation struct {
	left, right input
	account     account
	files       *SpillFiles // nil: there are none
	encoder     *encoder
	counts      map[string]int // by key: rows of the right, less those that rows of the left have used up
	most        int            // the highest count; 0: no bound
	keep        func() (bool, error)
	late        lateRule
	buffer      []byte // the key of the row at hand
	kept        [][]expr.Value
	counted     bool // the right has been read
	sorted      *sortedSets
}

func newSetOperation(left, right Source, types []expr.Type, m Memory) *setOperation {
	return &setOperation{
		left: input{from: left}, right: input{from: right}, account: account{memory: m}, files: filesOf(m),
		encoder: newEncoder(typesAt(nil, types)), counts: map[string]int{},
	}
}

func (s *setOperation) Next(ctx context.Context) ([][]expr.Value, error) {
	if err := s.left.check(ctx); err != nil {
		return nil, err
	}
	for {
		rows, err := s.left.next(ctx)
		if err != nil {
			return nil, err
		}
		if rows == nil {
			return s.finish(ctx)
		}
		if !s.counted {
			if err := s.count(ctx); err != nil {
				return nil, s.left.fail(err)
			}
			s.counted = true
		}
		if err := s.take(rows); err != nil {
			return nil, s.left.fail(err)
		}
		if len(s.kept) > 0 {
			return s.kept, nil
		}
	}
}

// take decides on rows of the left.
func (s *setOperation) take(rows [][]expr.Value) error {
	s.kept = s.kept[:0]
	for _, row := range rows {
		s.key(row)
		if s.sorted != nil {
			if err := s.sorted.addLeft(s.buffer, row); err != nil {
				return err
			}
			continue
		}
		ok, err := s.keep()
		if err != nil {
			return err
		}
		if ok {
			s.kept = append(s.kept, row)
		}
	}
	return s.settle()
}

// finish yields the rows that were decided on late, if there are.
func (s *setOperation) finish(ctx context.Context) ([][]expr.Value, error) {
	if s.sorted == nil {
		return nil, nil
	}
	if err := s.sorted.finish(ctx, s.late); err != nil {
		return nil, s.left.fail(err)
	}
	var err error
	if s.kept, err = s.sorted.out.batch(s.kept[:0], BatchMax); err != nil {
		return nil, s.left.fail(err)
	}
	if len(s.kept) == 0 {
		return nil, nil
	}
	return s.kept, nil
}

// count counts the rows of the right.
func (s *setOperation) count(ctx context.Context) error {
	for {
		rows, err := s.right.next(ctx)
		if rows == nil {
			return err
		}
		for _, row := range rows {
			s.key(row)
			if s.sorted != nil {
				err = s.sorted.addRight(s.buffer, 1)
			} else if n, ok := s.counts[string(s.buffer)]; !ok || n != s.most {
				err = s.put()
			}
			if err != nil {
				return err
			}
		}
		if err := s.settle(); err != nil {
			return err
		}
	}
}

func (s *setOperation) key(row []expr.Value) {
	s.buffer = digest(s.encoder.append(s.buffer[:0], row))
}

// put counts the row at hand.
func (s *setOperation) put() error {
	before := len(s.counts)
	if s.counts[string(s.buffer)]++; len(s.counts) == before {
		return nil
	}
	return s.relieve(s.account.add(int64(len(s.buffer)) + mapBytes))
}

func (s *setOperation) settle() error {
	if s.sorted != nil {
		return s.sorted.settle()
	}
	return s.relieve(s.account.settle())
}

// relieve goes over to sorting if Memory refused more, or the counts are the operator's share.
func (s *setOperation) relieve(refused error) error {
	if s.files == nil || refused == nil && !s.account.full(s.files) {
		return refused
	}
	s.sorted = newSortedSets(s.account.memory)
	s.account.close()
	for key, n := range s.counts {
		if err := s.sorted.addRight([]byte(key), n); err != nil {
			return err
		}
	}
	s.counts = nil
	return nil
}

// keepCommon uses up an equal row of the right, and reports whether there was one.
func (s *setOperation) keepCommon() (bool, error) {
	n := s.counts[string(s.buffer)]
	if n == 0 {
		return false, nil
	}
	s.counts[string(s.buffer)] = n - 1
	return true, nil
}

// keepSurplus uses up an equal row of the right, and reports whether there was none.
func (s *setOperation) keepSurplus() (bool, error) {
	used, err := s.keepCommon()
	return !used, err
}

// keepNew reports whether there is no equal row, neither on the right nor before it on the left.
func (s *setOperation) keepNew() (bool, error) {
	if s.counts[string(s.buffer)] > 0 {
		return false, nil
	}
	return true, s.put()
}

func (s *setOperation) Close() {
	s.counts, s.kept = nil, nil
	if s.sorted != nil {
		s.sorted.close()
	}
	s.account.close()
	s.left.close()
	s.right.close()
}
