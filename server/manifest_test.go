package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/store"
)

// Every byte of a manifest is checked, except those of a last record that is cut short.
func TestManifestDamage(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		e := openTest(t, EngineConfig{Dir: dir})
		b := new(store.Batch)
		b.Set([]byte("k"), []byte("v"))
		e.Apply(b)
		e.Sync()
		if err := e.db.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := filepath.Glob(filepath.Join(dir, "MANIFEST-*"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	path := paths[len(paths)-1]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at := manifestDamage(whole); at != -1 {
		t.Fatalf("a sound manifest of %d bytes is damaged at %d", len(whole), at)
	}
	for n := range whole {
		if at := manifestDamage(whole[:n]); at != -1 {
			t.Errorf("cut to %d bytes: damaged at %d", n, at)
		}
	}
	unnoticed := 0
	for i := range whole {
		b := append([]byte(nil), whole...)
		b[i] ^= 0x55
		if manifestDamage(b) == -1 {
			unnoticed++ // the last record's length, if it extends beyond the end
		}
	}
	if unnoticed > 2 {
		t.Errorf("%d of %d changed bytes are not detected", unnoticed, len(whole))
	}
	whole[len(whole)-3] ^= 1
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenEngine(EngineConfig{Dir: dir}); err == nil || !strings.Contains(err.Error(), "MANIFEST-") || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("%v; want the manifest to be named as damaged", err)
	}
}

// FuzzManifest checks that reading any manifest terminates.
func FuzzManifest(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x01\x02\x03\x04\x01\x00\x01x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if at := manifestDamage(b); at < -1 || at >= max(len(b), 1) {
			t.Errorf("damaged at %d of %d", at, len(b))
		}
	})
}
