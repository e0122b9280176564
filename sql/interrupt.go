package sql

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/session"
	"isochron/sql/table"
	"isochron/txn"
)

const codeTimeUp = 3024

// selects reports whether a text is a query, as far as its first word says.
func selects(text string) bool {
	for strings.HasPrefix(text, "(") {
		text = strings.TrimLeft(text, "( \t\r\n")
	}
	switch table.FirstWord(text) {
	case "select", "with", "values", "table":
		return true
	}
	return false
}

// interrupted is the answer to a statement that was cut short.
func interrupted(why error) error {
	var up session.TimeUp
	if errors.As(why, &up) {
		return mysql.NewSQLError(codeTimeUp, "HY000", "Query execution was interrupted, maximum statement execution time exceeded (%s is %d ms)", up.Setting, up.After.Milliseconds())
	}
	return mysql.NewSQLError(codeInterrupted, "70100", "Query execution was interrupted")
}

// cutShort cleans up after a statement that was cut short, and answers it. One that
// was its own transaction, or was to end one, is rolled back. Else an explicit transaction
// goes on, unless the statement was within a read: that cannot be called back, so nothing
// more is asked of the transaction, which is over.
func cutShort(s *Session, why error) error {
	f := s.statement.failure
	s.failed = nil
	switch {
	case s.statement.own || s.statement.ending || !s.open.begun():
		s.end(nil)
	case lives(f):
		s.open.undo(s.statement.mark)
	default:
		s.doom(txn.Errorf(txn.KindAborted, "a statement of the transaction was interrupted while it read: %v; all of it is rolled back", why))
	}
	return interrupted(why)
}

// doom rolls back the open transaction and leaves a dead one in its place: its client
// must learn, from the next statement or the commit, that it is over.
func (s *Session) doom(why *txn.Error) {
	t := s.open
	rollBack(t.real, txn.CauseClient)
	s.gateway.slowEnd(s, t, nil, true)
	t.over = why
	t.real = s.temporary.Over(&watched{Txn: doomed{unwatched(t.real), t.over}, s: s})
}

// doomed is a transaction that is over, and says so.
type doomed struct {
	txn.Txn
	over *txn.Error
}

// Read implements txn.Txn.
func (d doomed) Read(context.Context, txn.Read) (txn.ReadResult, error) {
	return txn.ReadResult{}, d.over
}

// Commit implements txn.Txn.
func (d doomed) Commit(context.Context) error { return d.over }

// Put implements txn.Txn.
func (doomed) Put(txn.Key, []byte) {}

// Delete implements txn.Txn.
func (doomed) Delete(txn.Key) {}

// Savepoint implements txn.Txn.
func (doomed) Savepoint() int { return 0 }

// RollbackTo implements txn.Txn.
func (doomed) RollbackTo(int) {}
