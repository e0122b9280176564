package dialect

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// parsed is a statement and what its tree does not say.
type parsed struct {
	stmt  sqlparser.Statement
	share bool // its locking clauses are FOR SHARE
	last  bool // it contains the hint of the last round
	// places is the number of its placeholders.
	places int
	size   int // bytes of its text
}

// parse reads one statement.
func parse(text string, o Options) (parsed, error) {
	m, err := mend(text, o.AnsiQuotes)
	if err != nil {
		return parsed{}, err
	}
	stmt, err := sqlparser.ParseWithOptions(context.Background(), m.text, parserOptions(o))
	if err != nil {
		return parsed{}, parseError(err)
	}
	return parsed{stmt, m.share, m.last, m.places, len(text)}, nil
}

func parserOptions(o Options) sqlparser.ParserOptions {
	return sqlparser.ParserOptions{AnsiQuotes: o.AnsiQuotes, PipesAsConcat: o.PipesAsConcat}
}

func parseError(err error) error {
	if errors.Is(err, sqlparser.ErrEmpty) {
		return syntax("the statement is empty")
	}
	text := strings.TrimPrefix(err.Error(), "Code: INVALID_ARGUMENT\n")
	return syntax("%s", strings.TrimSpace(text))
}

// kindOf returns the kind of a statement.
func kindOf(stmt sqlparser.Statement) Kind {
	switch stmt.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect:
		return Read
	case *sqlparser.Insert:
		return Insert
	case *sqlparser.Update:
		return Update
	case *sqlparser.Delete:
		return Delete
	case *sqlparser.DDL, *sqlparser.AlterTable, *sqlparser.DBDDL:
		return Define
	case *sqlparser.Begin, *sqlparser.Commit, *sqlparser.Rollback, *sqlparser.Set, *sqlparser.Use,
		*sqlparser.Savepoint, *sqlparser.RollbackSavepoint, *sqlparser.ReleaseSavepoint,
		*sqlparser.LockTables, *sqlparser.UnlockTables:
		return Control
	}
	return Other
}
