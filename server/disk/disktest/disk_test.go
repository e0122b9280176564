package disktest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"isochron/server/disk"
)

// left returns what a cut leaves of a file: its text, or "-" if it is missing.
func (d *Disk) left(t *testing.T, name string, keep Keep, r *rand.Rand) string {
	t.Helper()
	d.Off()
	dir := t.TempDir()
	if _, err := d.Rebuild(dir, keep, r); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, name))
	if os.IsNotExist(err) {
		return "-"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (d *Disk) newFile(t *testing.T, name string) disk.File {
	t.Helper()
	f, err := d.New(filepath.Join(d.dir, name), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func put(t *testing.T, f disk.File, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if _, err := f.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStatesAfterAPowerCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sync := func(d *Disk) { must(t, disk.SyncDir(d, d.dir)) }
	for _, c := range []struct {
		name string
		do   func(*Disk)
		lie  Lie
		want map[Keep][]string // what may be left
	}{
		{"a file that was synced in a directory that was", func(d *Disk) {
			f := d.newFile(t, "f")
			put(t, f, "a", "b")
			must(t, f.Sync())
			sync(d)
		}, Lie{}, map[Keep][]string{Nothing: {"ab"}, Some: {"ab"}, Any: {"ab"}, All: {"ab"}}},
		{"in one that was not", func(d *Disk) {
			f := d.newFile(t, "f")
			put(t, f, "ab")
			must(t, f.Sync())
		}, Lie{}, map[Keep][]string{Nothing: {"-"}, Some: {"-", "ab"}, Any: {"-", "ab"}, All: {"ab"}}},
		{"a file that was not", func(d *Disk) {
			f := d.newFile(t, "f")
			sync(d)
			put(t, f, "a")
			must(t, f.Sync())
			put(t, f, "b", "c")
		}, Lie{}, map[Keep][]string{Nothing: {"a"}, Some: {"a", "ab", "abc"}, Any: {"a", "ab", "a\x00c", "abc"}, All: {"abc"}}},
		{"a late sync", func(d *Disk) {
			f := d.newFile(t, "f")
			sync(d)
			put(t, f, "a")
			must(t, f.Sync())
			put(t, f, "b")
			must(t, f.Sync())
			put(t, f, "c")
			must(t, f.Sync())
		}, Lie{Late: []string{"f"}}, map[Keep][]string{Nothing: {"ab"}}},
		{"a rename over another", func(d *Disk) {
			must(t, disk.WriteFile(d, filepath.Join(d.dir, "f"), []byte("old"), 0o600))
			f := d.newFile(t, "g")
			put(t, f, "young")
			must(t, f.Sync(), d.Rename(filepath.Join(d.dir, "g"), filepath.Join(d.dir, "f")))
		}, Lie{}, map[Keep][]string{Nothing: {"old"}, Some: {"old", "young"}, Any: {"old", "young"}, All: {"young"}}},
		{"a name that was taken away", func(d *Disk) {
			must(t, disk.WriteFile(d, filepath.Join(d.dir, "f"), []byte("old"), 0o600), d.Remove(filepath.Join(d.dir, "f")))
		}, Lie{}, map[Keep][]string{Nothing: {"old"}, Some: {"old", "-"}, Any: {"old", "-"}, All: {"-"}}},
	} {
		// order: each is judged by itself.
		for keep, want := range c.want {
			d := New(t.TempDir(), c.lie)
			c.do(d)
			seen := map[string]bool{}
			for range 60 {
				seen[d.left(t, "f", keep, r)] = true
			}
			for _, w := range want {
				if !seen[w] {
					t.Errorf("%s: a cut that leaves %v never left %q of %v", c.name, keep, w, seen)
				}
				delete(seen, w)
			}
			if len(seen) > 0 {
				t.Errorf("%s: a cut that leaves %v has left %v", c.name, keep, seen)
			}
		}
	}
}

// Off blocks writers until the disk is released, and their writes are then lost.
func TestPowerOffStopsWriters(t *testing.T) {
	d := New(t.TempDir(), Lie{})
	f := d.newFile(t, "f")
	must(t, disk.SyncDir(d, d.dir))
	d.Off()
	wrote := make(chan error)
	go func() {
		_, err := f.Write([]byte("late"))
		wrote <- err
	}()
	select {
	case <-wrote:
		t.Fatal("it wrote without power")
	default:
	}
	d.Release()
	must(t, <-wrote)
	if got := d.left(t, "f", All, nil); got != "" {
		t.Errorf("%q is left", got)
	}
}
