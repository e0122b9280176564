package server

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"

	"isochron/store"
)

// newFailure says what failed in a data directory, and what to do if that is known.
func newFailure(doing, dir string, err error) *store.Failure {
	return &store.Failure{Doing: doing + " in " + dir, Err: advise(dir, err)}
}

// advise adds what a person can do about an error of the disk.
func advise(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), strings.Contains(err.Error(), syscall.ENOSPC.Error()):
		return fmt.Errorf("the disk that holds %s is full: make room there and start the node again; it has acknowledged nothing that it did not write (%w)", dir, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), strings.Contains(err.Error(), syscall.EROFS.Error()):
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

// openPebble opens a store; what the library panics over, it returns.
func openPebble(dir string, o *pebble.Options) (db *pebble.DB, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			panic(p)
		case error:
			err = p
		default:
			panic(p)
		}
	}()
	return pebble.Open(dir, o)
}

// openError says what a person can do about a directory that does not open.
func openError(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EWOULDBLOCK), strings.Contains(err.Error(), "lock held"):
		return fmt.Errorf("the data directory %s is in use by another process: stop that one first, or give another directory", dir)
	case pebble.IsCorruptionError(err), strings.Contains(err.Error(), "corrupt"), strings.Contains(err.Error(), "checksum mismatch"), strings.Contains(err.Error(), "invalid chunk"):
		return fmt.Errorf("the data in %s is damaged: %w; put the directory back from a copy that is whole, or let the other nodes go on without this one", dir, oneLineError{err})
	}
	return fmt.Errorf("the data directory %s cannot be opened: %w", dir, advise(dir, oneLineError{err}))
}

// oneLineError is an error told in one line.
type oneLineError struct{ error }

func (e oneLineError) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }
func (e oneLineError) Unwrap() error { return e.error }
