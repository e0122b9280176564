package sql

import (
	"fmt"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/legacy/enginetable"
)

var (
	_ gms.Database         = (*database)(nil)
	_ gms.CollatedDatabase = (*database)(nil)
	_ gms.ViewDatabase     = (*database)(nil)
	_ gms.TriggerDatabase  = (*database)(nil)
)

// Name implements gms.Nameable.
func (d *database) Name() string { return d.rec.Name }

// GetTableInsensitive implements gms.Database.
func (d *database) GetTableInsensitive(ctx *gms.Context, name string) (gms.Table, bool, error) {
	t, ok, err := d.find(ctx, name)
	if err != nil {
		return nil, false, err
	}
	if ok {
		return t, true, nil
	}
	if t, ok, err := d.atSource(ctx, name); ok || err != nil {
		return t, ok, err
	}
	return d.viewTable(ctx, name)
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

// viewTable finds a view.
func (d *database) viewTable(ctx *gms.Context, name string) (gms.Table, bool, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, false, err
	}
	v, ok := snap.View(d.rec.Name, name)
	s, is := ctx.Session.(*Session)
	if !ok || !is {
		return nil, false, nil
	}
	t, err := newViewTable(ctx, s, snap, v)
	if err != nil {
		return nil, false, err
	}
	return t, true, nil
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
		if equalFold(t.Record.Database, d.rec.Name) && !t.Temporary() {
			out = append(out, t.Record.Name)
		}
	}
	for _, t := range snap.ForeignIn(d.rec.Name) {
		out = append(out, t.Name)
	}
	if listsColumns(ctx) {
		for _, v := range snap.Views { // order: sorted below
			if !equalFold(v.Database, d.rec.Name) {
				continue
			}
			if _, ok, err := d.viewTable(ctx, v.Name); ok && err == nil { // a view of what is no longer there has no columns
				out = append(out, v.Name)
			}
		}
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
func (d *database) CreateView(*gms.Context, string, string, string) error { return errDefinedElsewhere }

// DropView implements gms.ViewDatabase.
func (d *database) DropView(*gms.Context, string) error { return errDefinedElsewhere }

// noQuery is the text of a view for the engine, which knows a view by its columns (viewTable).
const noQuery = "CREATE VIEW v AS SELECT 1"

// GetViewDefinition implements gms.ViewDatabase. The engine asks for it where it shows the text of a view, and before it looks for a
// table.
func (d *database) GetViewDefinition(ctx *gms.Context, name string) (gms.ViewDefinition, bool, error) {
	if !showsCreation.MatchString(ctx.Query()) {
		return gms.ViewDefinition{}, false, nil
	}
	snap, err := snapshotOf(ctx)
	if err != nil {
		return gms.ViewDefinition{}, false, err
	}
	v, ok := snap.View(d.rec.Name, name)
	if !ok {
		return gms.ViewDefinition{}, false, nil
	}
	return gms.ViewDefinition{Name: v.Name, TextDefinition: v.Text, CreateViewStatement: noQuery}, true, nil
}

// AllViews implements gms.ViewDatabase.
func (d *database) AllViews(ctx *gms.Context) ([]gms.ViewDefinition, error) {
	snap, err := snapshotOf(ctx)
	if err != nil || listsColumns(ctx) {
		return nil, err
	}
	var out []gms.ViewDefinition
	for _, v := range snap.Views {
		if equalFold(v.Database, d.rec.Name) {
			out = append(out, gms.ViewDefinition{Name: v.Name, TextDefinition: v.Text, CreateViewStatement: noQuery})
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
