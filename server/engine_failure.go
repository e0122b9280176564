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

// newFailure returns a failure in a data directory, with advice if there is any.
func newFailure(doing, dir string, err error) *store.Failure {
	return &store.Failure{Doing: doing + " in " + dir, Err: advise(dir, err)}
}

// damaged are words in the storage library's errors about changed data.
var damaged = []string{"corrupt", "checksum mismatch", "invalid chunk", "malformed"}

// advise adds an operator's remedy to an error of the disk and makes it one line.
func advise(dir string, err error) error {
	err = oneLineError{err}
	has := func(word string) bool { return strings.Contains(err.Error(), word) }
	switch {
	case errors.Is(err, marks.ErrDamaged), pebble.IsCorruptionError(err), slices.ContainsFunc(damaged, has):
		return fmt.Errorf("the data in %s is damaged: %w; nothing is served from it; rebuild the node from the others (isochron rebuild), or restore a backup if it is the only node", dir, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), has(syscall.ENOSPC.Error()):
		return fmt.Errorf("the disk that holds %s is full: free space and start the node again; no acknowledged write was lost (%w)", dir, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), has(syscall.EROFS.Error()):
		return fmt.Errorf("%s must be writable: give the node its own directory and the rights to write there (%w)", dir, err)
	}
	return err
}

// nameFailure turns the storage library's panic over a disk error into a Failure. Other panics propagate.
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

// openPebble opens a store. A new store is opened twice: only the second log records how far it was synced,
// which distinguishes damage in its middle from a torn end. made: the store was open before.
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

// checkEmpty fails if a directory without a store has had one: the library would create a new one.
func checkEmpty(fs vfs.FS, dir string, made bool) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	held := slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".log") || strings.HasPrefix(name, "OPTIONS-")
	})
	if made || held {
		return fmt.Errorf("%w: no file marker.manifest.* names the current manifest", marks.ErrDamaged)
	}
	return nil
}

// The bounds of the opening of a store.
const (
	// openMinBytes must be free: without space the library retries writing its replayed log forever.
	openMinBytes = 8 << 20
	// openWait bounds the opening: at most some hundred megabytes were not flushed.
	openWait = 3 * time.Minute
	// openReportEvery is the interval of log lines while a store is being opened.
	openReportEvery = 10 * time.Second
)

// roomToOpen fails if the disk has too little space to open a store.
func roomToOpen(cfg EngineConfig) error {
	usage, err := cfg.fs.GetDiskUsage(cfg.Dir)
	if err != nil || usage.AvailBytes >= openMinBytes { // unknown: proceed
		return nil
	}
	return fmt.Errorf("opening needs %d bytes of free space, %d are left: %w", int64(openMinBytes), usage.AvailBytes, syscall.ENOSPC)
}

// opened is the result of opening a store.
type opened struct {
	db    *pebble.DB
	err   error
	panic any
}

// tryPebble opens a store and returns the library's panics as errors, also where the library ends its
// goroutine. An opening that fails in the background or takes too long is abandoned: it cannot be stopped.
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
			return nil, fmt.Errorf("failed while being opened: %w", f)
		case <-report.C:
			if time.Since(began) > openWait {
				return nil, fmt.Errorf("not open after %v; check the disk", openWait)
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
	if o.db == nil && o.err == nil { // the library ended its goroutine
		select {
		case f := <-failed:
			return nil, fmt.Errorf("failed while being opened: %w", f)
		default:
			return nil, errors.New("failed while being opened")
		}
	}
	return o.db, o.err
}

// openError returns the error of opening a directory, with advice.
func openError(dir string, err error) error {
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EWOULDBLOCK) || strings.Contains(err.Error(), "lock held") {
		return fmt.Errorf("the data directory %s is in use by another process: stop that process, or use another directory", dir)
	}
	return fmt.Errorf("the data directory %s cannot be opened: %w", dir, advise(dir, err))
}

// oneLineError is an error printed in one line.
type oneLineError struct{ error }

func (e oneLineError) Error() string {
	text := strings.ReplaceAll(e.error.Error(), "<corruption detail carrier>", "") // an internal mark of the library
	return strings.Join(strings.Fields(text), " ")
}
func (e oneLineError) Unwrap() error { return e.error }

// pebbleLog forwards the library's log lines and failures.
type pebbleLog struct {
	log    *slog.Logger
	dir    string
	failed func(*store.Failure)
	broken *atomic.Bool
}

func (l pebbleLog) Infof(format string, args ...any)  { l.log.Debug(fmt.Sprintf(format, args...)) }
func (l pebbleLog) Errorf(format string, args ...any) { l.log.Warn(fmt.Sprintf(format, args...)) }

// Fatalf must not return. It is called in the goroutine that met the failure and ends only that goroutine: a
// panic would end the process before the failure is reported in one line.
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
