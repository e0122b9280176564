package legacy

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// Kinds of the engine's errors, which it and the gateway know.
var (
	ErrColumnExists          = gms.ErrColumnExists
	ErrDatabaseExists        = gms.ErrDatabaseExists
	ErrDatabaseNotFound      = gms.ErrDatabaseNotFound
	ErrDuplicateKey          = gms.ErrDuplicateKey
	ErrExistingView          = gms.ErrExistingView
	ErrForeignKeyNotFound    = gms.ErrForeignKeyNotFound
	ErrKeyColumnDoesNotExist = gms.ErrKeyColumnDoesNotExist
	ErrTableAlreadyExists    = gms.ErrTableAlreadyExists
	ErrTableColumnNotFound   = gms.ErrTableColumnNotFound
	ErrTableNotFound         = gms.ErrTableNotFound
	ErrUniqueKeyViolation    = gms.ErrUniqueKeyViolation
	ErrViewDoesNotExist      = gms.ErrViewDoesNotExist
)

// NewError is an error with one of MySQL's numbers that the engine returns as it is.
func NewError(code int, state, format string, args ...any) error {
	return mysql.NewSQLError(code, state, format, args...)
}
