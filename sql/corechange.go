package sql

import (
	"context"
	"errors"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	vtquery "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/change"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/plan"
	"isochron/sql/table"
)

// The SQL core's door for INSERT, REPLACE, UPDATE and DELETE of one table. One that names all its rows by their keys and is a
// transaction of its own is done in one request to the gateway; the simplest of them have a faster way (pointupdate.go).

// changePlan executes a change by the SQL core.
type changePlan struct {
	plan       *change.Plan
	parameters map[string]*vtquery.BindVariable
	bound      bool // its types are those of these values
}

func (*changePlan) kind() planKind { return coreKind }

func (p *changePlan) counter() string {
	switch p.plan.Kind {
	case bind.Inserts:
		return "Com_insert"
	case bind.Replaces:
		return "Com_replace"
	case bind.Deletes:
		return "Com_delete"
	}
	return "Com_update"
}

// mayChangeByCore reports whether a text may be a change that the core executes.
func mayChangeByCore(s *Session, text string) bool {
	return changesRows(text) && s.Chosen().Path == pathAuto && s.coreSettings().usable && (s.open == nil || s.open.change == nil) && !readsOnly(s)
}

// changesRows reports whether a text is an INSERT, REPLACE, UPDATE or DELETE.
func changesRows(text string) bool {
	switch table.FirstWord(text) {
	case "with":
		if !parse.ChangesBehindWith(text) {
			return false
		}
		fallthrough
	case "insert", "replace", "update", "delete":
		return true
	}
	return false
}

// change is the core's plan of a statement that changes rows; nil: it has none. t is what the session knows of the text;
// nil: nothing.
func (x *execution) change(ctx context.Context, t *text) (Plan, error) {
	s := x.s
	if x.tried[coreKind] || !mayChangeByCore(s, x.text) {
		return nil, nil
	}
	if t != nil {
		if t.core.refused {
			return nil, nil
		}
	}
	parameters, types, ok := x.coreParameters()
	if !ok {
		return nil, nil
	}
	if t == nil && s.coreRefused.has(s, x.text) {
		return nil, nil
	}
	keyed := x.text
	if t != nil {
		if p := t.core.changes[types]; p != nil {
			return &changePlan{plan: p.plan, parameters: parameters}, nil
		}
		keyed = strings.TrimPrefix(x.request.key(), textKey)
	}
	p, err := compileChange(ctx, s, x.text, keyed, parameters)
	if err != nil {
		return nil, err
	}
	switch {
	case p == nil && t == nil:
		s.coreRefused.add(x.text)
		return nil, nil
	case p == nil:
		t.core.refused = true
		return nil, nil
	case t != nil && !p.bound && len(t.core.changes) < variantsMax:
		if t.core.changes == nil {
			t.core.changes = map[string]*changePlan{}
		}
		t.core.changes[types] = p
		if !p.plan.Relates() {
			t.direct = newDirect(plan.DirectOf(x.h.g.store, p.plan.Change), &x.request)
		}
		x.h.g.directs.put(t.sharing(x.request.key(), s.Client(), s.Summed()), t.direct)
	}
	return p, nil
}

// compileChange compiles a change; nil, nil: it is not for the core. keyed is its text with arguments in the place of values.
func compileChange(ctx context.Context, s *Session, text, keyed string, parameters map[string]*vtquery.BindVariable) (*changePlan, error) {
	if len(text) > changeTextMax {
		return nil, nil
	}
	if err := checkSize(s.quiet, text, gms.LoadSqlMode(s.quiet).ParserOptions()); err != nil {
		return nil, err
	}
	tree := parse.Change(keyed)
	if tree == nil {
		return nil, nil
	}
	tree, ok := typed(tree, parameters)
	if !ok {
		return nil, nil
	}
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return nil, nil
	}
	if err := checkSets(s, tree); err != nil {
		return nil, err
	}
	b, err := bind.ChangeOf(tree, bind.Scope{
		Table: coreLookup(s, snap), View: coreViews(s, snap), Virtual: coreVirtual(ctx, s, snap), FullGroup: s.coreSettings().fullGroup,
	})
	if err != nil {
		return nil, lastingError(err)
	}
	for _, d := range changedTables(b) {
		if !mayChange(s, d, changeNeeds(tree)) {
			return nil, nil
		}
	}
	if b.Query != nil {
		if err := checkTables(s, b.Query); err != nil {
			return nil, err
		}
	}
	c := coreContext(ctx, s)
	c.Parameters = parameters
	p, err := change.Compile(c, snap, b)
	if err != nil {
		return nil, lastingError(err)
	}
	return &changePlan{p, parameters, c.Bound()}, nil
}

// preparesChange reports whether the core can execute a change that the engine cannot prepare. Its parameters are taken for
// texts until their values come.
func preparesChange(ctx context.Context, s *Session, query string, parameters int) bool {
	if !mayChangeByCore(s, query) || s.interruption.Reason() != nil {
		return false
	}
	p, err := compileChange(ctx, s, query, query, textParameters(parameters))
	return p != nil && err == nil
}

// changeTextMax bounds the texts of changes for the core: rows of values do not nest.
const changeTextMax = 1 << 20

// changedTables are the tables that a change changes.
func changedTables(b *bind.Change) []*catalog.Descriptor {
	out := []*catalog.Descriptor{b.Table}
	for _, t := range b.Targets {
		if !slices.Contains(out, t.Table) {
			out = append(out, t.Table)
		}
	}
	return out
}

// mayChange reports whether the session's user has privileges on a table.
func mayChange(s *Session, d *catalog.Descriptor, needs []string) bool {
	h := s.holder()
	return !slices.ContainsFunc(needs, func(need string) bool { return !h.HasOnTable(need, d.Record.Database, d.Record.Name) })
}

// mayNotice reports whether the session's user has a privilege on a table.
func mayNotice(s *Session, d *catalog.Descriptor) bool {
	h := s.holder()
	return slices.ContainsFunc([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX", "REFERENCES"}, func(need string) bool {
		return h.HasOnTable(need, d.Record.Database, d.Record.Name)
	})
}

// changeNeeds are the privileges that a change needs on the tables that it changes, besides that to read them: who has only some
// of them is judged by the engine.
func changeNeeds(tree sqlparser.Statement) (needs []string) {
	switch n := tree.(type) {
	case *sqlparser.Update:
		return append(needs, "UPDATE")
	case *sqlparser.Delete:
		return append(needs, "DELETE")
	case *sqlparser.Insert:
		needs = append(needs, "INSERT")
		if n.Action == sqlparser.ReplaceAct {
			needs = append(needs, "DELETE")
		}
		if len(n.OnDup) > 0 {
			needs = append(needs, "UPDATE")
		}
	}
	return needs
}

// Execute implements Plan.
func (p *changePlan) Execute(ctx context.Context, x *execution) error {
	s := x.s
	d := p.plan.Table
	s.statement.executesElsewhere()
	s.statement.changes(p.plan.Change)
	view := &changeView{coreView: coreView{s}}
	if !x.tried[pointPlan] && commitsAtOnce(s) {
		if done, err := p.inOneGo(ctx, x, view); done || err != nil {
			return err
		}
	}
	tx, err := s.use(ctx, d)
	if err != nil {
		return err
	}
	mark := tx.Savepoint()
	c := coreContext(ctx, s)
	c.Parameters, c.Session = p.parameters, view
	out, err := p.plan.Execute(ctx, change.Env{
		Clock: s.quiet, Context: c, Strict: s.coreSettings().strict, KeepsZero: s.coreSettings().keepsZero,
		Tx: tx, Store: s.gateway.store, Reader: newCoreReader(s, false, x), Memory: s.spillMemory(), Unchecked: s.coreSettings().unchecked, Weak: s.Weak(),
		Use:   func(ctx context.Context, d *catalog.Descriptor) error { _, err := s.use(ctx, d); return err },
		Hides: func(d *catalog.Descriptor) bool { return !mayNotice(s, d) },
	})
	if ctx.Err() != nil {
		return context.Cause(ctx) // a function may have ended of it with a value
	}
	if err != nil {
		var panicked *expr.Panic
		if errors.As(err, &panicked) {
			tx.RollbackTo(mark)
		}
		return x.otherwise(coreError(err), 0)
	}
	showCoreWarnings(s, c)
	s.texts.describe(x.describedAs(), nil)
	r := p.answered(s, out, view, c)
	if x.below != nil {
		x.result = *r
		return nil
	}
	return x.yield(r, false)
}

// inOneGo executes the change in one request to the gateway; false: it is to be executed as others are.
func (p *changePlan) inOneGo(ctx context.Context, x *execution, view *changeView) (done bool, err error) {
	k := p.keyed(ctx, x.s, view)
	if k == nil {
		return false, nil
	}
	all := join(k)
	if all == nil {
		return false, nil
	}
	if done, err := all.execute(ctx, x); err != nil || !done {
		return false, err
	}
	x.s.texts.describe(x.describedAs(), nil)
	x.result, x.whole = *k.answer(x), true
	return true, nil
}

// answered is the answer to the client, which the session notes for later questions.
func (p *changePlan) answered(s *Session, out change.Outcome, view *changeView, c *expr.Context) *sqltypes.Result {
	list, more := c.Warnings()
	r := &sqltypes.Result{Info: p.plan.Info(out, len(list)+more), InsertID: out.InsertID}
	if view.set && out.Generated == 0 {
		r.InsertID = view.LastInsertID()
	}
	if p.plan.Kind == bind.Updates {
		_, affected := countedRows(s, out.Matched, out.Changed)
		r.RowsAffected = uint64(affected)
		return r
	}
	touched := out.Updated
	if p.plan.Kind == bind.Inserts {
		if touched += out.Updated; s.Client().Capabilities&mysql.CapabilityClientFoundRows != 0 {
			touched = out.Updated + out.Touched
		}
	}
	r.RowsAffected = uint64(out.Changed + touched)
	last := s.GetLastQueryInfo()
	last.RowCount.Store(int64(r.RowsAffected))
	if out.Generated > 0 {
		last.LastInsertId.Store(int64(out.Generated))
	}
	return r
}

// changeView is the session as the functions of a change see it.
type changeView struct {
	coreView
	set bool // LAST_INSERT_ID(n) was called
}

// SetLastInsertID implements expr.Session.
func (v *changeView) SetLastInsertID(n uint64) {
	v.set = true
	v.coreView.SetLastInsertID(n)
}
