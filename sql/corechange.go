package sql

import (
	"context"
	"errors"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	vtquery "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/account"
	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/change"
	"isochron/sql/dialect"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/plan"
	"isochron/sql/table"
	"isochron/sql/wire"
)

// The SQL core's door for INSERT, REPLACE, UPDATE and DELETE. One that names all its rows by their keys and is a
// transaction of its own is done in one request to the gateway; the simplest of them have a faster way (pointupdate.go).

// changePlan executes a change by the SQL core.
type changePlan struct {
	plan       *change.Plan
	parameters map[string]*vtquery.BindVariable
	bound      bool      // its types are those of these values
	returns    *corePlan // how rows of RETURNING are sent; nil: there are none
}

// with is the plan with these values.
func (p *changePlan) with(parameters map[string]*vtquery.BindVariable) *changePlan {
	out := *p
	out.parameters = parameters
	return &out
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
	return changesRows(text) && (s.open == nil || s.open.change == nil)
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
	text, rest := x.text, ""
	if x.several {
		text, rest = dialect.First(text, s.coreSettings().reads.AnsiQuotes)
	}
	parameters, types, ok := x.coreParameters()
	if !ok {
		return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to EXECUTE")
	}
	keyed := text
	if t != nil {
		if p := t.core.changes[types]; p != nil {
			return p.with(parameters), nil
		}
		keyed = strings.TrimPrefix(x.request.key(), textKey)
	} else if x.prepare == nil {
		parameters = nil
	}
	p, err := compileChange(ctx, s, text, keyed, parameters)
	if err != nil {
		return nil, err
	}
	if p != nil {
		x.rest = rest
	}
	switch {
	case p == nil:
		return nil, nil
	case t != nil && !p.bound && len(t.core.changes) < variantsMax:
		if t.core.changes == nil {
			t.core.changes = map[string]*changePlan{}
		}
		t.core.changes[types] = p
		if !p.plan.Relates() {
			t.direct = newDirect(plan.DirectOf(p.plan.Change), &x.request)
		}
		if !s.temporary.Any() {
			x.h.g.directs.put(t.sharing(x.request.key(), s.Client(), s.Summed()), t.direct)
		}
	}
	return p, nil
}

// compileChange compiles a change; nil, nil: the text is no change. keyed is its text with arguments in the place of values.
func compileChange(ctx context.Context, s *Session, text, keyed string, parameters map[string]*vtquery.BindVariable) (*changePlan, error) {
	if err := checkSize(s.quiet, text, gms.LoadSqlMode(s.quiet).ParserOptions()); err != nil {
		return nil, err
	}
	of, err := parse.ReadChange(keyed, s.coreSettings().reads)
	if err != nil {
		return nil, coreError(err)
	}
	if of == nil {
		return nil, nil
	}
	return compileChangeTree(ctx, s, text, of, parameters)
}

// compileChangeTree compiles a change that was parsed.
func compileChangeTree(ctx context.Context, s *Session, text string, of *parse.Change, parameters map[string]*vtquery.BindVariable) (*changePlan, error) {
	set := s.coreSettings()
	for _, tree := range of.Trees() {
		if err := set.refuses(s, tree); err != nil {
			return nil, coreError(err)
		}
		if err := checkSets(s, tree); err != nil {
			return nil, err
		}
	}
	if of = typedChange(of, parameters); of == nil {
		return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to EXECUTE")
	}
	if of.Returning != nil {
		of.Texts = parse.ReturningTexts(text)
	}
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	p, err := bindChange(ctx, s, snap, of, parameters)
	if mayBeStale(err) {
		newer, changed, failed := s.statement.reload(ctx, s.gateway.store)
		if failed != nil {
			return nil, failed
		}
		if changed {
			p, err = bindChange(ctx, s, newer, of, parameters)
		}
	}
	var e *bind.Elsewhere
	if errors.As(err, &e) {
		return nil, notHere(s, snap, e)
	}
	if err != nil {
		return nil, queryError(s, err)
	}
	return p, nil
}

// bindChange binds and plans a change by a catalogue.
func bindChange(ctx context.Context, s *Session, snap *catalog.Snapshot, of *parse.Change, parameters map[string]*vtquery.BindVariable) (*changePlan, error) {
	needs := changeNeeds(of.Tree)
	lookup := &changeTables{s: s, read: coreLookup(s, snap), needs: needs}
	b, err := bind.ChangeOf(of, bind.Scope{
		Table: lookup.table, View: coreViews(s, snap), Virtual: coreVirtual(ctx, s, snap), Missing: missing(s, snap),
		FullGroup: s.coreSettings().fullGroup, Alone: s.statement.own,
	})
	if lookup.denied != nil {
		return nil, lookup.denied
	}
	if readsOnly(s) {
		return nil, errReadOnlyTransaction
	}
	if err != nil {
		return nil, err
	}
	if err := lookup.permits(b); err != nil {
		return nil, err
	}
	for _, q := range []*bind.Query{b.Query, b.Returned} {
		if q == nil {
			continue
		}
		if err := checkTables(s, q); err != nil {
			return nil, err
		}
		if err := s.coreSettings().refusesColumns(q); err != nil {
			return nil, err
		}
	}
	c := coreContext(ctx, s)
	c.Parameters = parameters
	p, err := change.Compile(c, snap, b)
	if err != nil {
		return nil, err
	}
	out := &changePlan{plan: p, parameters: parameters, bound: c.Bound()}
	if of := p.Fields(); of != nil {
		fields := fieldsOf(s, of)
		out.returns = &corePlan{fields: fields, of: of, columns: wire.NewColumns(wireColumns(fields))}
	}
	return out, nil
}

// notHere is the error of a change of a table that is at sources, or the server's own.
func notHere(s *Session, snap *catalog.Snapshot, e *bind.Elsewhere) error {
	if t, ok := snap.ForeignTable(e.Database, e.Table); ok {
		return errNotHere(t)
	}
	if equalFold(e.Database, "mysql") {
		return account.ErrUserTables
	}
	h := s.holder()
	return h.DeniedDatabase(e.Database)
}

// errReadOnlyTransaction is the error of a change in a transaction that reads only.
var errReadOnlyTransaction = mysql.NewSQLError(codeReadOnly, "25006", "Cannot execute statement in a READ ONLY transaction.")

// typedChange has the types of their values in the arguments; nil: one has none.
func typedChange(of *parse.Change, parameters map[string]*vtquery.BindVariable) *parse.Change {
	out, ok := *of, false
	if out.Tree, ok = typed(of.Tree, parameters); !ok {
		return nil
	}
	if of.Returning != nil {
		if out.Returning, ok = typed(of.Returning, parameters); !ok {
			return nil
		}
	}
	return &out
}

// prepareChange describes the columns of what a change yields; nil: it has no rows. Its parameters are taken for texts until their
// values come.
func prepareChange(ctx context.Context, s *Session, query string, parameters int) ([]*querypb.Field, error) {
	p, err := compileChange(ctx, s, query, query, textParameters(parameters))
	switch {
	case err != nil && namesSources(ctx, s, query):
		return nil, nil // its sources may execute it
	case p == nil || err != nil:
		return nil, err
	}
	return p.fields(), nil
}

// fields are those of the answer; nil: it has no rows.
func (p *changePlan) fields() []*querypb.Field {
	if p.returns == nil {
		return nil
	}
	return p.returns.fields
}

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

// changeTables finds the tables of a change: those that its user may read, or may do to what it does.
type changeTables struct {
	s      *Session
	read   bind.Lookup
	needs  []string
	asked  bool                  // for the first: the table that an insertion inserts into
	denied error                 // the first was denied
	unread []*catalog.Descriptor // that the user may not read
}

// table implements bind.Lookup.
func (t *changeTables) table(database, name string) (*catalog.Descriptor, bool) {
	first := !t.asked
	t.asked = true
	d, ok := t.read(database, name)
	if ok || d == nil {
		return d, ok
	}
	h := t.s.holder()
	if !slices.ContainsFunc(t.needs, func(need string) bool { return h.HasOnTable(need, d.Record.Database, d.Record.Name) }) {
		if first {
			t.denied = h.DeniedTable(t.needs[0], d.Record.Name)
		}
		return d, false
	}
	t.unread = append(t.unread, d)
	return d, true
}

// permits is the error of a privilege that the user lacks.
func (t *changeTables) permits(b *bind.Change) error {
	h := t.s.holder()
	for _, d := range changedTables(b) {
		if d.Temporary() {
			continue
		}
		for _, need := range t.needs {
			if !h.HasOnTable(need, d.Record.Database, d.Record.Name) {
				return h.DeniedTable(need, d.Record.Name)
			}
		}
	}
	for _, d := range t.unread {
		if b.Reads(d) {
			return h.DeniedTable("SELECT", d.Record.Name)
		}
	}
	return nil
}

// mayNotice reports whether the session's user has a privilege on a table.
func mayNotice(s *Session, d *catalog.Descriptor) bool {
	h := s.holder()
	return slices.ContainsFunc([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX", "REFERENCES"}, func(need string) bool {
		return h.HasOnTable(need, d.Record.Database, d.Record.Name)
	})
}

// changeNeeds are the privileges that a change needs on the tables that it changes, besides that to read what it reads of them.
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
	if readsOnly(s) {
		return errReadOnlyTransaction
	}
	s.statement.yieldsFresh()
	s.statement.changes(p.plan.Change)
	view, env := &changeView{coreView: coreView{s}}, p.env(x)
	if !x.tried[pointPlan] && !x.several && commitsAtOnce(s) {
		var done bool
		var err error
		if p.plan.MayBeUnread() {
			done, err = p.insertUnread(ctx, x, view, &env)
		} else {
			done, err = p.inOneGo(ctx, x, view)
		}
		if done || err != nil {
			return err
		}
	}
	tx, err := s.use(ctx, d)
	if err != nil {
		return err
	}
	c := coreContext(ctx, s)
	c.Parameters, c.Session = p.parameters, view
	env.Tx, env.Context, env.Weak = tx, c, s.Weak() // of the transaction, which has begun
	out, err := p.plan.Execute(ctx, env)
	if ctx.Err() != nil {
		return context.Cause(ctx) // a function may have ended of it with a value
	}
	if err != nil {
		return x.coreFailed(err)
	}
	showCoreWarnings(s, c)
	r := p.answered(s, out, view, c)
	if p.returns != nil {
		return x.returnRows(p.returns, out.Returned)
	}
	if x.below != nil {
		x.result = *r
		return nil
	}
	return x.yield(r, x.rest != "")
}

// env is what an execution needs of the session, without its transaction and whether that is weak.
func (p *changePlan) env(x *execution) change.Env {
	s := x.s
	set := s.coreSettings()
	return change.Env{
		Clock: s.quiet, Strict: set.strict, KeepsZero: set.keepsZero, Unchecked: set.unchecked,
		Store: s.gateway.store, Reader: newCoreReader(s, false, x), Memory: s.spillMemory(),
		Use:   func(ctx context.Context, d *catalog.Descriptor) error { _, err := s.use(ctx, d); return err },
		Hides: func(d *catalog.Descriptor) bool { return !mayNotice(s, d) },
	}
}

// returnRows answers with the rows of RETURNING.
func (x *execution) returnRows(p *corePlan, rows [][]expr.Value) error {
	if err := x.yieldRows(p, p.fields, rows); err != nil {
		return err
	}
	setFlags(x.s, x.c)
	if x.below != nil {
		x.describe(p, p.fields)
		return nil
	}
	return x.yield(&sqltypes.Result{Fields: p.fields}, x.rest != "")
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
