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

// rowSorter sorts rows by keys that are given with them; equal keys stay in the order in which they were added.
//
// Rows are gathered in runs, each of which is sorted when it is full; the output merges the runs. If Memory refuses more,
// or the sorter holds its share, the runs in memory are merged into one in a file, and the output merges those.
//
// A caller adds rows, calls finish, then next until there are no more, and close at any time.
type rowSorter struct {
	account account
	files   *SpillFiles // nil: there are none
	keys    arena
	count   uint64   // of rows added
	runs    [][]item // in memory; sorted, but for the last one before finish
	disk    *diskRuns
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

func newRowSorter(m Memory) *rowSorter {
	return &rowSorter{account: account{memory: m}, files: filesOf(m)}
}

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

// arenaFirst and arenaBytes are the sizes of the first and of the largest allocation of keys; each is twice the one before.
const (
	arenaFirst = 4 << 10
	arenaBytes = 64 << 10
)

// keep copies a key.
func (a *arena) keep(key []byte) []byte {
	if len(key) > arenaBytes/8 {
		return slices.Clone(key)
	}
	if cap(a.free)-len(a.free) < len(key) {
		a.free = make([]byte, 0, max(min(2*cap(a.free), arenaBytes), arenaFirst, len(key)))
	}
	from := len(a.free)
	a.free = append(a.free, key...)
	return a.free[from:len(a.free):len(a.free)]
}

// add adds a row. It keeps the row, and copies the key.
func (s *rowSorter) add(key []byte, row []expr.Value) error {
	it := item{headOf(key), s.keys.keep(key), row, s.count}
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
	err := s.account.add(itemBytes + sizeOf(row) + int64(len(it.key)))
	return s.relieve(err)
}

// settle charges what is due. It is called at the end of each batch.
func (s *rowSorter) settle() error { return s.relieve(s.account.settle()) }

// relieve writes the rows to a file if Memory refused them, or they are the sorter's share.
func (s *rowSorter) relieve(refused error) error {
	if refused == nil && !s.account.full(s.files) {
		return nil
	}
	if s.files == nil || s.account.held+s.account.due < min(s.files.Share, spillBuffer) { // it is others that hold the memory
		return refused
	}
	return s.spill()
}

// spill writes the rows in memory to a file, as one run.
func (s *rowSorter) spill() error {
	s.order()
	if s.disk == nil {
		file, err := s.files.create()
		if err != nil {
			return err
		}
		s.disk = &diskRuns{file: file}
	}
	s.disk.begin()
	for {
		it := s.pop()
		if it.row == nil {
			break
		}
		if err := s.disk.write(it.key, it.row); err != nil {
			return err
		}
	}
	s.keys, s.runs = arena{}, nil
	s.account.close()
	return s.disk.end()
}

// order sorts the last run and makes the runs a heap by their first items.
func (s *rowSorter) order() {
	if n := len(s.runs); n > 0 {
		sortItems(s.runs[n-1])
	}
	for i := len(s.runs)/2 - 1; i >= 0; i-- {
		s.down(i)
	}
}

// finish ends the adding of rows.
func (s *rowSorter) finish(ctx context.Context) error {
	if s.disk == nil {
		s.order()
		return nil
	}
	if len(s.runs) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	// Nothing is charged now: all rows are in the file.
	return s.disk.merge(ctx, &s.account)
}

// next is the next row with its key; a row of nil is the end.
func (s *rowSorter) next() (key []byte, row []expr.Value, err error) {
	if s.disk != nil {
		return s.disk.next()
	}
	it := s.pop()
	return it.key, it.row, nil
}

// batch appends the next rows to a batch, until it has so many.
func (s *rowSorter) batch(rows [][]expr.Value, most int) ([][]expr.Value, error) {
	for len(rows) < most {
		_, row, err := s.next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			break
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func sortItems(list []item) {
	slices.SortFunc(list, func(a, b item) int { return a.compare(&b) })
}

// pop takes the first row of all runs, which are a heap by their first items; a row of nil: there is none.
func (s *rowSorter) pop() item {
	if len(s.runs) == 0 {
		return item{}
	}
	it := s.runs[0][0]
	if s.runs[0] = s.runs[0][1:]; len(s.runs[0]) == 0 {
		last := len(s.runs) - 1
		s.runs[0] = s.runs[last]
		s.runs = s.runs[:last]
	}
	s.down(0)
	return it
}

// down moves the run at i down the heap to its place.
func (s *rowSorter) down(i int) {
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

func (s *rowSorter) close() {
	s.runs = nil
	if s.disk != nil {
		s.disk.close()
	}
	s.account.close()
}
