package sql

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/dialect"
	"isochron/sql/parse"
	"isochron/sql/table"
)

// transacting begins or ends a transaction, or is about a savepoint.
type transacting struct {
	*parse.Transaction
	priority string // of START TRANSACTION /*+ priority(..) */; "": the session's
}

// transactionWords are the first words of such statements.
var transactionWords = map[string]bool{"begin": true, "start": true, "commit": true, "rollback": true, "savepoint": true, "release": true}

// readTransacting reads such a statement; nil: the text is another.
func readTransacting(s *Session, text string) *transacting {
	if !transactionWords[table.FirstWord(text)] {
		return nil
	}
	if t := parse.ReadTransaction(text, s.coreSettings().reads.AnsiQuotes); t != nil {
		return &transacting{t, priorityHinted(text)}
	}
	return nil
}

// transacting is the plan of such a statement; nil: it is another, or its answer is at hand.
func (x *execution) transacting() Plan {
	if len(x.s.packet.ahead) > 0 || !transactionWords[table.FirstWord(x.text)] {
		return nil
	}
	text, rest := x.text, ""
	if x.several {
		text, rest = dialect.First(text, x.s.coreSettings().reads.AnsiQuotes)
	}
	t := readTransacting(x.s, text)
	if t == nil {
		return nil
	}
	x.rest = rest
	return t
}

func (*transacting) kind() planKind { return explained }

func (t *transacting) counter() string {
	return [...]string{"Com_begin", "Com_commit", "Com_rollback", "Com_savepoint", "Com_rollback_to_savepoint", "Com_release_savepoint"}[t.Kind]
}

// Execute implements Plan.
func (t *transacting) Execute(ctx context.Context, x *execution) error {
	s := x.s
	if err := t.execute(ctx, s); err != nil {
		return err
	}
	s.GetLastQueryInfo().RowCount.Store(0)
	if x.below != nil {
		return nil
	}
	return x.yield(&sqltypes.Result{}, x.rest != "")
}

func (t *transacting) execute(ctx context.Context, s *Session) error {
	switch t.Kind {
	case parse.Begin:
		return t.begin(ctx, s)
	case parse.Commit:
		if err := s.commit(ctx); err != nil {
			return err
		}
		s.leaveTransaction()
		return nil
	case parse.Rollback:
		s.abandon()
		s.leaveTransaction()
		return nil
	case parse.RollbackToSavepoint:
		return s.rollbackTo(ctx, t.Savepoint)
	case parse.ReleaseSavepoint:
		return s.releaseSavepoint(t.Savepoint)
	}
	if s.open == nil && !s.Autocommit() {
		s.openTransaction(gms.ReadWrite)
		s.SetTransaction(s.open)
	}
	return s.savepoint(t.Savepoint)
}

// begin commits what is open and begins anew.
func (t *transacting) begin(ctx context.Context, s *Session) error {
	if err := s.commit(ctx); err != nil {
		return err
	}
	characteristic := gms.ReadWrite
	if t.ReadOnly {
		characteristic = gms.ReadOnly
	}
	s.openTransaction(characteristic)
	if t.priority != "" {
		h := s.holder()
		p, err := prioritySaid(&h, t.priority)
		if err != nil {
			s.open = nil
			return err
		}
		s.open.priority = p
	}
	s.SetTransaction(s.open)
	s.SetIgnoreAutoCommit(true)
	if t.Consistent {
		return chooseReadTS(ctx, s)
	}
	return nil
}

// leaveTransaction has the session be in no transaction of several statements.
func (s *Session) leaveTransaction() {
	s.SetIgnoreAutoCommit(false)
	s.SetTransaction(nil)
}
