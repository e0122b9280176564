package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/server/disk"
	"isochron/server/disk/disktest"
)

// cutEverywhere runs do on a disk that setup has made, and has look judge what a power cut
// leaves before each step, and after the last (done).
func cutEverywhere(t *testing.T, lie disktest.Lie, setup, do func(*disktest.Disk) error, look func(dir string, done bool) error) (found []error) {
	t.Helper()
	d := disktest.New(t.TempDir(), lie)
	if err := setup(d); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	judge := func(what string, done bool, rebuild func(string, disktest.Keep, *rand.Rand) (*disktest.Disk, error)) {
		for _, keep := range append(disktest.Keeps(), disktest.Any, disktest.Any, disktest.All) {
			dir := t.TempDir()
			if _, err := rebuild(dir, keep, r); err != nil {
				t.Fatal(err)
			}
			if err := look(dir, done); err != nil {
				found = append(found, fmt.Errorf("cut %s, %v of the unsynced data is left: %w", what, keep, err))
			}
		}
	}
	steps := 0
	d.Watch(func(s disktest.Step) {
		steps++
		judge(fmt.Sprintf("before step %d, %s %s", s.N, s.Do, s.Path), false, s.Rebuild)
	})
	if err := do(d); err != nil {
		t.Fatal(err)
	}
	d.Watch(nil)
	d.Off()
	judge("after it", true, d.Rebuild)
	if steps == 0 {
		t.Error("nothing was written")
	}
	return found
}

// A file is the old one or the new, and the new one once WriteFile has returned.
func TestWriteFileIsWholeOrNotThere(t *testing.T) {
	old, young := strings.Repeat("old", 10), strings.Repeat("young", 1000)
	play := func(lie disktest.Lie) []error {
		write := func(text string) func(*disktest.Disk) error {
			return func(d *disktest.Disk) error {
				return disk.WriteFile(d, filepath.Join(d.Dir(), "f"), []byte(text), 0o600)
			}
		}
		return cutEverywhere(t, lie, write(old), write(young), func(dir string, done bool) error {
			b, err := os.ReadFile(filepath.Join(dir, "f"))
			if text := string(b); err == nil && text != young && (text != old || done) {
				err = fmt.Errorf("it is %d bytes, %.10q", len(text), text)
			}
			return err
		})
	}
	for _, err := range play(disktest.Lie{}) {
		t.Error(err)
	}
	for _, lie := range []disktest.Lie{
		{Claims: "the file is not synced", Files: []string{"f"}},
		{Claims: "its directory is not synced", Dirs: []string{"."}},
	} {
		if len(play(lie)) == 0 {
			t.Errorf("not detected: %s", lie.Claims)
		}
	}
}

// A directory that was made is there, with all its parents.
func TestMkdirAllIsDurable(t *testing.T) {
	play := func(lie disktest.Lie) []error {
		nothing := func(*disktest.Disk) error { return nil }
		mkdir := func(d *disktest.Disk) error {
			return disk.MkdirAll(d, filepath.Join(d.Dir(), "a", "b", "c"), 0o700)
		}
		return cutEverywhere(t, lie, nothing, mkdir, func(dir string, done bool) error {
			info, err := os.Stat(filepath.Join(dir, "a", "b", "c"))
			switch {
			case errors.Is(err, fs.ErrNotExist) && !done:
				return nil
			case err == nil && info.Mode().Perm() != 0o700:
				return fmt.Errorf("its rights are %v", info.Mode())
			}
			return err
		})
	}
	for _, err := range play(disktest.Lie{}) {
		t.Error(err)
	}
	for _, dir := range []string{".", "a", "a/b"} {
		if len(play(disktest.Lie{Dirs: []string{dir}})) == 0 {
			t.Errorf("not detected: %s is not synced", dir)
		}
	}
}

// Rights are the requested ones from the beginning: a key is never readable by others.
func TestRights(t *testing.T) {
	for _, d := range []disk.Disk{disk.Machine(), disktest.New(t.TempDir(), disktest.Lie{})} {
		dir := t.TempDir()
		if on, ok := d.(*disktest.Disk); ok {
			dir = on.Dir()
		}
		path := filepath.Join(dir, "key")
		if err := disk.WriteFile(d, path, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if err := disk.WriteNew(d, path, nil, 0o600); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a second one: %v", err)
		}
		if err := disk.WriteFile(d, filepath.Join(dir, "none", "f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("in no directory: %v", err)
		}
	}
}
