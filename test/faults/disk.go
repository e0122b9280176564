package faults

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// smallDisk is a file system of its own under a node's data.
type smallDisk struct {
	dir     string
	ballast string
}

// ErrNotRoot is the reason why there is no small disk.
var ErrNotRoot = errors.New("a file system can be mounted by root only")

// mountSmallDisk puts a memory file system of so many megabytes under the node's
// data, which is new.
func mountSmallDisk(dir string, megabytes int) (*smallDisk, error) {
	if os.Getuid() != 0 {
		return nil, ErrNotRoot
	}
	kept := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if kept[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0700", megabytes)); err != nil {
		return nil, fmt.Errorf("%w (%v)", ErrNotRoot, err)
	}
	d := &smallDisk{dir: dir, ballast: filepath.Join(dir, "ballast")}
	// order: files of their own.
	for name, content := range kept {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return nil, errors.Join(err, d.unmount())
		}
	}
	return d, nil
}

func (d *smallDisk) unmount() error { return syscall.Unmount(d.dir, syscall.MNT_DETACH) }

// fill takes all the room that is left; free gives it back.
func (d *smallDisk) fill() error {
	f, err := os.Create(d.ballast)
	if err != nil {
		return err
	}
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		for b := make([]byte, size); err == nil; {
			_, err = f.Write(b)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return errors.Join(err, f.Close())
		}
		err = nil
	}
	return f.Close()
}

func (d *smallDisk) free() error { return os.Remove(d.ballast) }
