package sourcedb

import (
	"context"
	"errors"
	"net"

	"isochron/source"
)

// MySQL's numbers for what has no number of a server.
const (
	codeCannotConnect = 1429
	codeLost          = 2013
	codeInterrupted   = 1317
	codeRolledBack    = 1402
	codeNoSuchBranch  = 1397
	codeDuplicateName = 1440
	codeDuplicate     = 1062 // a key that is there already
	codeInvalidJSON   = 3140
)

// interrupted is the error of what its caller gave up.
func interrupted(ctx context.Context) *source.Error {
	cause := "it was given up"
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		cause = "it took too long"
	}
	return &source.Error{Code: codeInterrupted, State: "70100", Text: "interrupted at the source: " + cause, Ends: true}
}

// lost is the error of a connection that broke. cause is never a server's word.
func lost(ctx context.Context, cause error) *source.Error {
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return &source.Error{Code: codeLost, State: "08S01", Text: "the connection to the source broke: " + reason(cause), Ends: true, Gone: true}
}

// unreachable is the error of a connection that was not made.
func unreachable(cause error) *source.Error {
	return &source.Error{Code: codeCannotConnect, State: "08001", Text: "the source cannot be reached: " + reason(cause), Ends: true, Gone: true}
}

// reason puts a cause in words that cannot hold an address's secrets: those of a network
// error, or of the innermost error.
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

// over is the error of a branch that was used after its end.
func over() *source.Error {
	return &source.Error{Code: codeNoSuchBranch, State: "XAE04", Text: "this transaction at the source has ended already", Ends: true}
}

// rolledBack is the error of a commit or prepare that turned out to be a rollback.
func rolledBack() *source.Error {
	return &source.Error{Code: codeRolledBack, State: "XA100", Text: "the source had rolled back the transaction after an earlier error", Ends: true}
}

// cleanUp is the context of what is done after the caller's own has ended or may have.
func cleanUp() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), cleanUpMax)
}

// again does what only asks, once more if the connection broke: the pool's may all have been
// broken unseen, by a restart of the server.
func again(ctx context.Context, ask func() error) error {
	err := ask()
	if e := asError(err); e != nil && e.Code == codeLost && ctx.Err() == nil {
		err = ask()
	}
	return err
}
