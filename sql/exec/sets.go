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

// Intersect yields rows of the left that are among those of the right: each of different rows once, or, with all, as often
// as on the side that has fewer of it. Rows are equal if their first columns are, which have the types. The first of equal
// rows of the left are yielded. It holds a key for each different row of the right.
func Intersect(left, right Source, types []expr.Type, all bool, m Memory) Source {
	s := newSetOperation(left, right, types, m)
	s.keep = s.keepCommon
	if !all {
		s.most = 1
	}
	return s
}

// Except yields rows of the left that are not among those of the right: each of different rows once, or, with all, as many
// of equal ones as the left has more than the right, the last ones. Rows are equal as for Intersect. It holds a key for
// each different row of the right, and without all for each that it yielded.
func Except(left, right Source, types []expr.Type, all bool, m Memory) Source {
	s := newSetOperation(left, right, types, m)
	s.keep = s.keepNew
	if all {
		s.keep = s.keepSurplus
	}
	return s
}

// setOperation counts the rows of the right, then reads the left. The right is read after the first batch of the left, and
// not at all if the left is empty.
type setOperation struct {
	left, right input
	account     account
	encoder     *encoder
	counts      map[string]int // by key: rows of the right, less those that rows of the left have used up
	most        int            // the highest count; 0: no bound
	keep        func() (bool, error)
	buffer      []byte // the key of the row at hand
	kept        [][]expr.Value
	counted     bool // the right has been read
}

func newSetOperation(left, right Source, types []expr.Type, m Memory) *setOperation {
	return &setOperation{
		left: input{from: left}, right: input{from: right}, account: account{memory: m},
		encoder: newEncoder(typesAt(nil, types)), counts: map[string]int{},
	}
}

func (s *setOperation) Next(ctx context.Context) ([][]expr.Value, error) {
	for {
		rows, err := s.left.next(ctx)
		if rows == nil {
			return nil, err
		}
		if !s.counted {
			if err := s.count(ctx); err != nil {
				return nil, s.left.fail(err)
			}
			s.counted = true
		}
		s.kept = s.kept[:0]
		for _, row := range rows {
			s.key(row)
			ok, err := s.keep()
			if err != nil {
				return nil, s.left.fail(err)
			}
			if ok {
				s.kept = append(s.kept, row)
			}
		}
		if err := s.account.settle(); err != nil {
			return nil, s.left.fail(err)
		}
		if len(s.kept) > 0 {
			return s.kept, nil
		}
	}
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
			if n, ok := s.counts[string(s.buffer)]; ok && n == s.most {
				continue
			}
			if err := s.put(); err != nil {
				return err
			}
		}
		if err := s.account.settle(); err != nil {
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
	return s.account.add(int64(len(s.buffer)) + mapBytes)
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
	s.account.close()
	s.left.close()
	s.right.close()
}
