package source

import (
	"context"
	"time"

	"isochron/txn"
)

// Dialect is the SQL that a source speaks.
type Dialect string

// The dialects.
const (
	MySQL    Dialect = "mysql" // MariaDB too
	Postgres Dialect = "postgres"
)

// Driver is how an agent speaks to its database. Its methods block, may be called by
// several goroutines at once, and end when their context does. Errors are *Error.
type Driver interface {
	// Facts asks the database who it is and whether branches can be prepared there.
	Facts(ctx context.Context) (Facts, error)
	// Begin opens a branch, on a connection of its own until the branch is prepared or has
	// ended. It may put off what it would tell the database to the branch's first statement.
	Begin(ctx context.Context, n Name, o BranchOptions) (Branch, error)
	// Prepared lists the prepared branches of the cluster that n names, whatever gateway
	// they are of. What others have prepared is never in it.
	Prepared(ctx context.Context, cluster uint64) ([]Name, error)
	// Finish commits or rolls back a prepared branch. One that is not there is no error:
	// found is false then.
	Finish(ctx context.Context, n Name, commit bool) (found bool, err error)
	// Tables describes the tables of the schemas that the account can see.
	Tables(ctx context.Context) ([]Table, error)
	// Close ends all connections; what is prepared stays.
	Close() error
}

// AtOnce is a Driver that runs a transaction of one statement, at its source alone, in one trip.
type AtOnce interface {
	// Once runs a statement and commits it. On an error with Unknown it may have happened; on any
	// other it has not. What it reads it reads as a branch would: at Serializable a read of what
	// a prepared branch has changed waits for that one's end where the branch's own reads would.
	Once(ctx context.Context, n Name, o BranchOptions, s Statement) (Result, error)
}

// OnceByBranch is Once of a Driver that has none.
func OnceByBranch(ctx context.Context, d Driver, n Name, o BranchOptions, s Statement) (Result, error) {
	b, err := d.Begin(ctx, n, o)
	if err != nil {
		return Result{}, err
	}
	r, err := b.Execute(ctx, s)
	if err != nil {
		_ = b.Rollback(ctx) // an error: the source does it when it notices
		return Result{}, err
	}
	return r, b.Commit(ctx)
}

// Branch is a transaction's part at one source. It is used by one goroutine at a time, and
// by none after Prepare (whatever it gave), Commit or Rollback.
type Branch interface {
	// Execute runs one statement. After an error whose Ends is true the branch is no more.
	Execute(ctx context.Context, s Statement) (Result, error)
	// Prepare makes the branch outlive its connection. On an error with Unknown it may have
	// happened; on any other the branch is rolled back.
	Prepare(ctx context.Context) error
	// Commit commits it in one phase, without a Prepare: with Unknown it may have happened.
	Commit(ctx context.Context) error
	// Rollback undoes it; an error means that its connection was thrown away, and the
	// database undoes it when it notices.
	Rollback(ctx context.Context) error
}

// Facts are what a source says of itself.
type Facts struct {
	Dialect Dialect
	Version string // as the server writes it
	// Identity tells one database from another, and from itself with other data: for
	// PostgreSQL its system identifier and the database's name and number.
	Identity string
	// Expected: the driver has been told, by an operator or by what the cluster remembers, that
	// this identity is the right one, whatever it was before.
	Expected bool
	// PreparedMax bounds the prepared transactions; 0: it refuses all, -1: no bound is known.
	PreparedMax int
	// Incarnation tells one start of the database's server from another; "": not known, or of
	// no use there.
	Incarnation string
	// ForgetsReads: over a restart of the server a prepared branch keeps the locks of what it
	// has written alone.
	ForgetsReads bool
	// Warnings are what an operator should know, a line each.
	Warnings []string
	// Hints are what would make it better and what it does without, a line each.
	Hints []string
}

// Isolation is at which level a branch runs.
type Isolation string

// The levels. Serializable is what global serializability asks for.
const (
	Serializable   Isolation = "serializable"
	RepeatableRead Isolation = "repeatable read"
	ReadCommitted  Isolation = "read committed"
)

// BranchOptions are a branch's bounds.
type BranchOptions struct {
	Isolation Isolation     // "": Serializable
	LockWait  time.Duration // of each wait for a lock; 0: the source's own
	// Silence is for how long a server may say nothing before it is asked whether it answers at
	// all; what is under way at one that does not is given up. 0: txn.SourceSilence.
	Silence  time.Duration
	ReadOnly bool
	// Incarnation, if not "", is at which the branch is to begin; at another it is an Error
	// that says Gone.
	Incarnation string
	// Plain is a transaction that is never prepared and has no name there; Autocommit has each
	// statement be one by itself. Versions asks for them, and the laboratory's databases alone
	// know them.
	Plain, Autocommit bool
}

// Statements and what they give are messages too.
type (
	// Statement is one statement in the source's own dialect. MaxRows 0 is RowsMax.
	Statement = txn.Statement
	// Column describes a column of an answer or a table.
	Column = txn.Column
	// Result is what a statement gave, its values as the source prints them.
	Result = txn.Result
	// Table is a table of a source.
	Table = txn.SourceTable
)

// Bounds of an answer, whatever was asked for.
const (
	RowsMax  = 1 << 20
	BytesMax = 64 << 20
)

// Error is what a source refused or failed at.
type Error struct {
	Code    uint16 // MySQL's number for it, whatever the dialect: 1213, 1205, 1062 ...
	State   string // SQLSTATE
	Text    string // for people, with nothing of the account's secrets
	Ends    bool   // the branch is rolled back, or cannot be used any more
	Again   bool   // the same transaction may do better next time: it lost to another
	Unknown bool   // whether the commit or prepare happened is not known
	Gone    bool   // the source could not be reached, or the connection broke
}

func (e *Error) Error() string { return e.Text }
