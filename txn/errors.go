package txn

import "fmt"

// Kind is a client's conclusion from an error.
type Kind uint8

// The kinds of error.
const (
	// KindAborted: the transaction lost a conflict (deadlock prevention, validation).
	// Nothing was committed; the same transaction may be retried.
	KindAborted Kind = iota + 1
	// KindLockTimeout: a lock was not granted in time. The transaction is still open.
	KindLockTimeout
	// KindNoWait: NOWAIT was requested and the row is locked. The transaction is still open.
	KindNoWait
	// KindStale: the schema that the transaction used is no longer current.
	// Nothing was committed; refresh the schema and retry.
	KindStale
	// KindUnavailable: a shard did not answer in time, before any prepare. Nothing was
	// committed.
	KindUnavailable
	// KindUnknown: the commit may or may not have happened.
	KindUnknown
	// KindInvalidRequest: the caller broke a rule (read after commit, write in a
	// read-only transaction, a result over its bound).
	KindInvalidRequest
	// KindTooOld: versions of the read timestamp may have been collected.
	// Nothing was committed; a read at a later timestamp may succeed.
	KindTooOld
	// KindTooLarge: the transaction exceeds a bound on its writes or reads. If Bounded.Full
	// returns an error, the transaction is open again once the writes beyond the bound are
	// rolled back; otherwise it has ended and nothing was committed.
	KindTooLarge
	// KindStatement: a source refused a statement, see Fault. The transaction is still open.
	KindStatement
)

// Error is the type of all errors of a transaction.
type Error struct {
	Kind   Kind
	Reason string // for people: what happened, to what, what to do
	Cause  Cause
	Fault  *Fault // as reported by a source; nil: no source reported one
}

func (e *Error) Error() string { return e.Reason }

// Errorf returns an *Error.
func Errorf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Reason: fmt.Sprintf(format, args...)}
}

// Of adds the fault that a source reported and returns e.
func (e *Error) Of(f *Fault) *Error {
	e.Fault = f
	return e
}

// KindOf returns the Kind of an error, 0 if it is not an *Error.
func KindOf(err error) Kind {
	if e, ok := err.(*Error); ok {
		return e.Kind
	}
	return 0
}
