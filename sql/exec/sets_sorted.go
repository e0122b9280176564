package exec

import (
	"bytes"
	"context"

	"isochron/sql/expr"
)

// lateRule reports whether a row of the left is kept that is the i-th of equal ones, from 0, where the right has n of them.
type lateRule func(i, n int) bool

func isNew(i, n int) bool         { return i == 0 && n == 0 }
func isFirstCommon(i, n int) bool { return i == 0 && n > 0 }
func isCommon(i, n int) bool      { return i < n }
func isSurplus(i, n int) bool     { return i >= n }

// sortedSets decides on rows of the left by sorting both sides. The rows that are kept are sorted back into their order.
type sortedSets struct {
	left   numberedSorter // rows by their keys
	right  *rowSorter     // counts by their keys
	out    numberedSorter // the rows that are kept
	merged bool
}

func newSortedSets(m Memory) *sortedSets {
	return &sortedSets{left: newNumberedSorter(m), right: newRowSorter(m), out: newNumberedSorter(m)}
}

// addLeft adds a row of the left.
func (s *sortedSets) addLeft(key []byte, row []expr.Value) error {
	return s.left.add(key, s.left.count, row)
}

// addRight adds n rows with a key to the right.
func (s *sortedSets) addRight(key []byte, n int) error {
	return s.right.add(key, []expr.Value{expr.Int(int64(n))})
}

func (s *sortedSets) settle() error {
	if err := s.left.settle(); err != nil {
		return err
	}
	return s.right.settle()
}

// finish decides on all rows, once.
func (s *sortedSets) finish(ctx context.Context, rule lateRule) error {
	if s.merged {
		return nil
	}
	s.merged = true
	if err := s.right.finish(ctx); err != nil {
		return err
	}
	if err := s.left.finish(ctx); err != nil {
		return err
	}
	if err := s.merge(ctx, rule); err != nil {
		return err
	}
	s.left.close()
	s.right.close()
	return s.out.finish(ctx)
}

// merge walks over the rows of the left, and the counts of the right beside them.
func (s *sortedSets) merge(ctx context.Context, rule lateRule) error {
	var current []byte // the key of the row before
	i, n := 0, 0
	ahead := countAhead{of: s.right}
	for looked := 0; ; looked++ {
		if looked%BatchMax == 0 {
			if err := cancelled(ctx); err != nil {
				return err
			}
		}
		key, number, row, err := s.left.next()
		if row == nil {
			return err
		}
		if i++; current == nil || !bytes.Equal(key, current) {
			i, current = 0, key
			if n, err = ahead.count(ctx, key); err != nil {
				return err
			}
		}
		if !rule(i, n) {
			continue
		}
		if err := s.out.add(nil, number, row); err != nil {
			return err
		}
	}
}

func (s *sortedSets) close() {
	s.left.close()
	s.right.close()
	s.out.close()
}

// countAhead reads the counts of the right, by ascending keys.
type countAhead struct {
	of    *rowSorter
	key   []byte
	row   []expr.Value // nil: there is none, or none has been read
	begun bool
}

// count is the number of rows of the right that have a key.
func (a *countAhead) count(ctx context.Context, key []byte) (n int, err error) {
	for looked := 1; ; looked++ {
		if looked%BatchMax == 0 {
			if err := cancelled(ctx); err != nil {
				return 0, err
			}
		}
		if a.row != nil {
			c := bytes.Compare(a.key, key)
			if c > 0 {
				return n, nil
			}
			if c == 0 {
				one, _ := a.row[0].ToInt64()
				n += int(one)
			}
		} else if a.begun {
			return n, nil
		}
		a.begun = true
		if a.key, a.row, err = a.of.next(); err != nil {
			return 0, err
		}
	}
}
