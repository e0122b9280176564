package server

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"isochron/server/disk/marks"
	"isochron/store"
)

// newFailure says what failed in a data directory, and what to do if that is known.
func newFailure(doing, dir string, err error) *store.Failure {
	return &store.Failure{Doing: doing + " in " + dir, Err: advise(dir, err)}
}

// damaged are words by which the storage library tells of data that was changed.
var damaged = []string{"corrupt", "checksum mismatch", "invalid chunk", "malformed"}

// advise adds what a person can do about an error of the disk, and makes it one line.
func advise(dir string, err error) error {
	err = oneLineError{err}
	has := func(word string) bool { return strings.Contains(err.Error(), word) }
	switch {
	case errors.Is(err, marks.ErrDamaged), pebble.IsCorruptionError(err), slices.ContainsFunc(damaged, has):
		return fmt.Errorf("the data in %s is damaged: %w; nothing is served from it: have the node rebuilt from the others (isochron rebuild), or, where it is alone, restore a backup", dir, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), has(syscall.ENOSPC.Error()):
		return fmt.Errorf("the disk that holds %s is full: make room there and start the node again; it has acknowledged nothing that it did not write (%w)", dir, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), has(syscall.EROFS.Error()):
		return fmt.Errorf("%s must be writable: give the node its own directory and the rights to write there (%w)", dir, err)
	}
	return err
}

// nameFailure turns a panic of the storage library over an error of the disk into
// a Failure. Any other panic goes on.
func (e *Engine) nameFailure(doing string) {
	switch p := recover().(type) {
	case nil:
	case *store.Failure, runtime.Error:
		panic(p)
	case error:
		panic(e.failure(doing, p))
	default:
		panic(p)
	}
}

// openPebble opens a store. A new one is opened twice: only the second log says
// how far it was synced, so that damage in its midst is told from a torn end.
// made: it was open before.
func openPebble(cfg EngineConfig, made bool, broken *atomic.Bool) (*pebble.DB, error) {
	about, err := pebble.Peek(cfg.Dir, cfg.fs)
	if err != nil {
		return nil, err
	}
	if !about.Exists {
		if err := checkEmpty(cfg.fs, cfg.Dir, made); err != nil {
			return nil, err
		}
		db, err := tryPebble(cfg, broken)
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	if about.Exists {
		if err := checkManifestFile(cfg.fs, about.ManifestFilename); err != nil {
			return nil, err
		}
	}
	return tryPebble(cfg, broken)
}

// checkEmpty fails if a directory in which the library finds no store has had one: it
// would make a new one there.
func checkEmpty(fs vfs.FS, dir string, made bool) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	held := slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".log") || strings.HasPrefix(name, "OPTIONS-")
	})
	if made || held {
		return fmt.Errorf("%w: no file marker.manifest.* says which manifest holds", marks.ErrDamaged)
	}
	return nil
}

// The bounds of the opening of a store.
const (
	// openMinBytes must be free: the library tries for ever to write what it has replayed.
	openMinBytes = 8 << 20
	// openWait is the longest time that it takes: what was not flushed is at most some
	// hundred megabytes.
	openWait = 3 * time.Minute
	// openReportEvery is after how long an operator is told that it goes on.
	openReportEvery = 10 * time.Second
)

// roomToOpen fails if the disk has too little left to open a store.
func roomToOpen(cfg EngineConfig) error {
	usage, err := cfg.fs.GetDiskUsage(cfg.Dir)
	if err != nil || usage.AvailBytes >= openMinBytes { // an unknown is none of ours
		return nil
	}
	return fmt.Errorf("%d bytes are left and opening it takes %d: %w", usage.AvailBytes, int64(openMinBytes), syscall.ENOSPC)
}

// opened is how the opening of a store has ended.
type opened struct {
	db    *pebble.DB
	err   error
	panic any
}

// tryPebble opens a store; what the library panics over, or ends its goroutine
// for, it returns. One that fails in the background while it is opened, or takes too
// long, is left to itself: nothing can stop the library.
func tryPebble(cfg EngineConfig, broken *atomic.Bool) (*pebble.DB, error) {
	failed := make(chan *store.Failure, 1)
	opening := cfg
	opening.Failed = func(f *store.Failure) {
		select {
		case failed <- f:
		default:
		}
		if cfg.Failed != nil {
			cfg.Failed(f)
		}
	}
	done := make(chan opened, 1)
	go func() {
		var o opened
		defer func() {
			o.panic = recover()
			done <- o
		}()
		o.db, o.err = pebble.Open(cfg.Dir, pebbleOptions(opening, broken))
	}()
	report := time.NewTicker(openReportEvery)
	defer report.Stop()
	for began := time.Now(); ; {
		select {
		case o := <-done:
			return o.result(failed)
		case f := <-failed:
			return nil, fmt.Errorf("it failed while it was opened: %w", f)
		case <-report.C:
			if time.Since(began) > openWait {
				return nil, fmt.Errorf("it was not open after %v; look at the disk that holds it", openWait)
			}
			cfg.Log.Warn("the data directory is being opened", "dir", cfg.Dir, "for", time.Since(began).Round(time.Second))
		}
	}
}

func (o opened) result(failed chan *store.Failure) (*pebble.DB, error) {
	switch p := o.panic.(type) {
	case nil:
	case runtime.Error:
		panic(p)
	case error:
		return nil, p
	default:
		panic(p)
	}
	if o.db == nil && o.err == nil { // the library has ended its goroutine
		select {
		case f := <-failed:
			return nil, fmt.Errorf("it failed while it was opened: %w", f)
		default:
			return nil, errors.New("it failed while it was opened")
		}
	}
	return o.db, o.err
}

// openError says what a person can do about a directory that does not open.
func openError(dir string, err error) error {
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EWOULDBLOCK) || strings.Contains(err.Error(), "lock held") {
		return fmt.Errorf("the data directory %s is in use by another process: stop that one first, or give another directory", dir)
	}
	return fmt.Errorf("the data directory %s cannot be opened: %w", dir, advise(dir, err))
}

// oneLineError is an error told in one line.
type oneLineError struct{ error }

func (e oneLineError) Error() string {
	text := strings.ReplaceAll(e.error.Error(), "<corruption detail carrier>", "") // a mark of the library, for itself
	return strings.Join(strings.Fields(text), " ")
}
func (e oneLineError) Unwrap() error { return e.error }

// pebbleLog passes on what an operator should read.
type pebbleLog struct {
	log    *slog.Logger
	dir    string
	failed func(*store.Failure)
	broken *atomic.Bool
}

func (l pebbleLog) Infof(format string, args ...any)  { l.log.Debug(fmt.Sprintf(format, args...)) }
func (l pebbleLog) Errorf(format string, args ...any) { l.log.Warn(fmt.Sprintf(format, args...)) }

// Fatalf must not return. It is called in whatever goroutine met the failure, and
// ends that one: a panic would end the process before it could say why in one line.
func (l pebbleLog) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, a := range args {
		if e, ok := a.(error); ok {
			err = e // without the stack that a format may ask for
		}
	}
	l.fail("writing", err)
	runtime.Goexit()
}

func (l pebbleLog) fail(doing string, err error) {
	l.broken.Store(true)
	f := newFailure(doing, l.dir, err)
	if l.failed != nil {
		l.failed(f)
		return
	}
	l.log.Error(f.Error())
	os.Exit(1)
}
