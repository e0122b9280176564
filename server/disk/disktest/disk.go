package disktest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"isochron/server/disk"
)

// Disk is a directory whose changes are recorded. Its methods are safe for concurrent use.
type Disk struct {
	vfs.FS // on the real directory, for calls without changes
	dir    string
	lie    Lie

	mu       sync.Mutex
	top      *inode
	off      bool
	released chan struct{}
	watch    func(Step)
	steps    int
}

// Step is a change about to be made, or a sync.
type Step struct {
	N    int    // from 1
	Do   string // write, sync, syncdir, create, mkdir, rename, remove, link
	Path string // relative to the disk's directory
	// Off cuts the power before the step.
	Off func()
	// Rebuild creates the state found if the power were cut before the step.
	Rebuild func(dir string, keep Keep, r *rand.Rand) (*Disk, error)
}

// New returns an empty disk in an existing, empty directory. A non-zero lie makes it misbehave.
func New(dir string, lie Lie) *Disk { return onto(dir, newDir(0o700), lie) }

func onto(dir string, top *inode, lie Lie) *Disk {
	return &Disk{FS: vfs.Default, dir: dir, lie: lie, top: top, released: make(chan struct{})}
}

// Dir returns its directory.
func (d *Disk) Dir() string { return d.dir }

// Watch has f called before each step, one at a time. f must use the disk only through the step.
func (d *Disk) Watch(f func(Step)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watch = f
}

// Off cuts the power.
func (d *Disk) Off() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
}

// Release unblocks the callers that wait for a disk that is off; their writes are lost.
func (d *Disk) Release() { close(d.released) }

// Rebuild fills an existing, empty directory with the state a machine finds after Off and returns the disk there. That
// disk does not lie: the losses before it are judged.
func (d *Disk) Rebuild(dir string, keep Keep, r *rand.Rand) (*Disk, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.off {
		return nil, errors.New("the power is on")
	}
	return d.rebuild(dir, keep, r)
}

func (d *Disk) rebuild(dir string, keep Keep, r *rand.Rand) (*Disk, error) {
	top, err := d.top.cut(keep, r).put(dir)
	if err != nil {
		return nil, fmt.Errorf("the disk cannot be rebuilt: %w", err)
	}
	return onto(dir, top, Lie{}), nil
}

// take takes a step: do changes the real directory, then record records the change.
func (d *Disk) take(what, path string, do func() error, record func(rel string) error) error {
	rel, err := filepath.Rel(d.dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return fmt.Errorf("%s is not on the disk in %s", path, d.dir)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.off && d.watch != nil {
		d.steps++
		d.watch(Step{N: d.steps, Do: what, Path: rel, Off: func() { d.off = true }, Rebuild: d.rebuild})
	}
	if d.off {
		d.mu.Unlock()
		<-d.released
		d.mu.Lock()
		return do()
	}
	if err := do(); err != nil {
		return err
	}
	return record(rel)
}

// at returns the inode of a path relative to the disk's directory.
func (d *Disk) at(rel string) (*inode, error) {
	n := d.top
	if rel == "." {
		return n, nil
	}
	for name := range strings.SplitSeq(rel, "/") {
		if n = n.names[name]; n == nil {
			return nil, fmt.Errorf("%s came onto the disk behind its back", rel)
		}
	}
	return n, nil
}

// in records a change to a path's directory; c receives the path's last name.
func (d *Disk) in(rel string, c func(name string) change) error {
	dir, err := d.at(filepath.Dir(rel))
	if err == nil {
		dir.change(c(filepath.Base(rel)))
	}
	return err
}

// Create creates a file.
func (d *Disk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f := &file{disk: d, path: name, node: newFile(0o644)}
	err := d.take("create", name, func() (err error) {
		f.File, err = d.FS.Create(name, category)
		return err
	}, func(rel string) error {
		return d.in(rel, func(name string) change { return change{name: name, is: f.node} })
	})
	return f.or(err)
}

// New creates a file that must not exist.
func (d *Disk) New(name string, rights fs.FileMode) (disk.File, error) {
	f := &file{disk: d, path: name, node: newFile(rights)}
	err := d.take("create", name, func() error {
		made, err := disk.Machine().New(name, rights)
		if err == nil {
			err = made.Close()
		}
		if err == nil {
			f.File, err = d.FS.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
		}
		return err
	}, func(rel string) error {
		return d.in(rel, func(name string) change { return change{name: name, is: f.node} })
	})
	return f.or(err)
}

// OpenReadWrite opens a file, or creates it.
func (d *Disk) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return d.Create(name, category)
	}
	return d.open(name, func() (vfs.File, error) { return d.FS.OpenReadWrite(name, category, opts...) })
}

// OpenDir opens a directory to sync it.
func (d *Disk) OpenDir(name string) (vfs.File, error) {
	if rel, err := filepath.Rel(d.dir, name); err != nil || strings.HasPrefix(rel, "..") {
		return d.FS.OpenDir(name) // above the disk nothing is lost
	}
	return d.open(name, func() (vfs.File, error) { return d.FS.OpenDir(name) })
}

// open opens an existing file or directory.
func (d *Disk) open(name string, open func() (vfs.File, error)) (vfs.File, error) {
	f := &file{disk: d, path: name}
	real, err := open()
	if err != nil {
		return nil, err
	}
	f.File = real
	d.mu.Lock()
	defer d.mu.Unlock()
	rel, err := filepath.Rel(d.dir, name)
	if err == nil && !d.off {
		f.node, err = d.at(rel)
	}
	return f.or(err)
}

// Link adds a name to a file.
func (d *Disk) Link(old, name string) error {
	return d.take("link", name, func() error { return d.FS.Link(old, name) }, func(rel string) error {
		n, err := d.existing(old)
		if err != nil {
			return err
		}
		return d.in(rel, func(name string) change { return change{name: name, is: n} })
	})
}

func (d *Disk) existing(path string) (*inode, error) {
	rel, err := filepath.Rel(d.dir, path)
	if err != nil {
		return nil, err
	}
	return d.at(rel)
}

// Rename renames a file. Between two directories this is two changes.
func (d *Disk) Rename(old, name string) error {
	return d.take("rename", name, func() error { return d.FS.Rename(old, name) }, func(rel string) error {
		n, err := d.existing(old)
		if err != nil {
			return err
		}
		if !n.isDir() && matches(d.lie.Files, filepath.Base(name)) {
			n.forgetSync()
		}
		if filepath.Dir(old) == filepath.Dir(name) {
			return d.in(rel, func(name string) change { return change{gone: filepath.Base(old), name: name, is: n} })
		}
		from, err := d.existing(filepath.Dir(old))
		if err != nil {
			return err
		}
		from.change(change{gone: filepath.Base(old)})
		return d.in(rel, func(name string) change { return change{name: name, is: n} })
	})
}

// ReuseForWrite renames a file and opens it unchanged.
func (d *Disk) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := d.Rename(old, name); err != nil {
		return nil, err
	}
	return d.OpenReadWrite(name, category)
}

// Remove removes a name.
func (d *Disk) Remove(name string) error {
	return d.remove(name, func() error { return d.FS.Remove(name) })
}

// RemoveAll removes a name and everything below it, if it exists.
func (d *Disk) RemoveAll(name string) error {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.remove(name, func() error { return d.FS.RemoveAll(name) })
}

func (d *Disk) remove(name string, do func() error) error {
	return d.take("remove", name, do, func(rel string) error {
		return d.in(rel, func(name string) change { return change{gone: name} })
	})
}

// Mkdir creates a directory that must not exist.
func (d *Disk) Mkdir(name string, rights fs.FileMode) error {
	return d.take("mkdir", name, func() error { return os.Mkdir(name, rights) }, func(rel string) error {
		return d.in(rel, func(name string) change { return change{name: name, is: newDir(rights)} })
	})
}

// MkdirAll creates a directory and its missing parents.
func (d *Disk) MkdirAll(name string, rights fs.FileMode) error {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(name); err != nil && parent != name {
		if err := d.MkdirAll(parent, rights); err != nil {
			return err
		}
	}
	return d.Mkdir(name, rights)
}

// Lock creates and locks a file.
func (d *Disk) Lock(name string) (lock io.Closer, err error) {
	err = d.take("create", name, func() error {
		lock, err = d.FS.Lock(name)
		return err
	}, func(rel string) error {
		return d.in(rel, func(name string) change { return change{name: name, is: newFile(0o644)} })
	})
	return lock, err
}

// Unwrap hides the real directory.
func (*Disk) Unwrap() vfs.FS { return nil }
