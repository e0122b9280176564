package workload

import (
	"context"
	"iter"

	"isochron/history"
	"isochron/txn"
)

// Mix is a benchmark: transactions drawn at random, for runs that measure.
// Whoever drives it begins, commits, retries and times.
type Mix interface {
	// Rows are what the database holds before the first client begins. Where a
	// benchmark does not look at what it reads they may be none: a row that is
	// absent is read, validated and written like any other.
	Rows() iter.Seq[txn.Write]
	// Next draws the client's next transaction.
	Next(c *Client) Job
}

// Job is one transaction of a Mix.
type Job struct {
	// Class names its kind: results are told for each class too.
	Class    string
	ReadOnly bool
	// Body reads and writes; it is called once for each try, with the same
	// choices, and returns what the transaction's reads return.
	Body func(ctx context.Context, t txn.Txn) error
	// FixedSet, of some whose rows are known from the start, is the same as Body, to be declared whole
	// (txn.Declarer): it ends the transaction too.
	FixedSet func() txn.FixedSetTxn
	// Autocommit: it is one statement, whose client sends no commit of its own.
	Autocommit bool
	// Ended, if not nil, is told once how it ended, after its last try. Who drives the
	// mix and does not tell has nothing checked that rests on it.
	Ended func(history.Outcome)
}

// ErrRollback is what a Body returns that rolls its transaction back by its own wish.
var ErrRollback error = errGiveUp
