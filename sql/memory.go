package sql

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/memory"
	"isochron/sql/sysvars"
)

const (
	statementMemory  = sysvars.StatementMemory
	connectionMemory = sysvars.ConnectionMemory
	nodeMemory       = sysvars.NodeMemory
)

// refusal is the error of a statement that would hold too much: the engine returns only errors of its own library whole.
func refusal(code int, message string) error { return mysql.NewSQLError(code, "HY000", "%s", message) }

// memorySetting is a bound of memory as it is set, for the session of a context or for all; 0: none is.
func memorySetting(ctx context.Context, name string) int64 { return int64(bound(ctx, name, 0)) }

// accountOf is the account of the statement that a context is of; nil: none.
func accountOf(ctx context.Context) *memory.Account {
	if gctx, ok := ctx.(*gms.Context); ok {
		if s, ok := gctx.Session.(*Session); ok {
			return s.account.Load()
		}
	}
	return nil
}
