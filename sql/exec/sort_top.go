package exec

import (
	"context"

	"isochron/sql/expr"
)

// topSort keeps the first rows of an order. It copies those it holds, so that the batches that they came from are freed.
type topSort struct {
	sorter
	most uint64
	heap []kept // its root is the last of them in the order
	rest [][]expr.Value
	one  []byte
}

// kept is an item with its own copy of the row, which is reused when another row takes its place.
type kept struct {
	item
	bytes []byte
}

func (s *topSort) Next(ctx context.Context) ([][]expr.Value, error) {
	if !s.filled {
		if err := s.fill(ctx); err != nil {
			return nil, err
		}
	}
	if err := cancelled(ctx); err != nil {
		return nil, s.in.fail(err)
	}
	if s.in.err != nil {
		return nil, s.in.err
	}
	return cut(&s.rest), nil
}

// fill takes all rows and sorts those that are kept.
func (s *topSort) fill(ctx context.Context) error {
	for {
		rows, err := s.in.next(ctx)
		if err != nil {
			return err
		}
		if rows == nil {
			break
		}
		for _, row := range rows {
			if err := s.take(row); err != nil {
				return s.in.fail(err)
			}
		}
		if err := s.account.settle(); err != nil {
			return s.in.fail(err)
		}
	}
	s.rest = make([][]expr.Value, len(s.heap))
	for end := len(s.heap) - 1; end >= 0; end-- {
		s.rest[end] = s.heap[0].row
		s.heap[0] = s.heap[end]
		s.heap = s.heap[:end]
		s.down(0)
	}
	s.filled = true
	return nil
}

// take keeps a row if it is one of the first so far.
func (s *topSort) take(row []expr.Value) error {
	s.one = s.encoder.append(s.one[:0], row)
	it := item{headOf(s.one), s.one, row, s.count}
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
	s.in.close()
}
