package server

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"isochron/store"
	"isochron/store/storetest"
)

func openTest(t *testing.T, cfg EngineConfig) *Engine {
	t.Helper()
	e, err := OpenEngine(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEngineIsAnEngine(t *testing.T) {
	storetest.Run(t, func() store.Engine {
		e := openTest(t, EngineConfig{Dir: t.TempDir()})
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		return e
	})
}

func TestEngineRemembers(t *testing.T) {
	dir := t.TempDir()
	e := openTest(t, EngineConfig{Dir: dir})
	b := new(store.Batch)
	b.Set([]byte("a"), []byte("1"))
	e.Apply(b)
	_ = e.Snapshot() // left open on purpose: Close closes it
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openTest(t, EngineConfig{Dir: dir})
	if v, ok := e.Get([]byte("a")); !ok || string(v) != "1" {
		t.Errorf("after a clean restart a is %q, %v", v, ok)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestEngineInUse(t *testing.T) {
	dir := t.TempDir()
	e := openTest(t, EngineConfig{Dir: dir})
	defer e.Close()
	_, err := OpenEngine(EngineConfig{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second opening gives %v", err)
	}
}

// A crash that loses all unsynced data keeps every batch before the last sync, and a prefix of those after it.
func TestEngineSyncSurvivesCrash(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		disk := vfs.NewCrashableMem()
		e := openTest(t, EngineConfig{Dir: "data", fs: disk})
		states := []map[string]string{{}}
		synced := 0
		for range 40 {
			b := storetest.RandomBatch(r)
			e.Apply(b)
			states = append(states, applied(states[len(states)-1], b))
			if r.IntN(6) == 0 {
				e.Sync()
				synced = len(states) - 1
			}
		}
		clone := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(2) * 50, RNG: r})
		after := openTest(t, EngineConfig{Dir: "data", fs: clone})
		if !isOneOf(after, states[synced:]) {
			t.Errorf("seed %d: the state after the crash is none at or after sync %d", seed, synced)
		}
		if err := after.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// applied returns the state with the batch applied.
func applied(state map[string]string, b *store.Batch) map[string]string {
	out := maps.Clone(state)
	for _, op := range b.Ops {
		switch op.Kind {
		case store.OpSet:
			out[string(op.Key)] = string(op.Value)
		case store.OpDelete:
			delete(out, string(op.Key))
		case store.OpDeleteRange:
			maps.DeleteFunc(out, func(k, _ string) bool { return k >= string(op.Key) && k < string(op.Value) })
		}
	}
	return out
}

// isOneOf reports whether the engine holds exactly one of the states.
func isOneOf(e *Engine, states []map[string]string) bool {
	have := map[string]string{}
	it := e.Iter(nil, nil)
	defer it.Close()
	for on := it.First(); on; on = it.Next() {
		have[string(it.Key())] = string(it.Value())
	}
	return slices.ContainsFunc(states, func(s map[string]string) bool { return maps.Equal(s, have) })
}

// A log that is truncated repeatedly stays cheap to truncate and to read.
func BenchmarkEngineCutLog(b *testing.B) {
	e, err := OpenEngine(EngineConfig{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	key := func(i int) []byte { return fmt.Appendf(nil, "log%09d", i) }
	for i := 6; i < b.N+6; i++ {
		batch := new(store.Batch)
		batch.Set(key(i), []byte("entry"))
		if i%4 == 0 {
			batch.DeleteRange(key(i-6), key(i-2))
		}
		e.Apply(batch)
		if _, ok := e.Get(key(i)); !ok {
			b.Fatalf("entry %d is missing", i)
		}
	}
}

// A long range is deleted as a range, a short one key by key, with the same result, also for keys set earlier in
// the same batch.
func TestEngineDeletesRanges(t *testing.T) {
	e := openTest(t, EngineConfig{Dir: t.TempDir()})
	defer e.Close()
	for _, n := range []int{3, pointDeletesMax, 3 * pointDeletesMax} {
		b := new(store.Batch)
		for i := range n {
			b.Set(fmt.Appendf(nil, "k%06d", i), []byte("v"))
		}
		e.Apply(b)
		b = new(store.Batch)
		b.Set([]byte("k000001x"), []byte("set and deleted"))
		b.DeleteRange([]byte("k000001"), []byte("k999999"))
		b.Set([]byte("k000002"), []byte("set after"))
		e.Apply(b)
		want := map[string]string{"k000000": "v", "k000002": "set after"}
		if !isOneOf(e, []map[string]string{want}) {
			t.Errorf("with %d keys the rest is not %v", n, want)
		}
	}
}
