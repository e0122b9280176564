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

// Unfinished begins the names of files that are not yet whole.
const Unfinished = ".new-"

// File is one that is being written.
type File interface {
	io.WriteCloser
	Sync() error
}

// Disk is where files are kept. Reading is left to the operating system: a Disk has its
// files where their names say.
type Disk interface {
	vfs.FS
	// New makes a file with these rights; it fails with fs.ErrExist if there is one.
	New(name string, rights fs.FileMode) (File, error)
	// Mkdir makes one directory; it fails with fs.ErrExist if there is one.
	Mkdir(name string, rights fs.FileMode) error
}

// Machine is the disk of the machine.
func Machine() Disk { return machine{vfs.Default} }

// Or is the disk given, or the machine's where none is.
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

// TempName is a name in dir that nobody else has.
func TempName(dir string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return filepath.Join(dir, Unfinished+hex.EncodeToString(b[:]))
}

// WriteFile replaces a file whole and durably: a crash leaves the old one or the new.
func WriteFile(d Disk, path string, b []byte, rights fs.FileMode) error {
	temp := TempName(filepath.Dir(path))
	err := WriteNew(d, temp, b, rights)
	if err == nil {
		err = d.Rename(temp, path)
	}
	if err != nil {
		_ = d.Remove(temp) // it may never have been
		return err
	}
	return SyncDir(d, filepath.Dir(path))
}

// WriteNew writes a file that must not exist, and syncs what is in it; its name is durable
// when its directory has been synced.
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

// SyncDir makes durable which names a directory has.
func SyncDir(d vfs.FS, dir string) error {
	f, err := d.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Mkdir makes one directory, durably.
func Mkdir(d Disk, dir string, rights fs.FileMode) error {
	if err := d.Mkdir(dir, rights); err != nil {
		return err
	}
	return SyncDir(d, filepath.Dir(dir))
}

// MkdirAll makes a directory and the parents that it lacks, durably. One that is there
// is synced into its parent too: a crash may have come between its making and its syncing.
func MkdirAll(d vfs.FS, dir string, rights fs.FileMode) error {
	dir = filepath.Clean(dir)
	parents := []string{filepath.Dir(dir)} // whose names change
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
