package source

import (
	"context"
	"time"

	"isochron/txn"
)

// Dialect is a source's SQL dialect.
type Dialect string

// The dialects.
const (
	MySQL    Dialect = "mysql" // MariaDB too
	Postgres Dialect = "postgres"
)

// Driver is an agent's access to its database. Its methods block, are safe for concurrent use and
// return when their context ends. Their errors are *Error.
type Driver interface {
	// Facts queries the database's identity and whether branches can be prepared there.
	Facts(ctx context.Context) (Facts, error)
	// Begin opens a branch, on a connection of its own until the branch is prepared or has ended.
	// It may defer sending anything to the branch's first statement.
	Begin(ctx context.Context, n Name, o BranchOptions) (Branch, error)
	// Prepared lists the cluster's prepared branches, of every gateway, and no others.
	Prepared(ctx context.Context, cluster uint64) ([]Name, error)
	// Finish commits or rolls back a prepared branch. If it does not exist, found is false and err
	// is nil.
	Finish(ctx context.Context, n Name, commit bool) (found bool, err error)
	// Tables describes the tables of the schemas that the account can see.
	Tables(ctx context.Context) ([]Table, error)
	// Close ends all connections; prepared branches stay.
	Close() error
}

// OneTripDriver is a Driver that runs a transaction of one statement at one source in one trip.
type OneTripDriver interface {
	// Once runs a statement and commits it. After an error with Unknown it may have taken effect;
	// after any other it has not. It reads as a branch does: at Serializable a read of rows that a
	// prepared branch changed waits for that branch's end wherever a branch's read would.
	Once(ctx context.Context, n Name, o BranchOptions, s Statement) (Result, error)
}

// OnceByBranch is Once for a Driver that is not a OneTripDriver.
func OnceByBranch(ctx context.Context, d Driver, n Name, o BranchOptions, s Statement) (Result, error) {
	b, err := d.Begin(ctx, n, o)
	if err != nil {
		return Result{}, err
	}
	r, err := b.Execute(ctx, s)
	if err != nil {
		_ = b.Rollback(ctx) // on an error the source rolls back when it notices the lost connection
		return Result{}, err
	}
	return r, b.Commit(ctx)
}

// Branch is a transaction's part at one source. One goroutine at a time may use it, and none after
// Prepare (whatever it returned), Commit or Rollback.
type Branch interface {
	// Execute runs one statement. After an error with Ends the branch no longer exists.
	Execute(ctx context.Context, s Statement) (Result, error)
	// Prepare makes the branch outlive its connection. After an error with Unknown the branch may
	// be prepared; after any other it is rolled back.
	Prepare(ctx context.Context) error
	// Commit commits it in one phase, without a Prepare; after an error with Unknown it may be
	// committed.
	Commit(ctx context.Context) error
	// Rollback rolls it back. After an error its connection was dropped, and the database rolls
	// back when it notices.
	Rollback(ctx context.Context) error
}

// Facts are a source's answers about itself.
type Facts struct {
	Dialect Dialect
	Version string // as the server prints it
	// Identity distinguishes this database from others, and from itself with other data. For
	// PostgreSQL: the system identifier, and the database's name and number.
	Identity string
	// Expected: an operator's setting or the cluster's directory confirms that this identity is the
	// right one, even if it differs from an earlier one.
	Expected bool
	// PreparedMax bounds the prepared transactions; 0: the server refuses them, -1: no known bound.
	PreparedMax int
	// Incarnation distinguishes one start of the database's server from another; "": unknown, or
	// not needed.
	Incarnation string
	// ForgetsReads: after a restart of the server a prepared branch keeps only the locks of its
	// writes.
	ForgetsReads bool
	// Warnings are problems an operator should know, a line each.
	Warnings []string
	// Hints are settings that would improve the source, with the cost of lacking them, a line each.
	Hints []string
}

// Isolation is a branch's isolation level.
type Isolation string

// The levels. Global serializability needs Serializable.
const (
	Serializable   Isolation = "serializable"
	RepeatableRead Isolation = "repeatable read"
	ReadCommitted  Isolation = "read committed"
)

// BranchOptions has a branch's level and bounds.
type BranchOptions struct {
	Isolation Isolation     // "": Serializable
	LockWait  time.Duration // of each lock wait; 0: the source's own bound
	// Silence is the longest time a server may send nothing before it is probed; statements at a
	// server that does not answer are abandoned. 0: txn.SourceSilence.
	Silence  time.Duration
	ReadOnly bool
	// Incarnation, if not "", is the incarnation the branch must begin at; at another Begin fails
	// with Gone.
	Incarnation string
	// Plain is a transaction that is never prepared and has no name in the database; with Autocommit
	// each statement is its own transaction. Only versions sets them, and only the laboratory's
	// databases support them.
	Plain, Autocommit bool
}

// Statements and their results are message types too.
type (
	// Statement is one statement in the source's dialect. MaxRows 0: RowsMax.
	Statement = txn.Statement
	// Column describes a column of a result or a table.
	Column = txn.Column
	// Result is a statement's result, its values as the source prints them.
	Result = txn.Result
	// Table is a table of a source.
	Table = txn.SourceTable
)

// Bounds of every result, whatever the statement allows.
const (
	RowsMax  = 1 << 20
	BytesMax = 64 << 20
)

// Error is a source's refusal or failure.
type Error struct {
	Code    uint16 // MySQL's error number, in every dialect: 1213, 1205, 1062 ...
	State   string // SQLSTATE
	Text    string // for people; contains no secret of the account
	Ends    bool   // the branch is rolled back, or unusable
	Again   bool   // a conflict with another transaction: a retry may succeed
	Unknown bool   // whether the commit or prepare took effect is unknown
	Gone    bool   // the source could not be reached, or the connection broke
}

func (e *Error) Error() string { return e.Text }
