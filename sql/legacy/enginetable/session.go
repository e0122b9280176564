package enginetable

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
	"isochron/txn"
)

// Session is a table's view of the session that uses it.
type Session interface {
	gms.Session
	// Use is the session's transaction, made to depend on the definition of
	// the table.
	Use(ctx *gms.Context, d *catalog.Descriptor) (txn.Txn, error)
	// Alter executes a step of the statement's change of the catalogue. The open transaction is committed before it, as
	// in MySQL, and the change at the statement's end.
	Alter(ctx *gms.Context, step func(*catalog.Change) error) error
	// Catalogue returns the statement's catalogue.
	Catalogue(ctx context.Context) (*catalog.Snapshot, error)
	// Duplicate notes MySQL's message for the duplicate key just found.
	Duplicate(message string)
	// FinalRead reports whether the next read is the statement's only one and
	// the statement is its whole transaction.
	FinalRead() bool
	// Writes reports whether the statement writes the table with this id, so that its rows are read for writing.
	Writes(table uint64) bool
	// Weak reports whether reads without a lock are not checked at the commit: then rows on which a
	// write depends must be locked.
	Weak() bool
	// Alone reports whether the statement is its own transaction.
	Alone() bool
	// NotFinal reports that FinalRead was wrong: the statement must be executed again.
	NotFinal() error
}

func sessionOf(ctx *gms.Context) Session { return ctx.Session.(Session) }
