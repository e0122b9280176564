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
	// Catalogue returns the statement's catalogue.
	Catalogue(ctx context.Context) (*catalog.Snapshot, error)
	// FinalRead reports whether the next read is the statement's only one and
	// the statement is its whole transaction.
	FinalRead() bool
	// NotFinal reports that FinalRead was wrong: the statement must be executed again.
	NotFinal() error
}

func sessionOf(ctx *gms.Context) Session { return ctx.Session.(Session) }
