package legacy

import (
	"errors"

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

	ErrDatabaseAccessDeniedForUser = gms.ErrDatabaseAccessDeniedForUser
	ErrGrantRevokeIllegalPrivilege = gms.ErrGrantRevokeIllegalPrivilege
	ErrGrantRevokeRoleDoesNotExist = gms.ErrGrantRevokeRoleDoesNotExist
	ErrGrantUserDoesNotExist       = gms.ErrGrantUserDoesNotExist
	ErrNoDatabaseSelected          = gms.ErrNoDatabaseSelected
	ErrRevokeUserDoesNotExist      = gms.ErrRevokeUserDoesNotExist
	ErrRoleCreationFailure         = gms.ErrRoleCreationFailure
	ErrRoleDeletionFailure         = gms.ErrRoleDeletionFailure
	ErrUserAlterFailure            = gms.ErrUserAlterFailure
	ErrUserCreationFailure         = gms.ErrUserCreationFailure
	ErrUserDeletionFailure         = gms.ErrUserDeletionFailure
	ErrUserHostTooLong             = gms.ErrUserHostTooLong
	ErrUserNameTooLong             = gms.ErrUserNameTooLong
)

// NewError is an error with one of MySQL's numbers that the engine returns as it is.
func NewError(code int, state, format string, args ...any) error {
	return mysql.NewSQLError(code, state, format, args...)
}

// NumberOf is the number of an error that has one of MySQL's; 0: it has none.
func NumberOf(err error) int {
	var e *mysql.SQLError
	if !errors.As(err, &e) {
		return 0
	}
	return e.Num
}
