package sourcedb

import (
	"context"
	"errors"
	"net"

	"isochron/source"
)

// MySQL's error numbers for errors that no server reports.
const (
	codeCannotConnect = 1429
	codeLost          = 2013
	codeInterrupted   = 1317
	codeRolledBack    = 1402
	codeNoSuchBranch  = 1397
	codeDuplicateName = 1440
	codeDuplicate     = 1062 // duplicate key
	codeInvalidJSON   = 3140
)

// interrupted is the error of a call whose caller gave up.
func interrupted(ctx context.Context) *source.Error {
	cause := "cancelled by the caller"
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		cause = "timeout"
	}
	return &source.Error{Code: codeInterrupted, State: "70100", Text: "interrupted at the source: " + cause, Ends: true}
}

// lost is the error of a broken connection. cause is never a server's message.
func lost(ctx context.Context, cause error) *source.Error {
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return &source.Error{Code: codeLost, State: "08S01", Text: "the connection to the source broke: " + reason(cause), Ends: true, Gone: true}
}

// unreachable is the error of a failed connection attempt.
func unreachable(cause error) *source.Error {
	return &source.Error{Code: codeCannotConnect, State: "08001", Text: "the source cannot be reached: " + reason(cause), Ends: true, Gone: true}
}

// reason returns a cause's text without an address's secrets: the text of a network error, or of
// the innermost error.
func reason(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Error()
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// over is the error of a branch used after its end.
func over() *source.Error {
	return &source.Error{Code: codeNoSuchBranch, State: "XAE04", Text: "this transaction at the source has ended already", Ends: true}
}

// rolledBack is the error of a commit or prepare that turned out to be a rollback.
func rolledBack() *source.Error {
	return &source.Error{Code: codeRolledBack, State: "XA100", Text: "the source had rolled back the transaction after an earlier error", Ends: true}
}

// cleanUp returns a context for work after the caller's own may have ended.
func cleanUp() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), cleanUpMax)
}

// again runs a query, and repeats it once if the connection broke: a restart of the server breaks all of the
// pool's connections unnoticed.
func again(ctx context.Context, ask func() error) error {
	err := ask()
	if e := asError(err); e != nil && e.Code == codeLost && ctx.Err() == nil {
		err = ask()
	}
	return err
}
