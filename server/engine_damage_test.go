package server

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/store"
)

var flips = flag.Int("server.flips", 3, "how many bits of each kind of file the test of flipped bits turns")

// damagedRows are synced one by one, like successive commits.
const damagedRows = 260

// stopped writes the files of a store that was killed, or closed: the second half of its rows is in the log.
func stopped(t *testing.T) (killed, closed string) {
	t.Helper()
	dir := t.TempDir()
	e := openTest(t, EngineConfig{Dir: dir})
	r := rand.New(rand.NewPCG(1, 2))
	for i := range damagedRows {
		b := new(store.Batch)
		v := make([]byte, 200+r.IntN(8_000))
		for j := range v {
			v[j] = byte(r.Uint32())
		}
		b.Set(fmt.Appendf(nil, "row %04d", i), v)
		e.Apply(b)
		e.Sync()
		if i == damagedRows/2 {
			if err := e.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	killed = copyDir(t, dir)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return killed, dir
}

func copyDir(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// found opens a store and reads all rows; the error is the reason for which it was refused.
func found(dir string) (rows int, err error) {
	defer func() {
		if f, ok := recover().(*store.Failure); ok {
			err = f
		}
	}()
	failed := make(chan *store.Failure, 8)
	e, err := OpenEngine(EngineConfig{Dir: dir, Log: slog.New(slog.DiscardHandler), Failed: func(f *store.Failure) {
		select {
		case failed <- f:
		default:
		}
	}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	it := e.Iter(nil, nil)
	defer it.Close()
	for on := it.First(); on; on = it.Next() {
		rows++
	}
	select {
	case f := <-failed:
		return rows, f
	default:
		return rows, nil
	}
}

// kinds groups a store's files by kind.
func kinds(t *testing.T, dir string) map[string][]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, e := range entries {
		kind := filepath.Ext(e.Name())
		if at := strings.IndexByte(e.Name(), '-'); at > 0 && !strings.HasPrefix(e.Name(), "marker") {
			kind = e.Name()[:at]
		}
		if kind == "" || strings.HasPrefix(e.Name(), "marker") {
			kind = strings.Join(strings.Split(e.Name(), ".")[:min(2, strings.Count(e.Name(), ".")+1)], ".")
		}
		out[kind] = append(out[kind], e.Name())
	}
	return out
}

// With any bit of a store's files flipped, and any file missing or cut short, the store is refused or has all
// synced rows.
func TestFlippedBits(t *testing.T) {
	killed, closed := stopped(t)
	for state, dir := range map[string]string{"killed": killed, "closed": closed} {
		if rows, err := found(copyDir(t, dir)); rows != damagedRows || err != nil {
			t.Fatalf("%s, undamaged: %d rows, %v", state, rows, err)
		}
		for kind, names := range kinds(t, dir) {
			t.Run(state+" "+kind, func(t *testing.T) {
				r := rand.New(rand.NewPCG(3, 4))
				refused := 0
				judge := func(what string, damaged string) {
					rows, err := found(damaged)
					if err != nil {
						refused++
					} else if rows != damagedRows {
						t.Errorf("%s: opened with %d of %d rows", what, rows, damagedRows)
					}
					if err := os.RemoveAll(damaged); err != nil {
						t.Fatal(err)
					}
				}
				tried := 0
				for range *flips {
					name := names[r.IntN(len(names))]
					damaged := copyDir(t, dir)
					at, ok := flipBit(t, filepath.Join(damaged, name), r)
					if !ok {
						break // an empty file
					}
					tried++
					judge(fmt.Sprintf("%s, bit %d flipped", name, at), damaged)
				}
				for _, name := range names {
					damaged := copyDir(t, dir)
					if err := os.Remove(filepath.Join(damaged, name)); err != nil {
						t.Fatal(err)
					}
					judge(name+" missing", damaged)
					damaged = copyDir(t, dir)
					info, err := os.Stat(filepath.Join(damaged, name))
					if err == nil {
						err = os.Truncate(filepath.Join(damaged, name), info.Size()/2)
					}
					if err != nil {
						t.Fatal(err)
					}
					judge(name+" cut short", damaged)
				}
				t.Logf("%d flips, %d files missing or cut short: refused %d", tried, 2*len(names), refused)
			})
		}
	}
}

// flipBit flips a bit of a file's written part; false: it has none.
func flipBit(t *testing.T, path string, r *rand.Rand) (at int, ok bool) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written := len(b)
	for written > 0 && b[written-1] == 0 {
		written--
	}
	if written == 0 {
		return 0, false
	}
	at = r.IntN(8 * written)
	b[at/8] ^= 1 << (at % 8)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return at, true
}

// A mark older than a run of a program without marks is ignored.
func TestMarkOfAnotherVersion(t *testing.T) {
	killed, _ := stopped(t)
	without := copyDir(t, killed)
	if err := os.Remove(filepath.Join(without, "SYNCED")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // an earlier version: no mark
		if rows, err := found(without); rows != damagedRows || err != nil {
			t.Fatalf("without a mark: %d rows, %v", rows, err)
		}
	}
	b, err := os.ReadFile(filepath.Join(killed, "SYNCED"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(without, "SYNCED"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if rows, err := found(without); rows != damagedRows || err != nil {
		t.Errorf("with an outdated mark: %d rows, %v", rows, err)
	}
}
