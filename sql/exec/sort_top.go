package exec

import (
	"cmp"
	"context"
	"slices"

	"isochron/sql/expr"
)

// topSort keeps the first rows of an order. A heap holds copies of the best so far, its root the last of them in the order,
// so that the batches that they came from are freed. If they are more than it may hold, it sorts all rows.
type topSort struct {
	fullSort
	account account // of the heap
	most    uint64
	left    uint64 // rows still to be yielded, if all are sorted
	heap    []kept
	count   uint64 // of rows taken
	rest    [][]expr.Value
	all     bool // all rows are sorted
}

// kept is an item with its own copy of the row, which is reused when another row takes its place.
type kept struct {
	item
	bytes []byte
}

func (s *topSort) Next(ctx context.Context) ([][]expr.Value, error) {
	if !s.filled {
		if err := s.fill(ctx, s.take, s.settle); err != nil {
			return nil, err
		}
		if s.all {
			if err := s.finish(ctx); err != nil {
				return nil, err
			}
		}
		s.order()
		s.filled = true
	}
	if s.all {
		rows, err := s.batch(ctx, int(min(s.left, BatchMax)))
		s.left -= uint64(len(rows))
		return rows, err
	}
	if err := s.in.check(ctx); err != nil {
		return nil, err
	}
	return cut(&s.rest), nil
}

// order takes the rows off the heap, the last one first.
func (s *topSort) order() {
	s.rest = make([][]expr.Value, len(s.heap))
	for end := len(s.heap) - 1; end >= 0; end-- {
		s.rest[end] = s.heap[0].row
		s.heap[0] = s.heap[end]
		s.heap = s.heap[:end]
		s.down(0)
	}
}

// take takes a row.
func (s *topSort) take(row []expr.Value) error {
	if s.all {
		return s.fullSort.take(row)
	}
	return s.relieve(s.keep(row))
}

func (s *topSort) settle() error {
	if s.all {
		return s.sorter.settle()
	}
	return s.relieve(s.account.settle())
}

// relieve goes over to sorting all rows if Memory refused more of the heap, or it is the operator's share.
func (s *topSort) relieve(refused error) error {
	files := s.sorter.files
	if files == nil || refused == nil && !s.account.full(files) {
		return refused
	}
	return s.sortAll()
}

// keep keeps a row if it is one of the first so far.
func (s *topSort) keep(row []expr.Value) error {
	s.buffer = s.encoder.append(s.buffer[:0], row)
	it := item{headOf(s.buffer), s.buffer, row, s.count}
	s.count++
	if uint64(len(s.heap)) < s.most {
		s.heap = append(s.heap, kept{})
		last := &s.heap[len(s.heap)-1]
		last.set(it)
		size := last.size()
		s.up(len(s.heap) - 1)
		return s.account.add(size)
	}
	root := &s.heap[0]
	if it.compare(&root.item) > 0 {
		return nil
	}
	before := root.size()
	root.set(it)
	grown := root.size() - before
	s.down(0)
	return s.account.add(grown)
}

// sortAll gives the rows that are kept to the sorter, in the order in which they came.
func (s *topSort) sortAll() error {
	s.all = true
	slices.SortFunc(s.heap, func(a, b kept) int { return cmp.Compare(a.at, b.at) })
	s.account.close()
	for i := range s.heap {
		if err := s.sorter.add(s.heap[i].key, s.heap[i].row); err != nil {
			return err
		}
	}
	s.heap = nil
	return nil
}

// set copies an item.
func (k *kept) set(it item) {
	k.head, k.at = it.head, it.at
	k.key = append(k.key[:0], it.key...)
	k.row = append(k.row[:0], it.row...)
	k.bytes = k.bytes[:0]
	size := 0
	for i := range it.row {
		size += it.row[i].Len()
	}
	if cap(k.bytes) < size {
		k.bytes = make([]byte, 0, size)
	}
	for i, v := range it.row {
		if v.IsNull() {
			continue
		}
		from := len(k.bytes)
		k.bytes = append(k.bytes, v.Raw()...)
		k.row[i] = ownValue(v, k.bytes[from:len(k.bytes):len(k.bytes)])
	}
}

// size is what it occupies, with the slice that its row is yielded in.
func (k *kept) size() int64 {
	return int64(itemBytes + 2*rowBytes + cap(k.key) + cap(k.row)*valueBytes + cap(k.bytes))
}

// up moves the item at i up the heap to its place.
func (s *topSort) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if s.heap[i].compare(&s.heap[parent].item) <= 0 {
			return
		}
		s.heap[i], s.heap[parent] = s.heap[parent], s.heap[i]
		i = parent
	}
}

// down moves the item at i down the heap to its place.
func (s *topSort) down(i int) {
	for {
		most := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.heap); child++ {
			if s.heap[child].compare(&s.heap[most].item) > 0 {
				most = child
			}
		}
		if most == i {
			return
		}
		s.heap[i], s.heap[most] = s.heap[most], s.heap[i]
		i = most
	}
}

func (s *topSort) Close() {
	s.heap, s.rest = nil, nil
	s.account.close()
	s.fullSort.Close()
}
