package exec

import (
	"context"
	"encoding/binary"
	"math"

	"isochron/sql/expr"
)

// gather takes all rows of the right into the table. What does not fit in memory is read from a file for each left row if
// there are no keys; otherwise both sides are sorted by them, merged, and sorted back into the order of the left.
func (j *join) gather(ctx context.Context, g *gathered) error {
	j.lasting = true
	if !j.table.hashed() {
		j.table.store = &g.store
		err := g.gather(ctx, g.store.add, g.store.settle)
		if err == nil && g.store.size() > math.MaxInt32 {
			err = errJoinRows
		}
		return err
	}
	files := g.store.files
	if err := g.gatherForHash(ctx, j.table.right); err != nil {
		return err
	}
	if g.sorter == nil {
		err := j.table.build(ctx, g.store.rows)
		if err == nil || files == nil || cancelled(ctx) != nil {
			return err
		}
		j.table.close() // Memory has room for the rows, and not for the table
		if err := g.sort(j.table.right); err != nil {
			return err
		}
	}
	j.sorted = newSortedJoin(j, g)
	return j.sorted.run(ctx, j)
}

// sortedJoin joins sides of which neither fits in memory.
type sortedJoin struct {
	left   *keySorter // of the left's rows, numbered
	merge  *merging
	out    *rowSorter // of the output, by the numbers of the left's rows
	count  uint64     // rows of the left
	number [8]byte
}

func newSortedJoin(j *join, g *gathered) *sortedJoin {
	s := &sortedJoin{left: newKeySorter(j.table.left, true, g.memory), out: newRowSorter(g.memory)}
	s.merge = newMerging(s.left, g.sorter, JoinSpec{Kind: j.kind, On: j.pairs.on, Width: j.pairs.width}, g.memory)
	s.merge.suffix = len(s.number)
	return s
}

// run reads the left and joins it.
func (s *sortedJoin) run(ctx context.Context, j *join) error {
	for rows := j.batch; len(rows) > 0; {
		for _, row := range rows {
			if err := s.take(row); err != nil {
				return err
			}
		}
		if err := s.left.settle(); err != nil {
			return err
		}
		var err error
		if rows, err = j.in.next(ctx); err != nil {
			return err
		}
	}
	j.batch = nil
	right := s.merge.right.(*keySorter)
	if err := right.finish(ctx); err != nil {
		return err
	}
	if err := s.left.finish(ctx); err != nil {
		return err
	}
	for {
		row, err := s.merge.next(ctx)
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if err := s.out.add(s.merge.tail, row); err != nil {
			return err
		}
	}
	s.merge.close()
	s.left.close()
	right.close()
	return s.out.finish(ctx)
}

// take takes a row of the left. One without a key matches nothing.
func (s *sortedJoin) take(row []expr.Value) error {
	s.count++
	ok, err := s.left.add(row, s.count)
	if ok || err != nil {
		return err
	}
	switch m := s.merge; m.kind {
	case LeftJoin:
		m.pairs.left(row)
		row = m.pairs.joined(nil)
	case AntiJoin:
	default:
		return nil
	}
	return s.out.add(binary.BigEndian.AppendUint64(s.number[:0], s.count), row)
}

func (s *sortedJoin) close() {
	s.merge.close()
	s.left.close()
	s.out.close()
}

// yieldSorted makes a batch of the sorted output.
func (j *join) yieldSorted() error {
	out, err := j.sorted.out.batch(j.out, BatchMax)
	if err != nil {
		return j.in.fail(err)
	}
	j.out = out
	return nil
}

// keySorter sorts rows of one side of a join by its keys.
type keySorter struct {
	*rowSorter
	encoder  joinEncoder
	numbered bool // keys have the row's number, of 8 bytes, at their end
	buffer   []byte
}

func newKeySorter(e joinEncoder, numbered bool, m Memory) *keySorter {
	return &keySorter{rowSorter: newRowSorter(m), encoder: e, numbered: numbered}
}

// add adds a row; false: its key has a NULL that is equal to nothing.
func (s *keySorter) add(row []expr.Value, number uint64) (bool, error) {
	key, ok := s.encoder.append(s.buffer[:0], row)
	if s.buffer = key; !ok {
		return false, nil
	}
	if s.numbered {
		s.buffer = binary.BigEndian.AppendUint64(s.buffer, number)
	}
	return true, s.rowSorter.add(s.buffer, row)
}

func (s *keySorter) next(context.Context) ([]byte, []expr.Value, error) { return s.rowSorter.next() }
