package sql

import (
	"context"
	"errors"
	"strings"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	vtsqltypes "vitess.io/vitess/go/sqltypes"
	vtquery "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/rounds"
	"isochron/sql/table"
	"isochron/sql/wire"
)

// The SQL core's door: a query is parsed, bound, planned and executed by packages of ours. What it does not execute is refused
// (package refused).

// corePlan executes a statement by the SQL core.
type corePlan struct {
	plan       *rounds.Plan
	fields     []*querypb.Field
	of         []rounds.Field // of fields
	parameters map[string]*vtquery.BindVariable
	columns    *wire.Columns // the fields as they are sent
	into       []string      // user variables that take its only row; nil: the client does
	sets       bool          // SET has the variables: no row is counted
	bound      bool          // its types are those of these values
}

// kind implements Plan.
func (*corePlan) kind() planKind { return coreKind }

// counter implements Plan.
func (*corePlan) counter() string { return "Com_select" }

// coreTexts are the plans of one text, by the types of its values.
type coreTexts struct {
	refused bool // it is not for the core
	plans   map[string]*corePlan
	changes map[string]*changePlan
}

// some reports whether there is a plan.
func (c *coreTexts) some() bool { return !c.refused && len(c.plans)+len(c.changes) > 0 }

// core is the core's plan of the statement; nil: it has none. t is what the session knows of the text; nil: nothing.
func (x *execution) core(ctx context.Context, t *text) (Plan, error) {
	s := x.s
	if t != nil && t.core.refused || !mayUseCore(s, x.text) {
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
	if t != nil {
		if p := t.core.plans[types]; p != nil {
			return p.with(parameters), nil
		}
	}
	keyed := text
	if t != nil {
		keyed = strings.TrimPrefix(x.request.key(), textKey)
	} else if x.prepare == nil {
		parameters = nil
	}
	p, err := compileCore(ctx, s, text, keyed, parameters)
	if err != nil {
		return nil, err
	}
	if p == nil {
		if t != nil {
			t.core.refused = true
		}
		return nil, nil
	}
	x.rest = rest
	if t == nil || p.bound || len(t.core.plans) >= variantsMax {
		return p, nil // for this execution only
	}
	if t.core.plans == nil {
		t.core.plans = map[string]*corePlan{}
	}
	t.core.plans[types] = p
	return p, nil
}

// knownCore is the core's plan of a statement of which it has made one before for such values; nil: it has not.
func (x *execution) knownCore(t *text) Plan {
	if t == nil || x.tried[coreKind] || !t.core.some() {
		return nil
	}
	parameters, types, ok := x.coreParameters()
	if !ok {
		return nil
	}
	if p := t.core.plans[types]; p != nil && mayUseCore(x.s, x.text) {
		return p.with(parameters)
	}
	if p := t.core.changes[types]; p != nil && mayChangeByCore(x.s, x.text) {
		return p.with(parameters)
	}
	return nil
}

// with is the plan with these values.
func (p *corePlan) with(parameters map[string]*vtquery.BindVariable) *corePlan {
	out := *p
	out.parameters = parameters
	return &out
}

// mayUseCore reports whether the core may be asked for a statement of the session.
func mayUseCore(s *Session, text string) bool {
	return queryWords[table.FirstWord(text)]
}

// queryWords are those that a query begins with, past brackets.
var queryWords = map[string]bool{"select": true, "with": true, "values": true, "table": true}

// coreParameters are the statement's values by the names that the parser gives them, and a text that tells their types
// apart.
func (r *request) coreParameters() (values map[string]*vtquery.BindVariable, types string, ok bool) {
	switch {
	case r.prepare == nil:
		return takenParameters(r.taken)
	case r.sent != nil:
		values, types = sentParameters(r.sent)
		return values, types, true
	}
	values = make(map[string]*vtquery.BindVariable, len(r.prepare.BindVars))
	var key strings.Builder
	for i := range len(r.prepare.BindVars) {
		bv := r.prepare.BindVars[paramName(i)]
		if bv == nil {
			return nil, "", false
		}
		v := &vtquery.BindVariable{Type: parameterType(vtsqltypes.Type(bv.Type), bv.Value), Value: bv.Value}
		if sent := r.prepare.ParamsType; i < len(sent) && querypb.Type(sent[i]) == querypb.Type_DECIMAL && vtsqltypes.IsText(v.Type) && isDecimal(v.Value) {
			v.Type = vtsqltypes.Decimal // the library has it as bytes
		}
		if sent := r.prepare.ParamsType; i < len(sent) && isBlob(querypb.Type(sent[i])) && vtsqltypes.IsText(v.Type) {
			v.Type = vtsqltypes.VarBinary
		}
		values[paramName(i)] = v
		key.WriteString(parameterKey(v))
	}
	return values, key.String(), true
}

// isBlob reports whether a parameter was sent as bytes: the library has the types of text for all that are.
func isBlob(t querypb.Type) bool { return t == querypb.Type_BLOB || t == querypb.Type_TEXT }

// compileCore compiles a query; nil, nil: the text is no query. keyed is its text with arguments in the place of values.
func compileCore(ctx context.Context, s *Session, text, keyed string, parameters map[string]*vtquery.BindVariable) (*corePlan, error) {
	if err := checkSizeOf(s, text); err != nil {
		return nil, err
	}
	tree, err := parse.Read(keyed, s.coreSettings().reads)
	if err != nil {
		if !parse.IsQuery(text) {
			return nil, nil
		}
		return nil, coreError(err)
	}
	if tree == nil {
		return nil, nil
	}
	return compileTree(ctx, s, text, tree, parameters)
}

// compileTree compiles a query that was parsed.
func compileTree(ctx context.Context, s *Session, text string, tree sqlparser.TableStatement, parameters map[string]*vtquery.BindVariable) (*corePlan, error) {
	if err := s.coreSettings().refuses(s, tree); err != nil {
		return nil, coreError(err)
	}
	if err := checkSets(s, tree); err != nil {
		return nil, err
	}
	tree, ok := typed(tree, parameters)
	if !ok {
		return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to EXECUTE")
	}
	tree, into, err := intoVariables(tree)
	if err != nil {
		return nil, coreError(err)
	}
	tree, assigns := expr.Assigned(tree)
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	p, err := bindCore(ctx, s, snap, tree, parse.Texts(text, tree), parameters)
	if mayBeStale(err) {
		newer, changed, failed := s.statement.reload(ctx, s.gateway.store)
		if failed != nil {
			return nil, failed
		}
		if changed {
			p, err = bindCore(ctx, s, newer, tree, parse.Texts(text, tree), parameters)
		}
	}
	if err != nil {
		return nil, queryError(s, err)
	}
	if into != nil && len(into) != len(p.fields) {
		return nil, mysql.NewSQLError(1222, "21000", "The used SELECT statements have a different number of columns")
	}
	p.into = into
	// Variables have the types of now; what a query may lock depends on its transaction.
	p.bound = p.bound || assigns || strings.Contains(strings.ToLower(text), "locked")
	return p, nil
}

// checkSizeOf refuses a text that is too deep or has too many tokens.
func checkSizeOf(s *Session, text string) error {
	return checkSize(s.quiet, text, gms.LoadSqlMode(s.quiet).ParserOptions())
}

// bindCore binds and plans a query by a catalogue.
func bindCore(ctx context.Context, s *Session, snap *catalog.Snapshot, tree sqlparser.TableStatement, texts bind.Texts, parameters map[string]*vtquery.BindVariable) (*corePlan, error) {
	c := coreContext(ctx, s)
	c.Parameters = parameters
	q, err := bind.Bind(tree, bind.Scope{
		Table: coreLookup(s, snap), View: coreViews(s, snap), Virtual: coreVirtual(ctx, s, snap), Missing: missing(s, snap),
		FullGroup: s.coreSettings().fullGroup, Texts: texts, Alone: s.statement.own,
	})
	if err != nil {
		return nil, err
	}
	if err := checkTables(s, q); err != nil {
		return nil, err
	}
	if err := s.coreSettings().refusesColumns(q); err != nil {
		return nil, err
	}
	plan, err := rounds.Compile(c, q)
	if err != nil {
		return nil, err
	}
	fields := coreFields(s, plan)
	return &corePlan{plan: plan, fields: fields, of: plan.Fields(), parameters: parameters, columns: wire.NewColumns(wireColumns(fields)), bound: c.Bound()}, nil
}

// typed returns the tree with the types of their values in its arguments; false: one has none.
func typed[T sqlparser.Statement](tree T, parameters map[string]*vtquery.BindVariable) (_ T, ok bool) {
	ok = true
	out := sqlparser.CopyOnRewrite(tree, nil, func(c *sqlparser.CopyOnWriteCursor) {
		switch n := c.Node().(type) {
		case *sqlparser.Argument:
			v := parameters[n.Name]
			switch {
			case v == nil:
				ok = false
			case v.Type == vtquery.Type_NULL_TYPE:
				c.Replace(&sqlparser.NullVal{})
			default:
				size, scale := digitsOf(v)
				c.Replace(&sqlparser.Argument{Name: n.Name, Type: v.Type, Size: size, Scale: scale})
			}
		case sqlparser.ListArg:
			ok = ok && n == "" // VALUES ROW() has an empty one
		}
	}, nil)
	return out.(T), ok
}

// coreLookup finds the tables that the session's user may read, or has other privileges on.
func coreLookup(s *Session, snap *catalog.Snapshot, needs ...string) bind.Lookup {
	if len(needs) == 0 {
		needs = []string{"SELECT"}
	}
	current := s.GetCurrentDatabase()
	return func(database, name string) (*catalog.Descriptor, bool) {
		if database == "" {
			database = current
		}
		d, ok := snap.Table(database, name)
		if !ok {
			return nil, false
		}
		if d.Temporary() {
			return d, true
		}
		h := s.holder()
		for _, need := range needs {
			if !h.HasOnTable(need, d.Record.Database, d.Record.Name) {
				return d, false
			}
		}
		return d, true
	}
}

// prepareCore describes the columns of a query's answer. Its parameters are taken for texts until their values come.
func prepareCore(ctx context.Context, s *Session, query string, parameters int) (fields []*querypb.Field, err error) {
	p, err := compileCore(ctx, s, query, query, textParameters(parameters))
	switch {
	case err != nil && namesSources(ctx, s, query):
		return []*querypb.Field{}, nil // its sources may execute it
	case p == nil || err != nil:
		return nil, err
	case p.into != nil:
		return []*querypb.Field{}, nil
	}
	return p.fields, nil
}

// textParameters are parameters whose values are not known yet.
func textParameters(n int) map[string]*vtquery.BindVariable {
	values := make(map[string]*vtquery.BindVariable, n)
	for i := range n {
		values[paramName(i)] = &vtquery.BindVariable{Type: vtquery.Type_VARCHAR}
	}
	return values
}

// prepareBelow prepares a statement that was read below the wire library, and counts its parameters; false: the core does not
// execute it. err is the core's where it is the client's.
func prepareBelow(s *Session, query string) (fields []*querypb.Field, parameters int, ok bool, err error) {
	reads := s.coreSettings().reads
	if of, err := definitionOf(s, query); of != nil || err != nil {
		return nil, 0, of != nil, err
	}
	if len(treesOf(query, reads)) == 0 {
		return nil, 0, false, nil
	}
	parameters = parametersOf(query, reads)
	s.inside.Add(1)
	defer s.inside.Add(-1)
	ctx := s.interruption.Enter(context.Background(), time.Now(), true)
	defer s.interruption.Leave()
	beginStatement(s, 0)
	_ = s.gateway.accounts.Refresh(ctx)
	if s.interruption.Reason() != nil {
		return nil, 0, false, nil
	}
	fields, ok, err = prepareByCore(ctx, s, query, parameters)
	return fields, parameters, ok, err
}

// prepareByCore describes the columns of what a query or change yields; false: the text is neither.
func prepareByCore(ctx context.Context, s *Session, query string, parameters int) (fields []*querypb.Field, ok bool, err error) {
	switch {
	case changesRows(query):
		fields, err = prepareChange(ctx, s, query, parameters)
		return fields, err == nil, err
	case mayUseCore(s, query):
		fields, err = prepareCore(ctx, s, query, parameters)
		return fields, fields != nil, err
	}
	return nil, false, nil
}

// Execute implements Plan.
func (p *corePlan) Execute(ctx context.Context, x *execution) error {
	s := x.s
	s.statement.yieldsFresh()
	c := coreContext(ctx, s)
	c.Parameters = p.parameters
	ctx = exec.WithTurns(ctx, &s.place)
	from, err := p.plan.Execute(ctx, s.quiet, c, newCoreReader(s, p.plan.OneTable() && len(p.plan.Query.Marks) == 0, x), s.spillMemory())
	if err != nil {
		return x.coreFailed(err)
	}
	defer from.Close()
	if p.into != nil {
		return p.assign(ctx, x, c, from)
	}
	count, fields := int64(0), p.fields
	for {
		rows, err := from.Next(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx) // a function may have ended of it with a value
		}
		if err != nil {
			return x.coreFailed(err)
		}
		if rows == nil {
			break
		}
		if count == 0 {
			fields = valueFields(fields, rows)
		}
		count += int64(len(rows))
		setFlags(s, x.c)
		for len(rows) > 0 {
			n := s.fitting(rows)
			held := sentTimes * bytesOf(rows[:n])
			if err := s.account.Load().Charge(held); err != nil {
				return err
			}
			if err := x.yieldRows(p, fields, rows[:n:n]); err != nil {
				return err
			}
			s.account.Load().Release(held)
			rows = rows[n:]
		}
	}
	showCoreWarnings(s, c)
	info := s.GetLastQueryInfo()
	info.RowCount.Store(-1)
	info.FoundRows.Store(count)
	if found, ok := p.plan.Found(); ok {
		info.FoundRows.Store(found)
	}
	setFlags(s, x.c)
	if x.below != nil {
		x.describe(p, fields)
		return nil
	}
	return x.yield(&sqltypes.Result{Fields: fields}, false)
}

// sentTimes is how often rows are held until they are sent: as values and as a packet.
const sentTimes = 2

// fitting is how many of the rows, one at least, the statement may hold until they are sent.
func (s *Session) fitting(rows [][]expr.Value) int {
	left := s.account.Load().Left()
	for n := range rows {
		if left -= sentTimes * bytesOf(rows[n:n+1]); left < 0 {
			return max(n, 1)
		}
	}
	return len(rows)
}

// coreError is an error of the core as the wire sends it.
func coreError(err error) error {
	var e *expr.Error
	if errors.As(err, &e) {
		return mysql.NewSQLError(e.Code, e.State, "%s", e.Message)
	}
	return err
}

// coreFailed is the error of a statement that has failed: of a panic what the client is told of it.
func (x *execution) coreFailed(err error) error {
	var p *expr.Panic
	if errors.As(err, &p) {
		return x.h.g.logPanic(x.s, x.text, p.Reason, tracePlace(p.Stack))
	}
	return coreError(err)
}
