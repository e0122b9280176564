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

// definition is the plan of a statement that package define reads; nil: it is another.
func (x *execution) definition() (Plan, error) {
	if !definingWords[table.FirstWord(x.text)] || len(x.s.packet.ahead) > 0 {
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
	if !definingWords[table.FirstWord(text)] {
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
