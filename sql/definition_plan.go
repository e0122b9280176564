package sql

import (
	"context"
	"errors"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/account"
	"isochron/sql/catalog"
	"isochron/sql/define"
	"isochron/sql/dialect"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/table"
)

// The door for statements that define databases, tables and views: package define reads them and computes what they want, a change
// of the catalogue carries it out.

// definitionPlan executes a definition.
type definitionPlan struct {
	of   define.Statement
	rest string // what stands behind the statement
}

func (definitionPlan) kind() planKind { return defining }

func (p definitionPlan) counter() string { return p.of.Counter() }

// definingWords are the words that a definition begins with.
var definingWords = map[string]bool{"create": true, "alter": true, "drop": true, "rename": true, "truncate": true}

// defines reports whether a text may be a definition, which dumps have in comments that are executed.
func defines(text string) bool { return definingWords[table.FirstWord(parse.Executed(text))] }

// definition is the plan of a statement that package define reads; nil: it is another.
func (x *execution) definition() (Plan, error) {
	if !defines(x.text) || len(x.s.packet.ahead) > 0 {
		return nil, nil
	}
	text, rest := x.text, ""
	if x.several {
		text, rest = dialect.First(text, x.s.coreSettings().reads.AnsiQuotes)
	}
	of, err := definitionOf(x.s, text)
	if of == nil || err != nil {
		return nil, err
	}
	return definitionPlan{of, rest}, nil
}

// definitionOf reads a definition; nil: the text is another statement.
func definitionOf(s *Session, text string) (define.Statement, error) {
	if !defines(text) {
		return nil, nil
	}
	if err := checkSizeOf(s, text); err != nil {
		return nil, err
	}
	of, err := define.Read(text, s.coreSettings().reads)
	return of, coreError(err)
}

// Execute implements Plan.
func (p definitionPlan) Execute(ctx context.Context, x *execution) error {
	gctx, err := x.h.sm.NewContextWithQuery(ctx, x.c, x.text)
	if err != nil {
		return err
	}
	x.rest = p.rest
	d := &definer{s: x.s, gctx: gctx, h: x.s.holder()}
	r, err := d.execute(ctx, p.of)
	if err != nil {
		return coreError(err)
	}
	if x.below != nil {
		x.result = *r
		return nil
	}
	return x.yield(r, x.rest != "")
}

// definer executes one definition.
type definer struct {
	s    *Session
	gctx *gms.Context
	h    account.Holder
}

func (d *definer) execute(ctx context.Context, of define.Statement) (*sqltypes.Result, error) {
	switch of := of.(type) {
	case *define.CreateTable:
		return d.createTable(ctx, of)
	case *define.CreateView:
		return d.createView(ctx, of)
	case *define.DropTables:
		return d.dropTables(ctx, of)
	case *define.DropViews:
		return d.dropViews(ctx, of)
	case *define.RenameTables:
		return d.renameTables(ctx, of)
	case *define.Truncate:
		return d.truncate(ctx, of)
	case *define.AlterTable:
		return d.alterTable(ctx, of)
	case *define.CreateDatabase:
		return d.createDatabase(ctx, of)
	case *define.AlterDatabase:
		return d.alterDatabase(ctx, of)
	case *define.DropDatabase:
		return d.dropDatabase(ctx, of)
	}
	return nil, errors.New("a definition of no kind")
}

// env is what definitions are made against.
func (d *definer) env(ctx context.Context, snap *catalog.Snapshot) *define.Env {
	set := d.s.coreSettings()
	return &define.Env{
		Context: coreContext(ctx, d.s), Database: d.s.GetCurrentDatabase(), Unchecked: set.unchecked, Strict: set.strict,
		Find: snap.Table, Substitutes: !strings.Contains(set.mode, "NO_ENGINE_SUBSTITUTION"),
		Collation: func(database string) uint16 {
			if rec, ok := snap.Database(database); ok && rec.Collation != 0 {
				return rec.Collation
			}
			return uint16(gms.Collation_Default)
		},
	}
}

// database is the database of a name, in which tables can be made.
func (d *definer) database(name define.Name) (string, error) {
	db, err := databaseOr(name.Database, d.s.GetCurrentDatabase())
	if err != nil {
		return "", err
	}
	if isServers(db) || equalFold(db, systemDatabase) {
		return "", d.h.DeniedDatabase(db)
	}
	return db, nil
}

// table finds a table of the catalogue, which is read again if it has none.
func (d *definer) table(ctx context.Context, db, name string) (*catalog.Descriptor, *catalog.Snapshot, error) {
	snap, err := d.s.Catalogue(ctx)
	if err != nil {
		return nil, nil, err
	}
	t, ok := snap.Table(db, name)
	if !ok {
		if snap, _, err = d.s.statement.reload(ctx, d.s.gateway.store); err != nil {
			return nil, nil, err
		}
		t, _ = snap.Table(db, name)
	}
	return t, snap, nil
}

// warned shows the client what was noted.
func (d *definer) warned(c *expr.Context) { showCoreWarnings(d.s, c) }

// note shows the client an error that the statement allows for.
func (d *definer) note(code int, message string) {
	d.s.Warn(&gms.Warning{Level: "Note", Code: code, Message: message})
}

// change makes a change of the catalogue for the statement.
func (d *definer) change(step func(c *catalog.Change) error) (*sqltypes.Result, error) {
	return &sqltypes.Result{}, d.s.Alter(d.gctx, step)
}

// named are the tables of some names; missing are those names that are none. The catalogue is read again if one is none.
func (d *definer) named(ctx context.Context, names []define.Name, need string) (tables []*catalog.Descriptor, missing []string, err error) {
	for _, name := range names {
		db, err := databaseOr(name.Database, d.s.GetCurrentDatabase())
		if err != nil {
			return nil, nil, err
		}
		if !d.h.HasOnTable(need, db, name.Name) {
			return nil, nil, d.h.DeniedTable(need, name.Name)
		}
		t, snap, err := d.table(ctx, db, name.Name)
		if err != nil {
			return nil, nil, err
		}
		if _, foreign := snap.ForeignTable(db, name.Name); foreign && t == nil {
			return nil, nil, placedAtSource(db, name.Name)
		}
		if t == nil {
			missing = append(missing, db+"."+name.Name)
			continue
		}
		tables = append(tables, t)
	}
	return tables, missing, nil
}

// placedAtSource is the error of a definition of a table at sources.
func placedAtSource(db, name string) error {
	return expr.NewError(codeInvalidRequest, "42000", "table %s is at a source and cannot be dropped here: CALL isochron.drop_imported_table('%s.%s') removes it from the catalogue", name, db, name)
}

// noTable is the error of a table that is not there.
func noTable(db, name string) error {
	return expr.NewError(codeNoTable, "42S02", "Table '%s.%s' doesn't exist", db, name)
}

// notATable is the error of a view where a table is needed.
func notATable(db, name string) error {
	return expr.NewError(1347, "HY000", "'%s.%s' is not BASE TABLE", db, name)
}
