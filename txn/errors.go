package txn

import "fmt"

// Kind says what a client may conclude from an error.
type Kind uint8

// The kinds of error.
const (
	// KindAborted: lost to another transaction (deadlock prevention, validation).
	// Nothing was done; the same transaction may be tried again.
	KindAborted Kind = iota + 1
	// KindLockTimeout: a lock was not granted in time. The transaction lives.
	KindLockTimeout
	// KindNoWait: NOWAIT was asked for and the row is locked. The transaction lives.
	KindNoWait
	// KindStale: the schema that the transaction used is no longer current.
	// Nothing was done; refresh and try again.
	KindStale
	// KindUnavailable: no answer in time from a shard before anything was
	// prepared. Nothing was done.
	KindUnavailable
	// KindUnknown: the commit may or may not have happened.
	KindUnknown
	// KindInvalidRequest: the caller broke a rule (read after commit, write in a
	// read-only transaction, a result over its bound).
	KindInvalidRequest
	// KindTooOld: versions of the moment asked for may have been collected.
	// Nothing was done; a read at a later moment may succeed.
	KindTooOld
	// KindTooLarge: the transaction is beyond a bound of what one may write or
	// read. If Bounded.Full reports it the transaction lives, as soon as the writes
	// beyond the bound are undone; else it has ended, and nothing was done.
	KindTooLarge
	// KindStatement: a source refused a statement, and Fault says why. The transaction lives.
	KindStatement
)

// Error is every error of a transaction.
type Error struct {
	Kind   Kind
	Reason string // for a person: what happened, to what
	Cause  Cause
	Fault  *Fault // of an error that a source gave; nil: none did
}

func (e *Error) Error() string { return e.Reason }

// Errorf makes an *Error.
func Errorf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Reason: fmt.Sprintf(format, args...)}
}

// Of adds what a source said; it returns e.
func (e *Error) Of(f *Fault) *Error {
	e.Fault = f
	return e
}

// KindOf is the Kind of an error, 0 if it is not an *Error.
func KindOf(err error) Kind {
	if e, ok := err.(*Error); ok {
		return e.Kind
	}
	return 0
}
