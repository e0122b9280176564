package exec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"isochron/sql/expr"
)

// runMax are the rows of a run: so many are sorted at a time, so that a cancellation is noticed between two runs.
const runMax = 32 * BatchMax

// Sort yields the rows in the order of the keys: NULLs first in an ascending one, equal rows as they came. top > 0: only
// the first so many. It holds all rows, or the top ones.
//
// Rows are gathered in runs, each of which is sorted when it is full; the output merges the runs. For the top rows a heap
// holds copies of the best so far, its root the worst of them.
func Sort(from Source, keys []Key, top uint64, m Memory) Source {
	s := sorter{in: input{from: from}, account: account{memory: m}, encoder: newEncoder(keys)}
	if top > 0 {
		return &topSort{sorter: s, most: top}
	}
	return &fullSort{sorter: s}
}

// sorter is what both ways of sorting have.
type sorter struct {
	in      input
	account account
	encoder *encoder
	keys    arena
	out     [][]expr.Value
	count   uint64 // of rows taken
	filled  bool   // all rows have been taken
}

// item is a row with its key.
type item struct {
	head uint64 // the first bytes of the key
	key  []byte
	row  []expr.Value
	at   uint64 // its number in the input: equal rows stay in that order
}

// itemBytes is what an item occupies besides its key and its row's values.
const itemBytes = 72

func headOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var padded [8]byte
	copy(padded[:], key)
	return binary.BigEndian.Uint64(padded[:])
}

// compare orders two items; no two are equal.
func (a *item) compare(b *item) int {
	if a.head != b.head {
		return cmp.Compare(a.head, b.head)
	}
	if c := bytes.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.at, b.at)
}

// arena holds keys in few allocations.
type arena struct{ free []byte }

// arenaBytes is the size of an allocation of keys.
const arenaBytes = 64 << 10

// keep copies a key.
func (a *arena) keep(key []byte) []byte {
	if len(key) > arenaBytes/8 {
		return slices.Clone(key)
	}
	if cap(a.free)-len(a.free) < len(key) {
		a.free = make([]byte, 0, arenaBytes)
	}
	from := len(a.free)
	a.free = append(a.free, key...)
	return a.free[from:len(a.free):len(a.free)]
}

// fullSort sorts all rows.
type fullSort struct {
	sorter
	runs   [][]item // sorted, but for the last one while rows are taken
	buffer []byte
}

func (s *fullSort) Next(ctx context.Context) ([][]expr.Value, error) {
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
	s.out = s.out[:0]
	for len(s.runs) > 0 && len(s.out) < BatchMax {
		s.out = append(s.out, s.pop())
	}
	if len(s.out) == 0 {
		return nil, nil
	}
	return s.out, nil
}

// fill takes all rows.
func (s *fullSort) fill(ctx context.Context) error {
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
	if n := len(s.runs); n > 0 {
		sortItems(s.runs[n-1])
	}
	for i := len(s.runs)/2 - 1; i >= 0; i-- {
		s.down(i)
	}
	s.filled = true
	return nil
}

// take adds a row to the last run.
func (s *fullSort) take(row []expr.Value) error {
	s.buffer = s.encoder.append(s.buffer[:0], row)
	it := item{headOf(s.buffer), s.keys.keep(s.buffer), row, s.count}
	s.count++
	last := len(s.runs) - 1
	if last < 0 || len(s.runs[last]) == runMax {
		if last >= 0 {
			sortItems(s.runs[last])
		}
		s.runs = append(s.runs, nil)
		last++
	}
	s.runs[last] = append(s.runs[last], it)
	return s.account.add(itemBytes + sizeOf(row) + int64(len(it.key)))
}

func sortItems(list []item) {
	slices.SortFunc(list, func(a, b item) int { return a.compare(&b) })
}

// pop takes the first row of all runs, which are a heap by their first items.
func (s *fullSort) pop() []expr.Value {
	row := s.runs[0][0].row
	if s.runs[0] = s.runs[0][1:]; len(s.runs[0]) == 0 {
		last := len(s.runs) - 1
		s.runs[0] = s.runs[last]
		s.runs = s.runs[:last]
	}
	s.down(0)
	return row
}

// down moves the run at i down the heap to its place.
func (s *fullSort) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.runs); child++ {
			if s.runs[child][0].compare(&s.runs[least][0]) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		s.runs[i], s.runs[least] = s.runs[least], s.runs[i]
		i = least
	}
}

func (s *fullSort) Close() {
	s.runs, s.out = nil, nil
	s.account.close()
	s.in.close()
}
