package sql

import (
	"context"
	"errors"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"isochron/sql/account"
	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/sql/foreign"
	"isochron/sql/table"
	"isochron/txn"
)

// Statements over tables that live at sources (package foreign): they are asked what they are
// before any other plan is chosen. Where the catalogue has no such table that is one look at
// a length; where it has some, a text is read once and what it is remembered with its plans.

const (
	codeReadOnly    = 1792
	codeNoSavepoint = 1305
	codeNull        = 1048 // a column that cannot be NULL
	codeNoDefault   = 1364 // a column without a default was given no value
)

// sourcePlan carries a statement out at sources.
type sourcePlan struct {
	st    *foreign.Statement
	plan  *foreign.Plan  // made already; nil: it is not
	last  bool           // no statement for a source follows it
	ahead *executedAhead // it was executed with one before it; nil: it was not
}

func (*sourcePlan) kind() planKind { return atSources }

func (p *sourcePlan) counter() string {
	switch p.st.Kind {
	case dialect.Insert:
		return "Com_insert"
	case dialect.Update:
		return "Com_update"
	case dialect.Delete:
		return "Com_delete"
	}
	return "Com_select"
}

// mayNameSources is the catalogue by which a text is to be asked whether it names tables at
// sources; nil: it need not be.
func (x *execution) mayNameSources(ctx context.Context) *catalog.Snapshot {
	snap := x.s.statement.snapshot
	if snap != nil && len(snap.Foreign) == 0 {
		return nil
	}
	switch table.FirstWord(x.text) {
	case "alter", "drop", "truncate", "rename", "create":
	default:
		if !readsOrChanges(x.text) {
			return nil
		}
	}
	if snap == nil {
		var err error
		if snap, err = x.s.Catalogue(ctx); err != nil || len(snap.Foreign) == 0 {
			return nil // if it cannot be read, whoever needs it says so
		}
	}
	return snap
}

// atSources is the plan of a statement all of which is done at sources; nil: it is for another
// plan. t is what the session knows of the text; nil: nothing.
func (x *execution) atSources(ctx context.Context, t *text) (Plan, error) {
	if p := x.aheadOf(); p != nil {
		return p, nil
	}
	if t != nil && t.native {
		return nil, nil
	}
	snap := x.mayNameSources(ctx)
	if snap == nil {
		return nil, nil
	}
	if p, err := x.written(t, snap); p != nil || err != nil {
		return p, err
	}
	s, text, rest := x.s, x.text, ""
	o := s.dialectOptions()
	if x.several {
		text, rest = dialect.First(x.text, o.AnsiQuotes)
	}
	if rest != "" && !x.tried[atSources] {
		r, err := writtenInPacket(ctx, s, text, snap, 0)
		if err != nil {
			return nil, err
		}
		if r.st != nil {
			x.rest = rest
			s.statement.names(r.st, r.args, false)
			return &sourcePlan{st: r.st, plan: r.plan, last: s.statement.own || r.st.Last || commits(rest, o)}, nil
		}
	}
	st, err := x.readForeign(t, text, snap, o)
	if err != nil || st == nil {
		return nil, err
	}
	if x.below != nil {
		return nil, errAbove
	}
	args, err := argsOf(x)
	if err != nil {
		return nil, err
	}
	s.statement.names(st, args, st.Plain(isTable(snap, s.GetCurrentDatabase())))
	if err := mayDoAtSources(s, st); err != nil {
		return nil, err
	}
	if !st.Foreign() && !st.WritesForeign() || x.tried[atSources] {
		return nil, nil
	}
	p := &sourcePlan{st: st, last: s.statement.own || st.Last}
	if x.several {
		p.last = p.last || commits(rest, o)
		x.rest = rest
	}
	return p, nil
}

// readForeign reads a statement; nil: it names no table at a source. What cannot be read is for
// the engine to refuse.
func (x *execution) readForeign(t *text, text string, snap *catalog.Snapshot, o dialect.Options) (*foreign.Statement, error) {
	if t != nil && t.foreign != nil && x.prepare != nil { // a text may have the key of a prepared statement
		return t.foreign, nil
	}
	s := x.s
	st, err := foreign.Read(text, foreignLookup(snap, s.GetCurrentDatabase()), o)
	if err != nil && !foreign.Mentions(text, snap) {
		return nil, nil
	}
	if t != nil && err == nil {
		t.native = st == nil
		if x.prepare != nil {
			t.foreign = st
		}
	}
	return st, err
}

// namesSources reports whether a text is a statement over tables at sources.
func namesSources(ctx context.Context, s *Session, text string) bool {
	snap, err := s.Catalogue(ctx)
	if err != nil || len(snap.Foreign) == 0 {
		return false
	}
	st, err := foreign.Read(text, foreignLookup(snap, s.GetCurrentDatabase()), s.dialectOptions())
	return err == nil && st != nil && (st.Foreign() || st.WritesForeign())
}

// foreignLookup finds tables at sources by the names of statements; current is the database of
// names without one.
func foreignLookup(snap *catalog.Snapshot, current string) foreign.Lookup {
	return func(database, table string) *catalog.ForeignTable {
		if database == "" {
			database = current
		}
		t, _ := snap.ForeignTable(database, table)
		return t
	}
}

// isTable tells tables from views.
func isTable(snap *catalog.Snapshot, current string) func(dialect.Name) bool {
	return func(n dialect.Name) bool {
		if n.Database == "" {
			n.Database = current
		}
		_, native := snap.Table(n.Database, n.Table)
		_, foreign := snap.ForeignTable(n.Database, n.Table)
		return native || foreign
	}
}

// mayUse is nil if an account holds what a statement needs on the tables at sources.
func mayUse(h *account.Holder, st *foreign.Statement) error {
	for _, u := range st.Needs() {
		if !h.HasOnTable(u.Privilege, u.Table.Database, u.Table.Name) {
			return h.DeniedTable(u.Privilege, u.Table.Name)
		}
	}
	return nil
}

// mayWrite is nil if a transaction may do what a statement does to tables at sources.
func mayWrite(readsOnly bool, st *foreign.Statement) error {
	if readsOnly && st.WritesForeign() {
		return errReadOnlyTransaction
	}
	return nil
}

// mayDoAtSources is nil if the user and the transaction of a session may do a statement.
func mayDoAtSources(s *Session, st *foreign.Statement) error {
	h := s.holder()
	if err := mayUse(&h, st); err != nil {
		return err
	}
	return mayWrite(readsOnly(s), st)
}

// Execute implements Plan.
func (p *sourcePlan) Execute(ctx context.Context, x *execution) error {
	s := x.s
	s.statement.yieldsFresh()
	if p.ahead != nil {
		s.packet.ahead = s.packet.ahead[1:]
		return x.answerAtSources(p.ahead.asked, p.ahead.results)
	}
	plan := p.plan
	if plan == nil {
		var err error
		if plan, err = planAtSources(s, p.st, s.statement.args, 0); errors.Is(err, foreign.ErrEngine) {
			return errOtherPlan
		} else if err != nil {
			return err
		}
	}
	var results []txn.SourceResult
	var err error
	if plan.Skipping != nil {
		plan, results, err = askSkipping(ctx, s, p.st, plan.Skipping)
	} else {
		results, err = p.ask(ctx, x, plan)
	}
	if err != nil {
		return changedSource(ctx, x.h.g.db, p.st, err)
	}
	return x.answerAtSources(plan, results)
}

// askSkipping asks the sources of a statement that skips locked rows, round by round.
func askSkipping(ctx context.Context, s *Session, st *foreign.Statement, k *foreign.Skipping) (*foreign.Plan, []txn.SourceResult, error) {
	for range foreign.SkipRoundsMax {
		next, err := k.Next()
		if err != nil {
			return nil, nil, err
		}
		if len(next) == 0 {
			plan, results := k.Done()
			return plan, results, nil
		}
		results, err := askSources(ctx, s, next, asking{of: st.Tables()})
		if err != nil {
			return nil, nil, err
		}
		bytes, err := k.Took(results, s.Zone())
		if err != nil {
			return nil, nil, err
		}
		if err := s.account.Load().Charge(bytes); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, mysql.NewSQLError(codeLockTimeout, "HY000", "Lock wait timeout exceeded; try restarting transaction (too many of the first rows are locked by others)")
}

// answerAtSources makes one answer of those of the sources.
func (x *execution) answerAtSources(plan *foreign.Plan, results []txn.SourceResult) error {
	s := x.s
	a, err := plan.Merge(results, s.Zone())
	if err != nil {
		return err
	}
	if account := s.account.Load(); account != nil {
		if err := account.Charge(a.Bytes()); err != nil {
			return err
		}
	}
	info := s.GetLastQueryInfo()
	if plan.Changes {
		info.RowCount.Store(int64(a.Affected))
		if a.InsertID != 0 {
			info.LastInsertId.Store(int64(a.InsertID))
		}
		if a.Fields == nil {
			return x.yield(&sqltypes.Result{RowsAffected: a.Affected, InsertID: a.InsertID}, x.rest != "")
		}
	} else {
		info.RowCount.Store(-1)
	}
	info.FoundRows.Store(int64(len(a.Rows)))
	setFlags(x.s, x.c)
	return x.yield(sourceResult(a), x.rest != "")
}

// sourceResult is an answer of sources as the engine's library sends it.
func sourceResult(a *foreign.Answer) *sqltypes.Result {
	out := &sqltypes.Result{Fields: make([]*querypb.Field, len(a.Fields)), Rows: make([][]sqltypes.Value, len(a.Rows)), RowsAffected: uint64(len(a.Rows))}
	for i, f := range a.Fields {
		out.Fields[i] = &querypb.Field{Name: f.Name, OrgName: f.OrgName, Type: querypb.Type(f.Type), Charset: f.Charset, ColumnLength: f.ColumnLength, Decimals: f.Decimals, Flags: f.Flags}
	}
	all := make([]sqltypes.Value, 0, len(a.Rows)*len(a.Fields))
	for i, row := range a.Rows {
		from := len(all)
		for _, v := range row {
			if v.IsNull() {
				all = append(all, sqltypes.NULL)
			} else {
				all = append(all, sqltypes.MakeTrusted(querypb.Type(v.Type()), v.Raw()))
			}
		}
		out.Rows[i] = all[from:len(all):len(all)]
	}
	return out
}

// planAtSources plans a statement in the session's transaction. At SERIALIZABLE it locks what it
// reads, even if it is its own transaction, and asks one source alone: that may show what one has
// written who read from another, whose decision it has heard of elsewhere and not yet here. first
// is the source that the transaction will have asked first, if it has asked none; 0: it is not known.
func planAtSources(s *Session, st *foreign.Statement, args []foreign.Arg, first txn.ShardID) (*foreign.Plan, error) {
	return st.Plan(args, foreign.Now{LastInsertID: uint64(s.GetLastQueryInfo().LastInsertId.Load()), Prefer: s.open.preferred(first), Share: locksReads(s), FoundRows: s.Client().Capabilities&mysql.CapabilityClientFoundRows != 0, Zone: s.ZoneName()})
}

// argsOf are the values of a prepared statement's placeholders.
func argsOf(x *execution) ([]foreign.Arg, error) {
	if x.prepare == nil {
		return nil, nil
	}
	args := make([]foreign.Arg, len(x.prepare.BindVars))
	for i := range args {
		v := x.prepare.BindVars[paramName(i)]
		switch {
		case v == nil:
			return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to EXECUTE")
		case v.Type == sqltypes.Null:
			args[i].Null = true
		default:
			args[i] = foreign.Arg{Text: v.Value, Number: sqltypes.IsIntegral(v.Type) || sqltypes.IsFloat(v.Type) || v.Type == sqltypes.Decimal, Float: sqltypes.IsFloat(v.Type)}
		}
	}
	return args, nil
}

// asking is how sources are asked.
type asking struct {
	last    bool // nothing for a source follows
	changes bool // rows are changed: if one of several statements fails, what the others did is undone
	commits bool // the transaction commits with it
	of      []*catalog.ForeignTable
}

// askSources sends statements to their sources in one round of the session's transaction.
func askSources(ctx context.Context, s *Session, statements []txn.SourceStatement, how asking) ([]txn.SourceResult, error) {
	if s.open == nil {
		s.openTransaction(gms.ReadWrite)
		s.SetTransaction(s.open)
	}
	if s.open.over != nil {
		return nil, s.statement.note(s.open.over)
	}
	s.open.begin()
	err := s.open.follow(how.of)
	if err == nil && how.commits {
		err = s.open.rulesHold(ctx)
	}
	if err != nil {
		return nil, s.statement.note(err)
	}
	if _, ok := unwatched(s.open.real).(txn.Sources); !ok {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "this gateway cannot ask sources")
	}
	if s.open.source == 0 {
		s.open.source = statements[0].Source
	}
	if f, ok := unwatched(s.open.real).(txn.Finishing); ok && how.last && (s.statement.own || how.commits) {
		results, err := s.open.watch.finish(ctx, f, statements)
		if err == nil {
			s.committed()
			s.SetTransaction(nil)
		}
		return results, err
	}
	return s.open.execute(ctx, statements, how)
}

// finish asks sources and commits: in one trip, if one source is all that is asked. If it is cut
// short after it was sent, what became of it may be unknown.
func (w *watched) finish(ctx context.Context, f txn.Finishing, statements []txn.SourceStatement) ([]txn.SourceResult, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.Txn.Stats()
	w.s.place.Pause()
	results, err := f.ExecuteAndCommit(ctx, statements)
	w.s.place.Resume()
	w.s.stats.Add(before, w.Txn.Stats())
	return results, w.s.statement.note(err)
}

// Execute asks sources, as txn.Sources does.
func (w *watched) Execute(ctx context.Context, statements []txn.SourceStatement, last bool) ([]txn.SourceResult, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.Txn.Stats()
	w.s.place.Pause()
	results, err := w.Txn.(txn.Sources).Execute(ctx, statements, last)
	w.s.place.Resume()
	w.s.stats.Add(before, w.Txn.Stats())
	if txn.KindOf(err) == txn.KindStatement {
		return results, err // the transaction lives
	}
	return results, w.s.statement.note(err)
}

// nullColumn is the column of a source's error that it cannot be NULL. A PostgreSQL has no other for
// one that was given no value.
func nullColumn(reason string) (column string, ok bool) {
	_, rest, ok := strings.Cut(reason, "Column '")
	if ok {
		column, _, ok = strings.Cut(rest, "' cannot be null")
	}
	return column, ok
}

// changedSource is an error of a statement at a source for the client. A source may lack what the
// catalogue has, and databases other than MySQL have one number for a lock that NOWAIT did not
// get and for one that was not granted in time.
func changedSource(ctx context.Context, db txn.DB, st *foreign.Statement, err error) error {
	var e *txn.Error
	if !errors.As(err, &e) || e.Fault == nil {
		return err
	}
	switch e.Fault.Code {
	case 1054, 1136, 1146: // a column, their number, a table
	case codeLockTimeout:
		if st.NoWait() {
			e.Fault = &txn.Fault{Code: codeNoWait, State: "HY000"}
		}
		return err
	case codeNull:
		if column, ok := nullColumn(e.Reason); ok && st.Kind == dialect.Insert && !st.Gives(column) {
			e.Fault, e.Reason = &txn.Fault{Code: codeNoDefault, State: "HY000"}, "Field '"+column+"' doesn't have a default value"
		}
		return err
	default:
		return err
	}
	for _, t := range st.Tables() {
		if what := changedAt(ctx, db, t); what != "" {
			// In place: it may have been noted as what ended the transaction.
			e.Reason = "Table definition has changed: " + what + ". CALL isochron.import_table or import_sharded_table again (" + e.Reason + ")"
			e.Fault = &txn.Fault{Code: codeTableStale, State: "HY000"}
			return e
		}
	}
	return err
}
