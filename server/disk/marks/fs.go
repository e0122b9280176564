package marks

import (
	"errors"
	"hash/crc32"
	"io/fs"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS returns the file system for the library.
func (m *Marks) FS() vfs.FS { return marking{m.disk, m} }

// marking updates the marks with each change made through it.
type marking struct {
	vfs.FS
	m *Marks
}

// ours returns the name of a marked file; false: another file.
func (s marking) ours(path string) (name string, ok bool) {
	name = s.FS.PathBase(path)
	_, ok = marked(name)
	return name, ok && s.FS.PathDir(path) == s.FS.PathDir(s.FS.PathJoin(s.m.dir, name))
}

// forget removes a file from the mark, durably, before its name is removed.
func (m *Marks) forget(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[name] == nil {
		return nil
	}
	delete(m.files, name)
	return m.writeSynced()
}

// expect adds a new file to the mark, durably, before it is created: a file with a number above all marked ones was
// written by a program without marks.
func (m *Marks) expect(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[name] = &state{synced: synced{Name: name}}
	return m.writeSynced()
}

func (s marking) Create(path string, category vfs.DiskWriteCategory) (vfs.File, error) {
	name, ok := s.ours(path)
	if !ok {
		return s.FS.Create(path, category)
	}
	if err := s.m.expect(name); err != nil {
		return nil, err
	}
	return s.m.wrap(name)(s.FS.Create(path, category))
}

func (s marking) ReuseForWrite(old, path string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if name, ok := s.ours(old); ok {
		if err := s.m.forget(name); err != nil {
			return nil, err
		}
	}
	name, ok := s.ours(path)
	if !ok {
		return s.FS.ReuseForWrite(old, path, category)
	}
	if err := s.m.expect(name); err != nil {
		return nil, err
	}
	return s.m.wrap(name)(s.FS.ReuseForWrite(old, path, category))
}

func (s marking) Remove(path string) error {
	if name, ok := s.ours(path); ok {
		if err := s.m.forget(name); err != nil {
			return err
		}
	}
	return s.FS.Remove(path)
}

func (s marking) Rename(old, path string) error {
	for _, p := range []string{old, path} {
		if name, ok := s.ours(p); ok {
			if err := s.m.forget(name); err != nil {
				return err
			}
		}
	}
	return s.FS.Rename(old, path)
}

func (s marking) OpenDir(path string) (vfs.File, error) {
	f, err := s.FS.OpenDir(path)
	if err != nil || s.FS.PathJoin(path, "x") != s.FS.PathJoin(s.m.dir, "x") {
		return f, err
	}
	return markedDir{f, s.m}, nil
}

// Unwrap hides the file system below: changes past the marks would be taken for damage.
func (s marking) Unwrap() vfs.FS { return nil }

// markedDir is the directory, opened to be synced.
type markedDir struct {
	vfs.File
	m *Marks
}

func (d markedDir) Sync() error {
	d.m.mu.Lock()
	var there []*state
	for _, s := range d.m.files {
		if !s.named {
			there = append(there, s)
		}
	}
	d.m.mu.Unlock()
	if err := d.File.Sync(); err != nil {
		return err
	}
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	for _, s := range there {
		s.named = true
	}
	if len(there) == 0 || d.m.closed {
		return nil
	}
	return d.m.write()
}

func (d markedDir) SyncData() error { return d.Sync() }

// markedFile is a log or a manifest, written from its start.
type markedFile struct {
	vfs.File
	m     *Marks
	state *state

	mu      sync.Mutex
	written synced // all bytes written
}

// wrap wraps a created file.
func (m *Marks) wrap(name string) func(vfs.File, error) (vfs.File, error) {
	return func(f vfs.File, err error) (vfs.File, error) {
		if err != nil {
			return nil, err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		return &markedFile{File: f, m: m, state: m.files[name], written: synced{Name: name}}, nil
	}
}

func (f *markedFile) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sum := crc32.Update(f.written.Sum, castagnoli, b) // before the write, which may change its argument
	n, err := f.File.Write(b)
	if n == len(b) {
		f.written.Bytes, f.written.Sum = f.written.Bytes+int64(n), sum
	} else if err == nil {
		err = errors.New("a file was written partially")
	}
	return n, err
}

// WriteAt is not used by the library for these files.
func (f *markedFile) WriteAt([]byte, int64) (int, error) {
	return 0, errors.New("logs and manifests are only appended to")
}

func (f *markedFile) Sync() error     { return f.sync(f.File.Sync) }
func (f *markedFile) SyncData() error { return f.sync(f.File.SyncData) }

func (f *markedFile) sync(do func() error) error {
	f.mu.Lock()
	written := f.written
	f.mu.Unlock()
	if err := do(); err != nil {
		return err
	}
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if written.Bytes <= f.state.Bytes || f.m.files[written.Name] != f.state {
		return nil
	}
	f.state.synced = written
	if err := f.m.write(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}
