package server

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"isochron/server/disk"
	"isochron/server/disk/marks"
	"isochron/server/memory"
	"isochron/store"
)

// Engine is a store.Engine on a real disk. Reads are safe for concurrent use; Apply and Sync may run in
// parallel, each in one goroutine.
type Engine struct {
	dir    string
	db     *pebble.DB
	lock   *pebble.Lock
	marks  *marks.Marks
	broken atomic.Bool // it failed: Close must not wait for calls that never return

	mu        sync.Mutex
	snapshots map[*snapshot]struct{} // open ones: Close closes them
}

// EngineConfig has an engine's directory and resources.
type EngineConfig struct {
	Dir   string
	Cache *pebble.Cache // shared by the engines of a process; nil: a small one of its own
	// MemTable is the size in bytes of one memory table. At memory.MemTablesMost tables writes are held
	// back. 0: 32 MiB.
	MemTable int64
	// Failed is called on a failure in the background, where no caller can recover a panic; the engine
	// is then unusable. nil: the process ends.
	Failed func(*store.Failure)
	Log    *slog.Logger

	fs   vfs.FS // nil: the real one
	lock *pebble.Lock
}

// NewCache returns a block cache that engines can share.
func NewCache(bytes int64) *pebble.Cache { return pebble.NewCache(bytes) }

// OpenEngine opens the directory, creating it if needed.
func OpenEngine(cfg EngineConfig) (*Engine, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.fs == nil {
		cfg.fs = vfs.Default
	}
	if err := disk.MkdirAll(cfg.fs, cfg.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be created: %w", cfg.Dir, err)
	}
	if err := roomToOpen(cfg); err != nil {
		return nil, openError(cfg.Dir, err)
	}
	e := &Engine{dir: cfg.Dir, snapshots: map[*snapshot]struct{}{}}
	if err := e.open(cfg); err != nil {
		return nil, openError(cfg.Dir, err)
	}
	return e, nil
}

// open locks the directory, compares the synced marks with its files, and opens the store.
func (e *Engine) open(cfg EngineConfig) (err error) {
	if cfg.lock, err = pebble.LockDirectory(cfg.Dir, cfg.fs); err != nil {
		return err
	}
	e.lock = cfg.lock
	defer func() {
		if err != nil {
			err = errors.Join(err, e.lock.Close())
		}
	}()
	if e.marks, err = marks.Open(cfg.fs, cfg.Dir); err != nil {
		return err
	}
	cfg.fs = e.marks.FS()
	if e.db, err = openPebble(cfg, e.marks.Made(), &e.broken); err == nil {
		return e.marks.Opened()
	}
	return errors.Join(err, e.marks.Close())
}

func pebbleOptions(cfg EngineConfig, broken *atomic.Bool) *pebble.Options {
	log := pebbleLog{log: cfg.Log.With("dir", cfg.Dir), dir: cfg.Dir, failed: cfg.Failed, broken: broken}
	o := &pebble.Options{
		FS:                          cfg.fs,
		Lock:                        cfg.lock,
		Cache:                       cfg.Cache,
		FormatMajorVersion:          pebble.FormatNewest,
		Logger:                      log,
		MemTableSize:                uint64(cmp.Or(cfg.MemTable, 32<<20)),
		MemTableStopWritesThreshold: memory.MemTablesMost,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       24,
		// A flush or compaction syncs its output incrementally, so that the sync at its end does not delay
		// the syncs of commits.
		BytesPerSync: 512 << 10,
	}
	o.EventListener = &pebble.EventListener{
		BackgroundError: func(err error) { log.fail("flushing or compacting tables", err) },
		// The reader receives an error as well.
		DataCorruption: func(info pebble.DataCorruptionInfo) { log.fail("reading "+info.Path, info.Details) },
	}
	return o
}

// Apply makes the batch visible immediately; it is durable after the next Sync.
func (e *Engine) Apply(b *store.Batch) {
	if b.Empty() {
		return
	}
	defer e.nameFailure("applying a batch")
	pb := e.db.NewBatchWithSize(batchSize(b))
	for i, op := range b.Ops {
		if err := e.addOp(pb, op, b.Ops[:i]); err != nil {
			panic(e.failure("building a batch", err))
		}
	}
	if err := pb.Commit(pebble.NoSync); err != nil {
		panic(e.failure("applying a batch", err))
	}
	if err := pb.Close(); err != nil {
		panic(e.failure("closing a batch", err))
	}
}

func batchSize(b *store.Batch) int {
	n := 64
	for _, op := range b.Ops {
		n += len(op.Key) + len(op.Value) + 16
	}
	return n
}

// addOp adds an operation to a batch that has the earlier ones.
func (e *Engine) addOp(pb *pebble.Batch, op store.Op, earlier []store.Op) error {
	switch op.Kind {
	case store.OpSet:
		return pb.Set(op.Key, op.Value, nil)
	case store.OpDelete:
		return pb.Delete(op.Key, nil)
	case store.OpDeleteRange:
		return e.deleteRange(pb, op.Key, op.Value, earlier)
	}
	return fmt.Errorf("unknown operation %d", op.Kind)
}

// pointDeletesMax is the number of keys up to which a range is deleted key by key.
const pointDeletesMax = 1000

// deleteRange deletes a short range key by key. A range tombstone in a memory table makes the next iterator
// sort all of the table's tombstones again, and a log that is truncated often would leave thousands.
func (e *Engine) deleteRange(pb *pebble.Batch, start, end []byte, earlier []store.Op) error {
	var keys [][]byte
	for _, op := range earlier {
		if op.Kind == store.OpSet && bytes.Compare(op.Key, start) >= 0 && bytes.Compare(op.Key, end) < 0 {
			keys = append(keys, op.Key)
		}
	}
	it := e.Iter(start, end)
	defer it.Close()
	for on := it.First(); on; on = it.Next() {
		if len(keys) >= pointDeletesMax {
			return pb.DeleteRange(start, end, nil)
		}
		keys = append(keys, bytes.Clone(it.Key()))
	}
	for _, k := range keys {
		if err := pb.Delete(k, nil); err != nil {
			return err
		}
	}
	return nil
}

// Sync returns when all batches applied before its call are on disk. It writes an empty record to the log
// and waits until that is durable. The log is one file in order, and a full file is synced before the next
// is begun, so everything before the record is durable too.
func (e *Engine) Sync() {
	defer e.nameFailure("syncing the log")
	if err := e.db.LogData(nil, pebble.Sync); err != nil {
		panic(e.failure("syncing the log", err))
	}
}

// Get returns a copy of the value, or ok == false.
func (e *Engine) Get(key []byte) ([]byte, bool) { return get(e.db, e.dir, key) }

// Iter walks [start, end) of the state as it is now.
func (e *Engine) Iter(start, end []byte) store.Iterator { return iter(e.db, e.dir, start, end) }

// Snapshot returns the present state, held until it is closed.
func (e *Engine) Snapshot() store.Snapshot {
	s := &snapshot{engine: e, snap: e.db.NewSnapshot()}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.snapshots[s] = struct{}{}
	return s
}

// Close flushes memory to tables, so that nothing depends on the log, and closes the engine and its open
// snapshots. A failed engine is left as it is until the process ends: a writer that met a broken disk holds
// locks that a close would wait for.
func (e *Engine) Close() error {
	if e.broken.Load() {
		return nil
	}
	e.mu.Lock()
	open := make([]*snapshot, 0, len(e.snapshots))
	for s := range e.snapshots {
		open = append(open, s)
	}
	e.mu.Unlock()
	for _, s := range open {
		s.Close()
	}
	err := errors.Join(e.db.Flush(), e.db.Close())
	if err == nil {
		e.marks.Flushed()
	}
	if err = errors.Join(err, e.marks.Close(), e.lock.Close()); err != nil {
		return fmt.Errorf("the data directory %s was not closed cleanly: %w", e.dir, err)
	}
	return nil
}

// Broken reports whether the storage has failed: it must not be used, and a call under way may never
// return.
func (e *Engine) Broken() bool { return e.broken.Load() }

func (e *Engine) failure(doing string, err error) *store.Failure {
	e.broken.Store(true)
	return newFailure(doing, e.dir, err)
}
