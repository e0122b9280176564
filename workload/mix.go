package workload

import (
	"context"
	"iter"

	"isochron/history"
	"isochron/txn"
)

// Mix is a benchmark: transactions drawn at random, for runs that measure. Its driver begins,
// commits, retries and times.
type Mix interface {
	// Rows returns the rows of the database before the first client begins. A benchmark that does
	// not interpret its reads may have none: an absent row is read, validated and written like any
	// other.
	Rows() iter.Seq[txn.Write]
	// Next draws the client's next transaction.
	Next(c *Client) Job
}

// Job is one transaction of a Mix.
type Job struct {
	// Class names its kind: results are also reported by class.
	Class    string
	ReadOnly bool
	// Body reads and writes; it is called once for each try, with the same choices, and returns the
	// error of the transaction's reads.
	Body func(ctx context.Context, t txn.Txn) error
	// FixedSet, of some whose rows are known from the start, is Body as a 2FI transaction
	// (txn.FixedSetRunner): it ends the transaction too.
	FixedSet func() txn.FixedSetTxn
	// Autocommit: it is one statement, whose client sends no commit of its own.
	Autocommit bool
	// Ended, if not nil, is called once with the outcome, after its last try. A driver that does
	// not call it gets no checks that depend on outcomes.
	Ended func(history.Outcome)
}

// ErrRollback is returned by a Body that rolls its transaction back by choice.
var ErrRollback error = errGiveUp
