package server

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"isochron/store"
)

// A finished sync is durable: each token reported as durable covers all that was applied before its request.
func TestSyncsAreDurable(t *testing.T) {
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
			t.Errorf("sync %d has ended, but a crash loses its data", token)
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

// A sync covers the requests made before it began and not those made meanwhile, which need another sync.
func TestSyncCoversEarlierRequestsOnly(t *testing.T) {
	t.Parallel()
	e := openTest(t, EngineConfig{Dir: "data", fs: vfs.NewMem()})
	var s *syncer
	syncs := 0
	s = newSyncer(e, newClock(), func(err error) { t.Error(err) }, func(time.Duration) {
		if syncs++; syncs == 1 { // the first sync has ended and is not reported yet
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

// awaitSync waits until a token is reported as durable.
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
