package disktest

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// file is an open file or directory. One goroutine at a time writes and syncs it.
type file struct {
	vfs.File
	disk *Disk
	path string
	node *inode // nil: opened while the power was off
	at   int64
}

// or returns the file, or the error.
func (f *file) or(err error) (vfs.File, error) {
	if err == nil {
		return f, nil
	}
	if f.File != nil {
		err = errors.Join(err, f.File.Close())
	}
	return nil, err
}

func (f *file) Write(b []byte) (n int, err error) {
	copied := bytes.Clone(b) // a Write may change its argument
	err = f.disk.take("write", f.path, func() error {
		n, err = f.File.Write(b)
		return err
	}, func(string) error {
		f.node.writes = append(f.node.writes, write{f.at, copied[:n]})
		return nil
	})
	f.at += int64(n)
	return n, err
}

func (f *file) WriteAt(b []byte, at int64) (n int, err error) {
	copied := bytes.Clone(b)
	err = f.disk.take("write", f.path, func() error {
		n, err = f.File.WriteAt(b, at)
		return err
	}, func(string) error {
		f.node.writes = append(f.node.writes, write{at, copied[:n]})
		return nil
	})
	return n, err
}

// Sync does not sync the real file: only the record is judged.
func (f *file) Sync() error {
	what := "sync"
	if f.node != nil && f.node.isDir() {
		what = "syncdir"
	}
	return f.disk.take(what, f.path, func() error { return nil }, func(rel string) error {
		if !f.disk.lie.ignores(rel, f.node.isDir()) {
			f.node.sync(f.disk.lie.late(rel))
		}
		return nil
	})
}

func (f *file) SyncData() error { return f.Sync() }

// SyncTo may do nothing and then returns false.
func (*file) SyncTo(int64) (bool, error) { return false, nil }

func (*file) Preallocate(_, _ int64) error { return nil }
func (*file) Prefetch(_, _ int64) error    { return nil }
func (*file) Fd() uintptr                  { return vfs.InvalidFd }
