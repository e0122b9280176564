package sql

import (
	"errors"
	"sync"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/txn"
)

// failures is what has failed in a statement: on its way through the engine an error may lose
// what it was. Reads that run beside each other may note theirs.
type failures struct {
	mu       sync.Mutex
	failure  *txn.Error      // what ended a read or a commit
	full     bool            // a write found no room in the transaction
	unread   error           // why the catalogue could not be read, where the engine does not say
	denied   *mysql.SQLError // why it was refused before the engine saw it
	beyond   error           // it is beyond a bound of the server
	panicked bool            // the engine has panicked at it
}

// note keeps the error that ended a read or a commit: the first, for the reads
// that ran beside it are then called off, and fail of that.
func (f *failures) note(err error) error {
	if err == nil {
		return nil
	}
	var e *txn.Error
	if errors.As(err, &e) {
		f.mu.Lock()
		if f.failure == nil {
			f.failure = e
		}
		f.mu.Unlock()
	}
	return err
}

// noteFull notes that a write found no room: the statement must fail.
func (f *failures) noteFull(err error) {
	f.mu.Lock()
	f.full = true
	f.mu.Unlock()
	_ = f.note(err)
}

// tooMuch notes that the statement is beyond a bound of the server, and returns the error.
func (f *failures) tooMuch(err error) error {
	f.beyond = err
	return err
}

// unreadable notes why the catalogue could not be read; nil: it was read after all.
func (f *failures) unreadable(err error) { f.unread = err }

// deny notes why the statement was refused, and returns the error: the engine makes a mere text
// of it.
func (f *failures) deny(err error) error {
	f.denied, _ = err.(*mysql.SQLError)
	return err
}

// panics notes that the engine has panicked.
func (f *failures) panics() { f.panicked = true }

// unknown reports whether the statement's commit has an unknown outcome.
func (f *failures) unknown() bool {
	return f.failure != nil && f.failure.Kind == txn.KindUnknown
}

// refused is why a statement that the engine has carried out must fail. While its rows
// are sent the engine may still read.
func (f *failures) refused() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure != nil && f.full {
		return f.failure
	}
	if f.beyond != nil {
		return f.beyond
	}
	return nil
}
