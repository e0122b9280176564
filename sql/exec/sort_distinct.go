package exec

import (
	"bytes"
	"context"

	"isochron/sql/expr"
)

// SortDistinct yields the rows in the order of the keys, and of rows with equal keys the first. It holds a row for each
// different key; beyond memory equal rows go to files with the others, if Memory has them, and are left out on the way back.
func SortDistinct(from Source, keys []Key, m Memory) Source {
	return &distinctSort{
		fullSort: fullSort{in: input{from: from}, encoder: newEncoder(keys), sorter: newRowSorter(m)},
		account:  account{memory: m}, seen: map[string]struct{}{},
	}
}

// distinctSort is a sort that takes each key once.
type distinctSort struct {
	fullSort
	account account             // of seen
	seen    map[string]struct{} // the keys taken, long ones by their digest; nil: beyond memory
	sum     []byte
	last    []byte // the key of the row yielded last; nil: none yet
}

func (s *distinctSort) Next(ctx context.Context) ([][]expr.Value, error) {
	if !s.filled {
		if err := s.fill(ctx, s.take, s.settle); err != nil {
			return nil, err
		}
		if err := s.finish(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.in.check(ctx); err != nil {
		return nil, err
	}
	s.out = s.out[:0]
	for len(s.out) < BatchMax {
		key, row, err := s.sorter.next()
		if err != nil {
			return nil, s.in.fail(err)
		}
		if row == nil {
			break
		}
		if s.seen == nil {
			if s.last != nil && bytes.Equal(key, s.last) {
				continue
			}
			s.last = append(s.last[:0], key...)
		}
		s.out = append(s.out, row)
	}
	if len(s.out) == 0 {
		return nil, nil
	}
	return s.out, nil
}

// take takes a row, unless it has taken one with an equal key.
func (s *distinctSort) take(row []expr.Value) error {
	s.buffer = s.encoder.append(s.buffer[:0], row)
	if s.seen != nil {
		s.sum = digest(append(s.sum[:0], s.buffer...))
		if _, ok := s.seen[string(s.sum)]; ok {
			return nil
		}
		s.seen[string(s.sum)] = struct{}{}
		if err := s.relieve(s.account.add(int64(len(s.sum)) + mapBytes)); err != nil {
			return err
		}
	}
	return s.sorter.add(s.buffer, row)
}

// settle charges what is due. It is called at the end of each batch.
func (s *distinctSort) settle() error {
	if err := s.relieve(s.account.settle()); err != nil {
		return err
	}
	return s.sorter.settle()
}

// relieve forgets the keys if Memory refused them, or they are the operator's share.
func (s *distinctSort) relieve(refused error) error {
	if s.seen == nil || s.sorter.files == nil || refused == nil && !s.account.full(s.sorter.files) {
		return refused
	}
	s.seen = nil
	s.account.close()
	return nil
}

func (s *distinctSort) Close() {
	s.fullSort.Close()
	s.account.close()
	s.last = nil
}
