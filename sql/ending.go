package sql

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/dialect"
	"isochron/sql/parse"
)

// What sets out to end its transaction ends it, whatever comes between: a COMMIT that fails has
// rolled back, and a ROLLBACK that fails has, too. Drivers take it so. They hand the connection to
// the next who asks for one, and his BEGIN would commit what the one before him was told is not.
// An implicit commit that fails, as that of a BEGIN, is one as well (Session.commit).

// setsOutToEnd reports whether the statement is a COMMIT or a ROLLBACK of the whole transaction.
// It is asked of what has failed, perhaps before anybody has read it.
func (x *execution) setsOutToEnd() bool {
	text, _ := dialect.First(x.text, x.s.dialectOptions().AnsiQuotes)
	t := readTransacting(x.s, text)
	return t != nil && (t.Kind == parse.Commit || t.Kind == parse.Rollback)
}

// rolledBack adds to an error, which alone does not say so, that the transaction is over.
func rolledBack(err error) error {
	var e *mysql.SQLError
	if !errors.As(err, &e) {
		return err
	}
	return mysql.NewSQLError(e.Num, e.State, "%s; the transaction is rolled back", e.Message)
}
