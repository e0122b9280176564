package server

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"isochron/store"
)

// What a sync was asked for outlives a crash once the sync has ended: each token that is
// told as durable covers all that was applied before it was asked for.
func TestTheSyncerSyncs(t *testing.T) {
	t.Parallel()
	disk := vfs.NewCrashableMem()
	e := openTest(t, EngineConfig{Dir: "data", fs: disk})
	s := newSyncer(e, newClock(), func(err error) { t.Error(err) }, nil)
	go s.run()
	for token := uint64(1); token <= 5; token++ {
		key := []byte{byte(token)}
		b := new(store.Batch)
		b.Set(key, key)
		e.Apply(b)
		s.request(token)
		awaitSync(t, s, token)
		after := openTest(t, EngineConfig{Dir: "data", fs: disk.CrashClone(vfs.CrashCloneCfg{})})
		if _, ok := after.Get(key); !ok {
			t.Errorf("sync %d has ended, and a crash loses what it was asked for", token)
		}
		if err := after.Close(); err != nil {
			t.Error(err)
		}
	}
	s.close()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A sync covers what was asked for before it began, and not what was asked for meanwhile:
// that takes another.
func TestTheSyncerCoversWhatWasAskedBefore(t *testing.T) {
	t.Parallel()
	e := openTest(t, EngineConfig{Dir: "data", fs: vfs.NewMem()})
	var s *syncer
	syncs := 0
	s = newSyncer(e, newClock(), func(err error) { t.Error(err) }, func(time.Duration) {
		if syncs++; syncs == 1 { // the first sync has ended, and is not told of yet
			s.request(2)
		} else if got := s.synced.Load(); got != 1 {
			t.Errorf("the first sync covers up to %d", got)
		}
	})
	go s.run()
	s.request(1)
	awaitSync(t, s, 2)
	s.close()
	if syncs != 2 {
		t.Errorf("there were %d syncs", syncs)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// awaitSync waits until a token is told as durable.
func awaitSync(t *testing.T, s *syncer, token uint64) {
	t.Helper()
	for s.synced.Load() < token {
		select {
		case <-s.ended:
		case <-time.After(time.Minute):
			t.Fatalf("sync %d does not end", token)
		}
	}
}
