package sql

import (
	"fmt"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/catalog"
	"isochron/sql/legacy/enginetable"
)

var (
	_ gms.Database         = (*database)(nil)
	_ gms.CollatedDatabase = (*database)(nil)
	_ gms.ViewDatabase     = (*database)(nil)
	_ gms.TriggerDatabase  = (*database)(nil)
)

func databaseOf(db gms.Database) (*database, bool) {
	if p, ok := db.(mysql_db.PrivilegedDatabase); ok {
		db = p.Unwrap()
	}
	d, ok := db.(*database)
	return d, ok
}

// Name implements gms.Nameable.
func (d *database) Name() string { return d.rec.Name }

// GetTableInsensitive implements gms.Database.
func (d *database) GetTableInsensitive(ctx *gms.Context, name string) (gms.Table, bool, error) {
	t, ok, err := d.find(ctx, name)
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return d.atSource(ctx, name)
	}
	return t, true, nil
}

// atSource finds a table that lies at sources.
func (d *database) atSource(ctx *gms.Context, name string) (gms.Table, bool, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, false, err
	}
	if t, ok := snap.ForeignTable(d.rec.Name, name); ok {
		return &foreignTable{ForeignTable: t}, true, nil
	}
	return nil, false, nil
}

func (d *database) find(ctx *gms.Context, name string) (*enginetable.Table, bool, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, false, err
	}
	desc, ok := snap.Table(d.rec.Name, name)
	_, view := snap.View(d.rec.Name, name)
	_, foreign := snap.ForeignTable(d.rec.Name, name)
	if !ok && !view && !foreign {
		if snap, _, err = reloadFor(ctx); err != nil {
			return nil, false, err
		}
		desc, ok = snap.Table(d.rec.Name, name)
	}
	if !ok {
		return nil, false, nil
	}
	return enginetable.New(d.g.store, desc), true, nil
}

// GetTableNames implements gms.Database.
func (d *database) GetTableNames(ctx *gms.Context) ([]string, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range snap.Tables {
		if equalFold(t.Record.Database, d.rec.Name) {
			out = append(out, t.Record.Name)
		}
	}
	for _, t := range snap.ForeignIn(d.rec.Name) {
		out = append(out, t.Name)
	}
	slices.Sort(out)
	return out, nil
}

// GetCollation implements gms.CollatedDatabase.
func (d *database) GetCollation(*gms.Context) gms.CollationID {
	if d.rec.Collation == 0 {
		return gms.Collation_Default
	}
	return gms.CollationID(d.rec.Collation)
}

// SetCollation implements gms.CollatedDatabase.
func (d *database) SetCollation(*gms.Context, gms.CollationID) error { return errDefinedElsewhere }

// errDefinedElsewhere is what the engine receives where it would define by itself what package define reads.
var errDefinedElsewhere = mysql.NewSQLError(codeInvalidRequest, "42000", "the engine defines nothing")

// CreateView implements gms.ViewDatabase.
func (d *database) CreateView(ctx *gms.Context, name, text, create string) error {
	return ctx.Session.(*Session).Alter(ctx, func(c *catalog.Change) error {
		return c.CreateView(catalog.View{
			Database: d.rec.Name, Name: name, Text: text, Create: create, SQLMode: gms.LoadSqlMode(ctx).String(),
		})
	})
}

// DropView implements gms.ViewDatabase, for CREATE OR REPLACE VIEW.
func (d *database) DropView(ctx *gms.Context, name string) error {
	return ctx.Session.(*Session).Alter(ctx, func(c *catalog.Change) error { return c.DropView(d.rec.Name, name) })
}

func definition(v *catalog.View) gms.ViewDefinition {
	return gms.ViewDefinition{Name: v.Name, TextDefinition: v.Text, CreateViewStatement: v.Create, SqlMode: v.SQLMode}
}

// GetViewDefinition implements gms.ViewDatabase.
func (d *database) GetViewDefinition(ctx *gms.Context, name string) (gms.ViewDefinition, bool, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return gms.ViewDefinition{}, false, err
	}
	v, ok := snap.View(d.rec.Name, name)
	if !ok {
		return gms.ViewDefinition{}, false, nil
	}
	if s, ok := ctx.Session.(*Session); ok {
		s.statement.handsOut(withoutMariaDB(v.Create))
	}
	return definition(v), true, nil
}

// AllViews implements gms.ViewDatabase.
func (d *database) AllViews(ctx *gms.Context) ([]gms.ViewDefinition, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, err
	}
	var out []gms.ViewDefinition
	for _, v := range snap.Views {
		if equalFold(v.Database, d.rec.Name) {
			out = append(out, definition(v))
		}
	}
	return out, nil
}

// GetTriggers implements gms.TriggerDatabase.
func (d *database) GetTriggers(*gms.Context) ([]gms.TriggerDefinition, error) { return nil, nil }

// CreateTrigger implements gms.TriggerDatabase.
func (d *database) CreateTrigger(*gms.Context, gms.TriggerDefinition) error {
	return fmt.Errorf("triggers are not supported; do the work in the statements of the client")
}

// DropTrigger implements gms.TriggerDatabase.
func (d *database) DropTrigger(_ *gms.Context, name string) error {
	return gms.ErrTriggerDoesNotExist.New(name)
}
