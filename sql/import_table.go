package sql

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/internal/renamed"
	"isochron/sql/account"
	"isochron/sql/catalog"
	"isochron/sql/foreign"
	"isochron/txn"
)

// Procedures of the system database import tables of sources into the catalogue and drop them from
// it. Clients cannot define procedures in this database.

// codeDeprecated is the warning ER_WARN_DEPRECATED_SYNTAX.
const codeDeprecated = 1287

// systemProcedure is a procedure of the system database.
type systemProcedure struct {
	least, most int    // number of arguments
	usage       string // the arguments, as error texts show them
	do          func(*tableImport, []string) ([]*catalog.Foreign, error)
	drops       bool // do returns the table to drop; otherwise tables to import
}

var procedures = map[string]systemProcedure{
	"import_table":           {1, 3, "import_table('source' [, 'database' [, 'table']])", (*tableImport).whole, false},
	"import_sharded_table":   {4, 5, "import_sharded_table('database.table', 'column', 'hash' or 'range', 'source,source,...' [, 'bound,...'])", (*tableImport).sharded, false},
	"import_broadcast_table": {2, 2, "import_broadcast_table('database.table', 'source,source,...')", (*tableImport).broadcast, false},
	"resolve":                {1, 1, "resolve('branch')", (*tableImport).resolve, false},
	"drop_imported_table":    {1, 1, "drop_imported_table('database.table')", (*tableImport).drop, true},
}

// renamedProcedures has the new name of each procedure that clients may also call by its old one, for
// one release. Such a call returns the warning 1287.
var renamedProcedures = renamed.Of(renamed.Procedure, "")

// importPlan returns the plan of a call of a system procedure.
func importPlan(call *sqlparser.Call, rest string) (Plan, error) {
	name, deprecated := call.ProcName.Name.Lowered(), ""
	if to := renamedProcedures[name]; to != "" {
		name, deprecated = to, name
	}
	p, ok := procedures[name]
	if !ok {
		return nil, mysql.NewSQLError(1305, "42000", "PROCEDURE %s.%s does not exist", systemDatabase, name)
	}
	var args []string
	for _, e := range call.Params {
		v, ok := e.(*sqlparser.SQLVal)
		if !ok || v.Type == sqlparser.ValArg {
			return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "CALL isochron.%s takes texts: %s", name, p.usage)
		}
		args = append(args, string(v.Val))
	}
	if len(args) < p.least || len(args) > p.most {
		return nil, mysql.NewSQLError(1318, "42000", "Incorrect number of arguments for PROCEDURE isochron.%s: %s", name, p.usage)
	}
	return &tableImport{p: p, name: name, deprecated: deprecated, args: args, rest: rest}, nil
}

// tableImport is the plan of a call of a system procedure.
type tableImport struct {
	p          systemProcedure
	name       string
	deprecated string // the old name by which the client called it; empty: the client used name
	args       []string
	rest       string // the statements after the call

	ctx  context.Context
	s    *Session
	has  map[string]*foreign.Source // the sources described so far, by name
	left []string                   // the tables left out, each with the reason
}

func (*tableImport) kind() planKind { return atSources }

func (*tableImport) counter() string { return "Com_call_procedure" }

// Execute implements Plan.
func (a *tableImport) Execute(ctx context.Context, x *execution) error {
	a.ctx, a.s, a.has = ctx, x.s, map[string]*foreign.Source{}
	x.rest = a.rest
	h := a.s.holder()
	if err := h.Holds(account.RightOf("CALL isochron.import_table").Needs); err != nil {
		return err
	}
	gctx, err := x.h.sm.NewContextWithQuery(ctx, x.c, x.text)
	if err != nil {
		return err
	}
	tables, err := a.p.do(a, a.args)
	if err != nil {
		return err
	}
	a.s.ClearWarnings()
	if a.deprecated != "" {
		a.s.Warn(&gms.Warning{Level: "Warning", Code: codeDeprecated, Message: fmt.Sprintf(
			"'isochron.%s' is deprecated and will be removed in a future release. Please use isochron.%s instead", a.deprecated, a.name)})
	}
	if len(tables) == 0 {
		return x.yield(&sqltypes.Result{}, x.rest != "")
	}
	err = a.s.Alter(gctx, func(c *catalog.Change) error {
		if a.p.drops {
			return c.Release(tables[0].Database, tables[0].Name)
		}
		return c.Adopt(tables)
	})
	if err != nil {
		return err
	}
	return x.yield(importResult(tables, a.warnings()), x.rest != "")
}

// importResult returns the result set of a call: a row per table, then a row per warning.
func importResult(tables []*catalog.Foreign, warnings []string) *sqltypes.Result {
	r := &sqltypes.Result{}
	for _, name := range []string{"table_schema", "table_name", "placement", "columns", "note"} {
		r.Fields = append(r.Fields, &querypb.Field{Name: name, Type: sqltypes.VarChar, Charset: mysql.CharacterSetUtf8, ColumnLength: 1024})
	}
	add := func(cells ...string) {
		row := make([]sqltypes.Value, len(cells))
		for i, c := range cells {
			row[i] = sqltypes.NewVarChar(c)
		}
		r.Rows = append(r.Rows, row)
	}
	for _, t := range tables {
		note := ""
		if len(t.Key) == 0 {
			note = "it has no primary key"
		}
		add(t.Database, t.Name, foreign.Describe(t), strconv.Itoa(len(t.Columns)), note)
	}
	for _, w := range warnings {
		add("", "", "", "", w)
	}
	r.RowsAffected = uint64(len(r.Rows))
	return r
}

// source returns the tables of a source, as the source describes them.
func (a *tableImport) source(name string) (*foreign.Source, error) {
	if s := a.has[name]; s != nil {
		return s, nil
	}
	known, ok := a.s.gateway.db.(txn.SourceCatalogue)
	if !ok {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "this gateway knows no sources")
	}
	var names []string
	for _, e := range known.Sources() {
		names = append(names, e.Name)
		if e.Name != name {
			continue
		}
		schema, err := known.DescribeSource(a.ctx, e.ID)
		if err != nil {
			return nil, err
		}
		a.has[name] = &foreign.Source{SourceEntry: e, SourceSchema: schema}
		return a.has[name], nil
	}
	if len(names) == 0 {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "there is no source %s: this cluster has none", name)
	}
	return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "there is no source %s: there are %s", name, strings.Join(names, ", "))
}

// warnings returns the tables left out and the warnings of the sources described.
func (a *tableImport) warnings() (out []string) {
	for _, s := range a.has { // order: sorted below
		for _, w := range s.Warnings {
			out = append(out, "source "+s.Name+": "+w)
		}
	}
	slices.Sort(out)
	return append(a.left, out...)
}

// whole imports one table, or all tables, of one source.
func (a *tableImport) whole(args []string) (out []*catalog.Foreign, err error) {
	database := a.s.GetCurrentDatabase()
	if len(args) > 1 {
		database = args[1]
	}
	if database == "" {
		return nil, mysql.NewSQLError(codeNoDatabase, "3D000", "No database selected: USE one, or name it: %s", a.p.usage)
	}
	from, err := a.source(args[0])
	if err != nil {
		return nil, err
	}
	var tables []*txn.SourceTable
	if len(args) == 3 {
		t, err := from.Find(args[2])
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	} else {
		for i := range from.Tables {
			t, err := from.Find(from.Tables[i].Name)
			if err != nil {
				return nil, err
			}
			tables = append(tables, t)
		}
	}
	if len(args) < 3 {
		tables = slices.DeleteFunc(tables, func(t *txn.SourceTable) bool {
			if t.Unfit != "" {
				a.left = append(a.left, "table "+t.Name+" is left out: "+t.Unfit)
			}
			return t.Unfit != ""
		})
	}
	if len(tables) == 0 && len(a.left) > 0 {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "source %s has no table that can be imported: %s", from.Name, a.left[0])
	}
	if len(tables) == 0 {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "source %s has no tables that its agent's account may read", from.Name)
	}
	if len(tables) > catalog.ForeignMax || from.More {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "source %s has more than the %d tables one call can import; import them one by one", from.Name, catalog.ForeignMax)
	}
	for _, t := range tables {
		f, err := foreign.Adopt(database, t.Name, foreign.Rule{How: catalog.SpreadWhole}, []*foreign.Source{from}, []*txn.SourceTable{t})
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// sharded imports one table whose rows are at several sources.
func (a *tableImport) sharded(args []string) ([]*catalog.Foreign, error) {
	rule := foreign.Rule{How: catalog.Spreading(strings.ToLower(args[2])), By: args[1]}
	if rule.How != catalog.SpreadHashed && rule.How != catalog.SpreadRanges {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "rows are placed by 'hash' or by 'range', not by '%s': %s", args[2], a.p.usage)
	}
	if len(args) > 4 {
		for _, text := range strings.Split(args[4], ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			if err != nil {
				return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "the bound '%s' of a range is no integer: %s", text, a.p.usage)
			}
			rule.Bounds = append(rule.Bounds, n)
		}
	}
	return a.several(args[0], rule, args[3])
}

// broadcast imports one table of which each of several sources has a full copy.
func (a *tableImport) broadcast(args []string) ([]*catalog.Foreign, error) {
	return a.several(args[0], foreign.Rule{How: catalog.SpreadEverywhere}, args[1])
}

func (a *tableImport) several(name string, rule foreign.Rule, sources string) ([]*catalog.Foreign, error) {
	database, name, err := a.named(name)
	if err != nil {
		return nil, err
	}
	var from []*foreign.Source
	var tables []*txn.SourceTable
	for _, source := range strings.Split(sources, ",") {
		s, err := a.source(strings.TrimSpace(source))
		if err != nil {
			return nil, err
		}
		t, err := s.Find(name)
		if err != nil {
			return nil, err
		}
		from, tables = append(from, s), append(tables, t)
	}
	f, err := foreign.Adopt(database, name, rule, from, tables)
	if err != nil {
		return nil, err
	}
	return []*catalog.Foreign{f}, nil
}

// named returns the database and the table that an argument names.
func (a *tableImport) named(arg string) (database, name string, err error) {
	database, name, ok := strings.Cut(arg, ".")
	if !ok {
		database, name = a.s.GetCurrentDatabase(), arg
	}
	if database == "" || name == "" {
		return "", "", mysql.NewSQLError(codeNoDatabase, "3D000", "No database selected: name the table as database.table: %s", a.p.usage)
	}
	return database, name, nil
}

// drop returns the table to drop from the catalogue; the source keeps its own.
func (a *tableImport) drop(args []string) ([]*catalog.Foreign, error) {
	database, name, err := a.named(args[0])
	if err != nil {
		return nil, err
	}
	snap, err := a.s.gateway.store.Reload(a.ctx)
	if err != nil {
		return nil, err
	}
	t, ok := snap.ForeignTable(database, name)
	if !ok {
		return nil, mysql.NewSQLError(codeNoTable, "42S02", "Table '%s.%s' is at no source", database, name)
	}
	return []*catalog.Foreign{t.Foreign}, nil
}

// changedAt describes how the sources of a table differ from the imported definition; empty: they do
// not differ, or cannot be asked.
func changedAt(ctx context.Context, db txn.DB, t *catalog.ForeignTable) string {
	known, ok := db.(txn.SourceCatalogue)
	if !ok {
		return ""
	}
	for i := range t.Parts {
		now, err := known.DescribeSource(ctx, txn.ShardID(t.Parts[i].Source))
		if err != nil {
			continue
		}
		if what := foreign.Changed(t, &t.Parts[i], &now); what != "" {
			return what
		}
	}
	return ""
}
