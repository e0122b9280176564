package exec

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// SpillSpace are the temporary files of all statements of a process. Any goroutine may use it.
type SpillSpace struct {
	dir  string
	used atomic.Int64 // bytes of all files
}

// OpenSpillSpace makes a directory for temporary files if there is none, and removes what a process left in it that ended
// while it created a file. No other uses it now.
func OpenSpillSpace(dir string) (*SpillSpace, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the directory of temporary files: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, spillPattern))
	if err != nil {
		return nil, err
	}
	for _, name := range left {
		if err := os.Remove(name); err != nil {
			return nil, fmt.Errorf("removing a temporary file of an earlier process: %w", err)
		}
	}
	return &SpillSpace{dir: dir}, nil
}

// spillPattern are the names of spill files before they lose them.
const spillPattern = "isochron-spill-*"

// SpillBounds are the bounds of a statement's files.
type SpillBounds struct {
	// Most are the bytes of its files together; beyond them it fails with Full.
	Most int64
	Full error
	// All are the bytes of the files of all statements; beyond them it fails with AllFull.
	All     int64
	AllFull error
	// Share are the bytes that an operator holds before it spills; it also spills if its Memory refuses more. It is so small
	// that all operators of a statement which hold rows at a time have as much.
	Share int64
}

// SpillFiles are the temporary files of one statement. A Memory that has a method Spill() *SpillFiles lets operators write
// rows to them which they may not hold in memory. One goroutine uses them.
//
// A file has no name after it is created, so nothing is left of it when it is closed or the process ends.
type SpillFiles struct {
	SpillBounds
	space   *SpillSpace
	used    int64
	written int64 // bytes that were written, and may be gone: tests see by it that an operator spilled
}

// Files makes the files of a statement.
func (s *SpillSpace) Files(b SpillBounds) *SpillFiles {
	b.Share = max(b.Share, 1)
	return &SpillFiles{SpillBounds: b, space: s}
}

// Used are the bytes of the files of all statements.
func (s *SpillSpace) Used() int64 { return s.used.Load() }

// take takes bytes of the bounds.
func (s *SpillFiles) take(n int64) error {
	if s.used+n > s.Most {
		return s.Full
	}
	if s.space.used.Add(n) > s.All {
		s.space.used.Add(-n)
		return s.AllFull
	}
	s.used += n
	s.written += n
	return nil
}

func (s *SpillFiles) give(n int64) {
	s.used -= n
	s.space.used.Add(-n)
}

// filesOf are the files of a Memory; nil: it has none.
func filesOf(m Memory) *SpillFiles {
	if s, ok := m.(interface{ Spill() *SpillFiles }); ok {
		return s.Spill()
	}
	return nil
}

// full reports whether an operator holds its share, and has files to write to.
func (a *account) full(files *SpillFiles) bool { return files != nil && a.held+a.due >= files.Share }

// spillFile is a temporary file of an operator. It is written at its end and read anywhere.
type spillFile struct {
	files *SpillFiles
	file  *os.File
	out   *bufio.Writer
	size  int64
	head  [2 * binary.MaxVarintLen64]byte
}

// spillBuffer is the size in bytes of what is written and read at a time.
const spillBuffer = 32 << 10

func (s *SpillFiles) create() (*spillFile, error) {
	f, err := os.CreateTemp(s.space.dir, spillPattern)
	if err != nil {
		return nil, fmt.Errorf("creating a file for rows that do not fit in memory: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("removing the name of a temporary file: %w", err)
	}
	return &spillFile{files: s, file: f, out: bufio.NewWriterSize(f, spillBuffer)}, nil
}

// write appends a record of two parts. A record is the lengths of its parts, then the parts.
func (f *spillFile) write(a, b []byte) error {
	head := binary.AppendUvarint(f.head[:0], uint64(len(a)))
	head = binary.AppendUvarint(head, uint64(len(b)))
	size := int64(len(head) + len(a) + len(b))
	if err := f.files.take(size); err != nil {
		return err
	}
	f.size += size
	for _, part := range [][]byte{head, a, b} {
		if _, err := f.out.Write(part); err != nil {
			return fmt.Errorf("writing rows to a temporary file: %w", err)
		}
	}
	return nil
}

// flush makes what was written readable.
func (f *spillFile) flush() error {
	if err := f.out.Flush(); err != nil {
		return fmt.Errorf("writing rows to a temporary file: %w", err)
	}
	return nil
}

func (f *spillFile) close() {
	if f == nil || f.file == nil {
		return
	}
	f.files.give(f.size)
	f.file.Close() // no reader of it is left
	f.file = nil
}

// spillReader reads the records of a part of a file. What it returns stays valid: each buffer is a new one.
type spillReader struct {
	file   *spillFile
	at, to int64  // the part that has not been read into the buffer
	buffer []byte // read and not returned
}

// more reports whether there is another record.
func (r *spillReader) more() bool { return len(r.buffer) > 0 || r.at < r.to }

// next is the next record; there is one.
func (r *spillReader) next() (a, b []byte, err error) {
	if err := r.fill(min(2*binary.MaxVarintLen64, int(r.to-r.at)+len(r.buffer))); err != nil {
		return nil, nil, err
	}
	n, i := binary.Uvarint(r.buffer)
	m, j := binary.Uvarint(r.buffer[max(i, 0):])
	if i <= 0 || j <= 0 || n > uint64(r.file.size) || m > uint64(r.file.size) {
		return nil, nil, errSpillFile
	}
	size := i + j + int(n) + int(m)
	if err := r.fill(size); err != nil {
		return nil, nil, err
	}
	record := r.buffer[i+j : size : size]
	r.buffer = r.buffer[size:]
	return record[:n:n], record[n:], nil
}

var errSpillFile = fmt.Errorf("a temporary file does not have the rows that were written to it")

// fill reads until the buffer has so many bytes.
func (r *spillReader) fill(n int) error {
	if len(r.buffer) >= n {
		return nil
	}
	more := min(int64(max(n-len(r.buffer), spillBuffer-len(r.buffer))), r.to-r.at)
	if int64(n-len(r.buffer)) > more {
		return errSpillFile
	}
	grown := make([]byte, len(r.buffer)+int(more))
	copy(grown, r.buffer)
	if _, err := r.file.file.ReadAt(grown[len(r.buffer):], r.at); err != nil {
		return fmt.Errorf("reading rows from a temporary file: %w", err)
	}
	r.buffer = grown
	r.at += more
	return nil
}
