package marks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"isochron/server/disk"
	"isochron/server/disk/disktest"
)

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, d vfs.FS, dir string) *Marks {
	t.Helper()
	m, err := Open(d, dir)
	must(t, err)
	return m
}

// log makes a log that is on the disk with its name.
func log(t *testing.T, m *Marks, name, content string) vfs.File {
	t.Helper()
	f, err := m.FS().Create(filepath.Join(m.dir, name), "test")
	must(t, err)
	must(t, disk.SyncDir(m.FS(), m.dir))
	add(t, f, content)
	return f
}

func add(t *testing.T, f vfs.File, content string) {
	t.Helper()
	_, err := f.Write([]byte(content))
	must(t, err, f.SyncData())
}

// Damage to synced data is found, whether the marks were closed or their process ended.
func TestDamageIsFound(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"a flipped bit": func(path string) error { return os.WriteFile(path, []byte("first sedond torn"), 0o600) },
		"cut short":     func(path string) error { return os.Truncate(path, 11) },
		"missing":       os.Remove,
	} {
		for _, closed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, closed %v", name, closed), func(t *testing.T) {
				dir := t.TempDir()
				m := open(t, vfs.Default, dir)
				f := log(t, m, "000004.log", "first ")
				add(t, f, "second")
				_, err := f.Write([]byte(" torn"))
				must(t, err)
				if closed {
					must(t, m.Close())
				}
				path := filepath.Join(dir, "000004.log")
				must(t, open(t, vfs.Default, dir).Close())
				must(t, os.WriteFile(path, []byte("first second ...."), 0o600))
				must(t, open(t, vfs.Default, dir).Close()) // unsynced data may be anything
				must(t, damage(path))
				if _, err := Open(vfs.Default, dir); !errors.Is(err, ErrDamaged) {
					t.Errorf("it is opened: %v", err)
				}
			})
		}
	}
}

// A removed or renamed log is not missed, nor is one that Flushed reported as no longer needed.
func TestUnneededLogsMayBeAbsent(t *testing.T) {
	dir := t.TempDir()
	m := open(t, vfs.Default, dir)
	log(t, m, "000004.log", "gone")
	log(t, m, "000005.log", "used again")
	must(t, m.FS().Remove(filepath.Join(dir, "000004.log")))
	f, err := m.FS().ReuseForWrite(filepath.Join(dir, "000005.log"), filepath.Join(dir, "000006.log"), "test")
	must(t, err)
	must(t, disk.SyncDir(m.FS(), dir))
	add(t, f, "new")
	must(t, open(t, vfs.Default, dir).Close())
	m.Flushed()
	must(t, m.Close())
	must(t, os.WriteFile(filepath.Join(dir, "000006.log"), nil, 0o600))
	must(t, open(t, vfs.Default, dir).Close())
}

// Whenever the power is cut, and whatever it leaves of unsynced data: nothing is reported as
// damage, and data synced a mark ago is checked.
func TestAPowerCutIsNoDamage(t *testing.T) {
	for _, keep := range append(disktest.Keeps(), disktest.All) {
		r := rand.New(rand.NewPCG(7, uint64(keep)))
		for round := range 12 {
			cutAt := 1 + r.IntN(60)
			d := disktest.New(t.TempDir(), disktest.Lie{})
			d.Watch(func(s disktest.Step) {
				if s.N != cutAt {
					return
				}
				dir := t.TempDir()
				left, err := s.Rebuild(dir, keep, r)
				must(t, err)
				m, err := Open(left, filepath.Join(dir, "data"))
				if err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%v, round %d: cut before step %d, %s of %s: %v", keep, round, s.N, s.Do, s.Path, err)
				} else if err == nil {
					must(t, m.Close())
				}
			})
			dir := filepath.Join(d.Dir(), "data")
			must(t, disk.MkdirAll(d, dir, 0o700))
			work(t, open(t, d, dir), r)
		}
	}
}

// work writes logs and manifests, uses some again and takes others away.
func work(t *testing.T, m *Marks, r *rand.Rand) {
	t.Helper()
	var f vfs.File
	for n := range 8 {
		name := filepath.Join(m.dir, fmt.Sprintf("%06d.log", n))
		old := filepath.Join(m.dir, fmt.Sprintf("%06d.log", n-2))
		switch {
		case n >= 2 && r.IntN(2) == 0:
			var err error
			f, err = m.FS().ReuseForWrite(old, name, "test")
			must(t, err, disk.SyncDir(m.FS(), m.dir))
		case n >= 2:
			must(t, m.FS().Remove(old))
			fallthrough
		default:
			f = log(t, m, filepath.Base(name), "begins")
		}
		for range r.IntN(4) {
			add(t, f, "continues")
			if r.IntN(3) == 0 {
				m.syncLater()
			}
		}
	}
	must(t, m.Close())
}

// A mark that is torn is not read: the one before it is.
func TestATornSlotIsSkipped(t *testing.T) {
	var b []byte
	for n, m := range []mark{{Version: 1, Made: true}, {Version: 1, Files: []synced{{Name: "000001.log", Bytes: 5}}}} {
		s, err := slot(uint64(n+1), m)
		must(t, err)
		b = append(b, append(s, make([]byte, slotBytes-len(s))...)...)
	}
	if at, number, m := newest(b); at != 1 || number != 2 || len(m.Files) != 1 {
		t.Errorf("the newest is %v with number %d in slot %d", m, number, at)
	}
	b[slotBytes+20] ^= 1
	if at, number, m := newest(b); at != 0 || number != 1 || !m.Made {
		t.Errorf("the one before is %v with number %d in slot %d", m, number, at)
	}
	if at, _, _ := newest(b[:10]); at != -1 {
		t.Errorf("slot %d of ten bytes", at)
	}
}

// FuzzSlots: whatever the file of the marks holds, reading it ends.
func FuzzSlots(f *testing.F) {
	good, _ := slot(3, mark{Version: 1, Files: []synced{{Name: "000001.log", Bytes: 5, Sum: 9}}})
	f.Add(good)
	f.Fuzz(func(t *testing.T, b []byte) {
		if at, _, _ := newest(b); at < -1 || at >= slots {
			t.Errorf("slot %d", at)
		}
	})
}
