package exec

import (
	"bytes"
	"context"

	"isochron/sql/expr"
)

// MergeJoin is a Join of two sources that are both in the order of the keys, ascending, as Sort has it for the types of the
// keys. It holds the rows of the right that have the keys of the left row at hand, and takes no more of a side than it
// needs.
func MergeJoin(left, right Source, spec JoinSpec, m Memory) Source {
	l, r := joinEncoders(spec.Keys)
	j := &mergeJoin{left: batchSide{in: input{from: left}, encoder: l}, right: batchSide{in: input{from: right}, encoder: r}}
	j.merge = newMerging(&j.left, &j.right, spec, m)
	return j
}

type mergeJoin struct {
	left, right batchSide
	merge       *merging
	out         [][]expr.Value
}

func (j *mergeJoin) Next(ctx context.Context) ([][]expr.Value, error) {
	if err := j.left.in.check(ctx); err != nil {
		return nil, err
	}
	j.out = j.out[:0]
	for len(j.out) < BatchMax {
		if len(j.out) > 0 && j.merge.row == nil && len(j.left.rest) == 0 {
			break // rather than wait for a batch of the left
		}
		row, err := j.merge.next(ctx)
		if err != nil {
			return nil, j.left.in.fail(err)
		}
		if row == nil {
			j.left.in.ended = true
			break
		}
		j.out = append(j.out, row)
	}
	if err := j.merge.group.settle(); err != nil {
		return nil, j.left.in.fail(err)
	}
	if len(j.out) == 0 {
		return nil, nil
	}
	return j.out, nil
}

func (j *mergeJoin) Close() {
	j.out = nil
	j.merge.close()
	j.left.in.close()
	j.right.in.close()
}

// mergeSide yields the rows of one side of a merge, in the order of their keys.
type mergeSide interface {
	// next is the next row with its key, which is valid until the next call. The key is nil if a NULL in it is equal to
	// nothing; a row of nil is the end.
	next(ctx context.Context) (key []byte, row []expr.Value, err error)
}

// batchSide are the rows of a source.
type batchSide struct {
	in      input
	encoder joinEncoder
	rest    [][]expr.Value
	buffer  []byte
}

func (s *batchSide) next(ctx context.Context) ([]byte, []expr.Value, error) {
	if len(s.rest) == 0 {
		rows, err := s.in.next(ctx)
		if rows == nil {
			return nil, nil, err
		}
		s.rest = rows
	}
	row := s.rest[0]
	s.rest = s.rest[1:]
	key, ok := s.encoder.append(s.buffer[:0], row)
	if s.buffer = key; !ok {
		key = nil
	}
	return key, row, nil
}

// merging joins two sides by merging them, a row at a time.
type merging struct {
	left, right mergeSide
	kind        JoinKind
	pairs       pairs
	suffix      int          // bytes at the end of the left's keys that are not compared
	tail        []byte       // those of the row at hand
	row         []expr.Value // of the left, at hand; nil: there is none
	matched     bool         // it has had a match
	at          int          // the next row of the group for it
	group       rowStore     // the rows of the right with one key
	groupKey    []byte       // that key
	grouped     bool         // there is one
	ahead       []expr.Value // the row of the right behind the group; nil: there is none
	aheadKey    []byte
	begun       bool // the right has been read
	looked      int  // rows looked at since the context was
}

func newMerging(left, right mergeSide, spec JoinSpec, m Memory) *merging {
	return &merging{
		left: left, right: right, kind: spec.Kind, pairs: pairs{on: spec.On, width: spec.Width},
		group: newRowStore(m),
	}
}

// next is the next row of the output; nil is the end.
func (m *merging) next(ctx context.Context) ([]expr.Value, error) {
	for {
		if m.row == nil {
			if err := m.advance(ctx); err != nil || m.row == nil {
				return nil, err
			}
		}
		out, err := m.match(ctx)
		if out != nil || err != nil {
			return out, err
		}
		row := m.row
		m.row = nil
		switch {
		case m.kind == LeftJoin && !m.matched:
			return m.pairs.joined(nil), nil
		case m.kind == SemiJoin && m.matched, m.kind == AntiJoin && !m.matched:
			return row, nil
		}
	}
}

// match is the next row of the output that the row at hand makes with one of the group; nil: there is none.
func (m *merging) match(ctx context.Context) ([]expr.Value, error) {
	for m.at < m.group.size() {
		if err := m.look(ctx); err != nil {
			return nil, err
		}
		right, err := m.group.at(m.at)
		if err != nil {
			return nil, err
		}
		m.at++
		ok, err := m.pairs.match(right)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		m.matched = true
		if m.kind == SemiJoin || m.kind == AntiJoin {
			break
		}
		return m.pairs.joined(right), nil
	}
	return nil, nil
}

// advance takes the next row of the left and finds its group.
func (m *merging) advance(ctx context.Context) error {
	if err := m.look(ctx); err != nil {
		return err
	}
	key, row, err := m.left.next(ctx)
	if row == nil {
		return err
	}
	m.row, m.matched, m.at = row, false, m.group.size()
	m.pairs.left(row)
	if key == nil {
		return nil
	}
	n := len(key) - m.suffix
	key, m.tail = key[:n], key[n:]
	if !m.grouped || !bytes.Equal(key, m.groupKey) {
		if err := m.gather(ctx, key); err != nil {
			return err
		}
	}
	if m.at = 0; m.group.size() == 0 && m.ahead == nil && (m.kind == InnerJoin || m.kind == SemiJoin) {
		m.row = nil // no row of the right is left for it, nor for those behind it
	}
	return nil
}

// gather makes a group of the rows of the right that have a key.
func (m *merging) gather(ctx context.Context, key []byte) error {
	m.group.clear()
	m.grouped, m.groupKey = true, append(m.groupKey[:0], key...)
	if !m.begun {
		m.begun = true
		if err := m.fetch(ctx); err != nil {
			return err
		}
	}
	for m.ahead != nil {
		c := bytes.Compare(m.aheadKey, m.groupKey)
		if c > 0 {
			break
		}
		if c == 0 {
			if err := m.group.add(m.ahead); err != nil {
				return err
			}
		}
		if err := m.fetch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fetch takes the next row of the right.
func (m *merging) fetch(ctx context.Context) (err error) {
	if err := m.look(ctx); err != nil {
		return err
	}
	m.aheadKey, m.ahead, err = m.right.next(ctx)
	return err
}

// look looks at the context once a number of rows.
func (m *merging) look(ctx context.Context) error {
	if m.looked++; m.looked%BatchMax == 0 {
		return cancelled(ctx)
	}
	return nil
}

func (m *merging) close() { m.group.close() }
