package marks

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"isochron/server/disk"
)

// FileName is the mark's name in the directory of its store.
const FileName = "SYNCED"

const logSuffix = ".log"

// syncEvery is the maximal age of the mark on disk.
const syncEvery = time.Second

// ErrDamaged: a file differs from its synced content.
var ErrDamaged = errors.New("data is corrupt")

// Marks has the marks of one directory.
type Marks struct {
	disk vfs.FS
	dir  string
	file vfs.File
	made bool // the store had been opened when the file was read

	mu      sync.Mutex
	now     mark
	files   map[string]*state
	number  uint64 // of the newest mark
	to      int    // the slot of the next mark
	durable int    // the slot on disk
	kept    uint64 // the number of its mark
	syncing bool
	dirty   bool // the slot to is newer than durable
	armed   bool // a sync of the mark is scheduled
	closed  bool
	err     error // of a sync of the mark
}

// state is a file's state since its creation.
type state struct {
	synced
	named bool // its name is on disk
}

// marked reports whether a file is marked, and its number.
func marked(name string) (number uint64, ok bool) {
	digits, log := strings.CutSuffix(name, logSuffix)
	if !log {
		if digits, ok = strings.CutPrefix(name, "MANIFEST-"); !ok {
			return 0, false
		}
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

// Open reads or creates a directory's mark and compares the files with it. The error is ErrDamaged if one differs from
// its synced content.
func Open(d vfs.FS, dir string) (*Marks, error) {
	m := &Marks{disk: d, dir: dir, files: map[string]*state{}}
	path := d.PathJoin(dir, FileName)
	b, err := read(d, path, -1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := m.create(path); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		at, number, has := newest(b)
		if at < 0 {
			return nil, fmt.Errorf("%w: no mark in %s can be read", ErrDamaged, FileName)
		}
		if has.Version > formatVersion {
			return nil, fmt.Errorf("%s has format %d, and this version reads format %d only: use the version that wrote it", path, has.Version, formatVersion)
		}
		m.durable, m.number, m.kept, m.now, m.made = at, number, number, has, has.Made
		if err := m.compare(); err != nil {
			return nil, err
		}
	}
	if m.file, err = d.OpenReadWrite(path, "isochron-mark"); err != nil {
		return nil, err
	}
	if err := m.file.Sync(); err != nil { // the mark read may not be on disk yet
		return nil, errors.Join(err, m.file.Close())
	}
	m.to = (m.durable + 1) % slots
	return m, nil
}

// create creates the file with a first mark without files.
func (m *Marks) create(path string) error {
	m.now.Version = formatVersion
	b, err := slot(0, m.now)
	if err != nil {
		return err
	}
	temp := disk.TempName(m.dir)
	f, err := m.disk.Create(temp, "isochron-mark")
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, make([]byte, slots*slotBytes-len(b))...))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = m.disk.Rename(temp, path)
	}
	if err != nil {
		_ = m.disk.Remove(temp)
		return err
	}
	return disk.SyncDir(m.disk, m.dir)
}

// compare fails if a file differs from its mark.
func (m *Marks) compare() error {
	names, err := m.disk.List(m.dir)
	if err != nil {
		return err
	}
	if len(m.now.Files) > 0 && above(names, m.now.Files) {
		m.now.Files = nil // a program without marks has run since
	}
	for _, f := range m.now.Files {
		if err := m.compareOne(f); err != nil {
			return err
		}
		m.files[f.Name] = &state{f, true}
	}
	return nil
}

// above reports whether a log or manifest has a number above all marked ones.
func above(names []string, files []synced) bool {
	var top uint64
	for _, f := range files {
		n, _ := marked(f.Name)
		top = max(top, n)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		n, ok := marked(name)
		return ok && n > top
	})
}

func (m *Marks) compareOne(f synced) error {
	if f.Bytes == 0 {
		return nil
	}
	b, err := read(m.disk, m.disk.PathJoin(m.dir, f.Name), f.Bytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s, of which %d bytes were synced, is missing", ErrDamaged, f.Name, f.Bytes)
	case err != nil:
		return err
	case int64(len(b)) < f.Bytes:
		return fmt.Errorf("%w: %s has %d bytes, and %d were synced", ErrDamaged, f.Name, len(b), f.Bytes)
	case crc32.Checksum(b, castagnoli) != f.Sum:
		return fmt.Errorf("%w: the first %d bytes of %s differ from the synced ones", ErrDamaged, f.Bytes, f.Name)
	}
	return nil
}

// read reads at most so many bytes of a file; -1: all.
func read(d vfs.FS, path string, most int64) ([]byte, error) {
	f, err := d.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if most < 0 || most > info.Size() {
		most = info.Size()
	}
	b := make([]byte, most)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:n], errors.Join(err, f.Close())
}

// Made reports whether the store was opened before.
func (m *Marks) Made() bool { return m.made }

// Opened records that the store was opened.
func (m *Marks) Opened() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now.Made {
		return nil
	}
	m.now.Made = true
	return m.writeSynced()
}

// Flushed records that the store was closed and its logs are no longer needed.
func (m *Marks) Flushed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, s := range m.files {
		if strings.HasSuffix(name, logSuffix) && s.Bytes > 0 {
			s.Bytes, s.Sum, m.dirty = 0, 0, true
		}
	}
}

// Close syncs the last mark.
func (m *Marks) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	err := m.err
	if err == nil && (m.dirty || m.syncing) {
		err = m.writeSynced()
	}
	m.closed = true
	if m.syncing {
		return err // the syncing goroutine closes the file
	}
	return errors.Join(err, m.file.Close())
}

// write writes the present mark to its slot.
func (m *Marks) write() error {
	if m.closed {
		return fs.ErrClosed
	}
	if m.err != nil {
		return m.err
	}
	m.now.Files = m.now.Files[:0]
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		s := m.files[name]
		entry := s.synced
		if !s.named { // a power cut may remove it
			entry.Bytes, entry.Sum = 0, 0
		}
		m.now.Files = append(m.now.Files, entry)
	}
	m.number++
	b, err := slot(m.number, m.now)
	if err != nil {
		return err
	}
	if _, err := m.file.WriteAt(b, int64(m.to)*slotBytes); err != nil {
		return fmt.Errorf("the mark %s cannot be written: %w", FileName, err)
	}
	m.dirty = true
	m.arm()
	return nil
}

// writeSynced writes and syncs the present mark. Other marks wait.
func (m *Marks) writeSynced() error {
	if err := m.write(); err != nil {
		return err
	}
	if err := m.file.Sync(); err != nil {
		m.err = fmt.Errorf("the mark %s cannot be synced: %w", FileName, err)
		return m.err
	}
	m.durable, m.kept = m.to, m.number
	m.to, m.dirty = (m.to+1)%slots, false
	return nil
}

// syncLater syncs the written mark while later marks go to another slot.
func (m *Marks) syncLater() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.armed = false
	if m.closed || !m.dirty || m.err != nil {
		return
	}
	if m.syncing { // the previous sync takes long
		m.arm()
		return
	}
	slot, number := m.to, m.number
	m.to, m.dirty, m.syncing = slots-slot-m.durable, false, true // the third slot: 0 + 1 + 2 = 3
	m.mu.Unlock()
	err := m.file.Sync()
	m.mu.Lock()
	m.syncing = false
	switch {
	case err != nil:
		m.err = fmt.Errorf("the mark %s cannot be synced: %w", FileName, err)
	case number > m.kept: // no newer one was synced meanwhile
		m.durable, m.kept = slot, number
	}
	if m.closed {
		_ = m.file.Close() // all was synced
	}
}

// arm schedules a sync of the mark.
func (m *Marks) arm() {
	if !m.armed {
		m.armed = true
		time.AfterFunc(syncEvery, m.syncLater)
	}
}
