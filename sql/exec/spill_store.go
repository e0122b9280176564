package exec

import (
	"sort"

	"isochron/sql/expr"
)

// rowStore holds rows in the order in which they were added, and returns them by their numbers from 0. If Memory refuses
// more, or it holds its share, it writes them to a file in blocks; it then holds the rows behind the last block, and a few
// blocks that have been read.
type rowStore struct {
	account account
	files   *SpillFiles    // nil: there are none
	rows    [][]expr.Value // all of them; with a file, those behind the last block
	first   int            // the number of the first of them
	file    *spillFile     // nil: no row has been written
	blocks  []storedBlock
	pending int64 // bytes of rows, with a file
	cache   [cachedBlocks]cachedBlock
	clock   uint64
	reader  rowReader
	buffer  []byte
}

// storedBlock is where a block begins.
type storedBlock struct {
	row int   // the number of its first row
	at  int64 // in the file
}

// storedBytes is what a storedBlock occupies.
const storedBytes = 16

// cachedBlock is a block that has been read.
type cachedBlock struct {
	first int // the number of its first row
	rows  [][]expr.Value
	size  int64  // charged for it
	used  uint64 // when it was used last
}

// cachedBlocks are the blocks that are held: the functions of a window read at a few places at a time.
const cachedBlocks = 8

func newRowStore(m Memory) rowStore {
	return rowStore{account: account{memory: m}, files: filesOf(m)}
}

// size is the number of rows.
func (s *rowStore) size() int { return s.first + len(s.rows) }

// spilled reports whether rows have been written to a file.
func (s *rowStore) spilled() bool { return s.file != nil }

// add adds a row.
func (s *rowStore) add(row []expr.Value) error {
	s.rows = append(s.rows, row)
	size := sizeOf(row)
	err := s.account.add(size)
	if s.file != nil {
		if s.pending += size; s.pending < spillBuffer {
			return err
		}
		return s.writeBlocks()
	}
	return s.relieve(err)
}

// settle charges what is due. It is called at the end of each batch.
func (s *rowStore) settle() error { return s.relieve(s.account.settle()) }

// relieve writes the rows to a file if Memory refused them, or they are the store's share.
func (s *rowStore) relieve(refused error) error {
	if s.file != nil || refused == nil && !s.account.full(s.files) {
		return refused
	}
	if s.files == nil || s.account.held+s.account.due < min(s.files.Share, spillBuffer) {
		return refused
	}
	var err error
	if s.file, err = s.files.create(); err != nil {
		return err
	}
	return s.writeBlocks()
}

// writeBlocks writes the rows in memory to the file, in blocks.
func (s *rowStore) writeBlocks() error {
	size := int64(0)
	for i, row := range s.rows {
		if size == 0 {
			s.blocks = append(s.blocks, storedBlock{s.first + i, s.file.size})
			s.account.due += storedBytes
		}
		s.buffer = appendRow(s.buffer[:0], row)
		if err := s.file.write(nil, s.buffer); err != nil {
			return err
		}
		if size += sizeOf(row); size >= spillBuffer {
			size = 0
		}
		s.account.due -= sizeOf(row)
	}
	s.first += len(s.rows)
	clear(s.rows)
	s.rows, s.pending = s.rows[:0], 0
	if err := s.file.flush(); err != nil {
		return err
	}
	return s.account.settle()
}

// at is row i.
func (s *rowStore) at(i int) ([]expr.Value, error) {
	if i >= s.first {
		return s.rows[i-s.first], nil
	}
	s.clock++
	oldest := 0
	for k := range s.cache {
		c := &s.cache[k]
		if i >= c.first && i < c.first+len(c.rows) {
			c.used = s.clock
			return c.rows[i-c.first], nil
		}
		if c.used < s.cache[oldest].used {
			oldest = k
		}
	}
	c := &s.cache[oldest]
	if err := s.load(c, i); err != nil {
		return nil, err
	}
	c.used = s.clock
	return c.rows[i-c.first], nil
}

// load reads the block that has row i.
func (s *rowStore) load(c *cachedBlock, i int) error {
	n := sort.Search(len(s.blocks), func(k int) bool { return s.blocks[k].row > i }) - 1
	from := spillReader{file: s.file, at: s.blocks[n].at, to: s.file.size}
	rows := s.first - s.blocks[n].row
	if n+1 < len(s.blocks) {
		from.to, rows = s.blocks[n+1].at, s.blocks[n+1].row-s.blocks[n].row
	}
	s.account.due -= c.size
	*c = cachedBlock{first: s.blocks[n].row, rows: make([][]expr.Value, 0, rows)}
	for range rows {
		if !from.more() {
			return errSpillFile
		}
		_, b, err := from.next()
		if err != nil {
			return err
		}
		row, err := s.reader.row(b, rows-len(c.rows))
		if err != nil {
			return err
		}
		c.rows = append(c.rows, row)
		c.size += sizeOf(row)
	}
	s.account.due += c.size
	if s.account.settle() == nil {
		return nil
	}
	s.forget(c)
	return s.account.settle()
}

// forget frees the blocks that have been read, but for one.
func (s *rowStore) forget(but *cachedBlock) {
	for k := range s.cache {
		if c := &s.cache[k]; c != but {
			s.account.due -= c.size
			*c = cachedBlock{}
		}
	}
}

// drop frees the rows before row i of a store that writes none to files. The others keep their numbers.
func (s *rowStore) drop(i int) {
	dropped := s.rows[:i-s.first]
	for _, row := range dropped {
		s.account.due -= sizeOf(row)
	}
	clear(dropped)
	s.rows, s.first = s.rows[len(dropped):], i
}

// clear removes all rows; the next ones are held in memory again.
func (s *rowStore) clear() {
	clear(s.rows)
	s.rows, s.first, s.blocks, s.pending = s.rows[:0], 0, nil, 0
	s.cache = [cachedBlocks]cachedBlock{}
	s.file.close()
	s.file = nil
	s.account.due = -s.account.held
}

func (s *rowStore) close() {
	s.clear()
	s.rows = nil
	s.account.close()
}
