package sql

import (
	"fmt"
	"strings"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"isochron/sql/catalog"
	"isochron/sql/legacy/enginetable"
	"isochron/sql/session"
	"isochron/sql/table"
	"isochron/txn"
)

// A statement that defines something is one transaction, which changes the catalogue and whatever
// rows go with that: it has happened, all of it, when it answers OK, and not at all when it answers
// an error. The engine does it in steps (one for each action of an ALTER TABLE); each sees what
// those before it have done, and no other transaction does before the commit.

// definitionWait bounds how long a definition waits for others that use its tables, where the
// session does not say.
const definitionWait = 50 * time.Second

// Alter implements enginetable.Session.
func (s *Session) Alter(ctx *gms.Context, step func(*catalog.Change) error) error {
	c, err := beginChange(ctx, s)
	if err != nil {
		return err
	}
	s.place.Pause()
	err = s.statement.note(step(c))
	s.place.Resume()
	if err != nil {
		return err
	}
	s.statement.unreadable(nil)
	snap, err := c.Snapshot()
	s.statement.sees(snap)
	return err
}

// beginChange is the change of the catalogue that the statement makes: its transaction from now on.
func beginChange(ctx *gms.Context, s *Session) (*catalog.Change, error) {
	if s.open != nil && s.open.change != nil {
		return s.open.change, nil
	}
	if s.open != nil {
		if err := commitBefore(ctx, s); err != nil {
			return nil, err
		}
	}
	s.statement.isOwn()
	base, err := s.Catalogue(ctx) // by which the statement was planned
	if err != nil {
		return nil, s.statement.note(err)
	}
	t := &transaction{s: s, level: txn.Serializable, began: time.Now()}
	tx, before := beginTxn(s, session.Characteristics{Level: txn.Serializable}, t.began)
	t.watch.Txn, t.watch.s, t.real, t.first = tx, s, &t.watch, before.First
	wait := definitionWait
	if s.lockWaitMillis > 0 {
		wait = time.Duration(s.lockWaitMillis) * time.Millisecond
	}
	t.change = s.gateway.store.NewChange(ctx, tx, base, wait)
	s.open = t
	ctx.SetTransaction(t)
	return t.change, nil
}

// commitBefore commits what is open before a definition. Should that be done again, what was
// committed is not.
func commitBefore(ctx *gms.Context, s *Session) error {
	begun := s.open.real != nil
	s.statement.defines() // there is more to come
	if err := s.commit(ctx); err != nil {
		return err
	}
	s.statement.beginsAnew()
	ctx.SetTransaction(nil)
	ctx.SetIgnoreAutoCommit(false)
	if begun && !s.statement.own {
		s.packet.lasting = true
		*s.before = stateOf(s)
	}
	return nil
}

// hasDefined is called when a definition has happened.
func hasDefined(s *Session, c *catalog.Change) {
	s.statement.defines()
	s.SetTransaction(nil)
	c.Committed()
	s.statement.sees(nil)
}

// undefine is called when the transaction is rolled back.
func (t *transaction) undefine() {
	if t.change != nil {
		t.change.RolledBack()
	}
}

// defines readies the session for a node that defines something, before the engine reads for it.
func (b *builder) defines(ctx *gms.Context, n gms.Node) error {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return nil
	}
	if _, ok := n.(*gmsplan.CreateForeignKey); !ok {
		return nil
	}
	return s.Alter(ctx, func(c *catalog.Change) error { return nil })
}

// renamesRule is the engine's name for the rule that says what may be altered.
const renamesRule = "ResolveAlterColumn"

// renamesUnderChecks lets a column be renamed that checks name: they follow it.
func renamesUnderChecks(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *gms.Context, a *analyzer.Analyzer, n gms.Node, scope *gmsplan.Scope, sel analyzer.RuleSelector, flags *gms.QueryFlags) (gms.Node, transform.TreeIdentity, error) {
		if !analyzer.FlagIsSet(flags, gms.QFlagAlterTable) {
			return apply(ctx, a, n, scope, sel, flags)
		}
		n, changed, err := transform.NodeWithOpaque(ctx, n, func(_ *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
			if r, ok := n.(*gmsplan.RenameColumn); ok && len(r.Checks()) > 0 {
				return r.WithChecks(nil), transform.NewTree, nil
			}
			return n, transform.SameTree, nil
		})
		if err != nil {
			return nil, transform.SameTree, err
		}
		n, same, err := apply(ctx, a, n, scope, sel, flags)
		return n, same && changed, err
	}
}

// alterDefault gives a column a default, or takes it away.
func alterDefault(ctx *gms.Context, db gms.Database, table gms.Node, column string, value *gms.ColumnDefaultValue) (gms.RowIter, error) {
	d, ok := databaseOf(db)
	named, is := table.(gms.Nameable)
	if !ok || !is {
		return nil, nil
	}
	t, ok, err := d.find(ctx, named.Name())
	if err != nil || !ok {
		return nil, err
	}
	schema := t.Descriptor().Schema.Schema
	at := schema.IndexOfColName(column)
	if at < 0 {
		return nil, gms.ErrTableColumnNotFound.New(t.Name(), column)
	}
	col := *schema[at] // the engine would change the one that all see
	col.Default = value
	if err := t.ModifyColumn(ctx, column, &col, nil); err != nil {
		return nil, err
	}
	return done(), nil
}

// createCheck adds a check that all rows pass, as they are at the end of the steps before it.
func (b *builder) createCheck(ctx *gms.Context, n *gmsplan.CreateCheck) (gms.RowIter, error) {
	d, ok := databaseOf(n.Database())
	s, is := ctx.Session.(*Session)
	if !ok || !is {
		return nil, nil
	}
	if _, err := beginChange(ctx, s); err != nil {
		return nil, err
	}
	t, ok, err := d.find(ctx, n.Table.Name())
	if err != nil || !ok {
		return nil, err
	}
	if err := holds(ctx, t, n.Check); err != nil {
		return nil, err
	}
	check, err := gmsplan.NewCheckDefinition(ctx, n.Check, gms.DefaultMySQLSchemaFormatter)
	if err != nil {
		return nil, err
	}
	if check.Name == "" {
		check.Name = freeCheckName(t.Descriptor().Record)
	}
	if err := t.CreateCheck(ctx, check); err != nil {
		return nil, err
	}
	return done(), nil
}

func freeCheckName(r *catalog.Record) string {
	for n := 1; ; n++ {
		name, taken := fmt.Sprintf("%s_chk_%d", r.Name, n), false
		for _, c := range r.Checks {
			taken = taken || strings.EqualFold(c.Name, name)
		}
		if !taken {
			return name
		}
	}
}

// holds fails if a row of the table does not pass the check.
func holds(ctx *gms.Context, t *enginetable.Table, check *gms.CheckConstraint) error {
	if check.IsNotValid || !check.Enforced {
		return nil
	}
	schema := t.Descriptor().Schema.Schema
	expr, _, err := transform.Expr(ctx, check.Expr, func(_ *gms.Context, e gms.Expression) (gms.Expression, transform.TreeIdentity, error) {
		f, ok := e.(*expression.GetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		at := schema.IndexOfColName(f.Name())
		if at < 0 {
			return nil, transform.SameTree, gms.ErrColumnNotFound.New(f.Name())
		}
		return f.WithIndex(at), transform.NewTree, nil
	})
	if err != nil {
		return err
	}
	rows, err := t.ForWrite().Read(ctx, table.All(t.Descriptor()))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if ok, err := gms.EvaluateCondition(ctx, expr, row); err != nil {
			return err
		} else if gms.IsFalse(ok) {
			return gms.ErrCheckConstraintViolated.New(check.Name)
		}
	}
	return nil
}
