package disk

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Unfinished is the prefix of the names of incomplete files.
const Unfinished = ".new-"

// File is a file being written.
type File interface {
	io.WriteCloser
	Sync() error
}

// Disk stores files. They are read through the operating system: a Disk's files are at their paths.
type Disk interface {
	vfs.FS
	// New creates a file with this mode; it fails with fs.ErrExist if it exists.
	New(name string, rights fs.FileMode) (File, error)
	// Mkdir creates one directory; it fails with fs.ErrExist if it exists.
	Mkdir(name string, rights fs.FileMode) error
}

// Machine returns the machine's disk.
func Machine() Disk { return machine{vfs.Default} }

// Or returns d, or the machine's disk if d is nil.
func Or(d Disk) Disk {
	if d == nil {
		return Machine()
	}
	return d
}

type machine struct{ vfs.FS }

func (machine) New(name string, rights fs.FileMode) (File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, rights)
}

func (machine) Mkdir(name string, rights fs.FileMode) error { return os.Mkdir(name, rights) }

// TempName returns an unused name in dir.
func TempName(dir string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return filepath.Join(dir, Unfinished+hex.EncodeToString(b[:]))
}

// WriteFile replaces a file atomically and durably: after a crash it is the old one or the new one.
func WriteFile(d Disk, path string, b []byte, rights fs.FileMode) error {
	temp := TempName(filepath.Dir(path))
	err := WriteNew(d, temp, b, rights)
	if err == nil {
		err = d.Rename(temp, path)
	}
	if err != nil {
		_ = d.Remove(temp) // it may not exist
		return err
	}
	return SyncDir(d, filepath.Dir(path))
}

// WriteNew writes a file that must not exist and syncs its content; its name is durable once its directory is synced.
func WriteNew(d Disk, path string, b []byte, rights fs.FileMode) error {
	f, err := d.New(path, rights)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SyncDir makes a directory's names durable.
func SyncDir(d vfs.FS, dir string) error {
	f, err := d.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Mkdir creates one directory durably.
func Mkdir(d Disk, dir string, rights fs.FileMode) error {
	if err := d.Mkdir(dir, rights); err != nil {
		return err
	}
	return SyncDir(d, filepath.Dir(dir))
}

// MkdirAll creates a directory and its missing parents durably. An existing one is synced into its parent too: a crash
// may have come between its creation and that sync.
func MkdirAll(d vfs.FS, dir string, rights fs.FileMode) error {
	dir = filepath.Clean(dir)
	parents := []string{filepath.Dir(dir)} // directories with new names
	for ; ; parents = append(parents, filepath.Dir(parents[len(parents)-1])) {
		last := parents[len(parents)-1]
		if _, err := d.Stat(last); err == nil || last == filepath.Dir(last) {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := d.MkdirAll(dir, rights); err != nil {
		return err
	}
	for _, p := range parents {
		if err := SyncDir(d, p); err != nil && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("the directory %s cannot be synced: %w", p, err)
		}
	}
	return nil
}
