package enginetable

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
)

var (
	_ gms.ForeignKeyTable  = (*Table)(nil)
	_ gms.ForeignKeyEditor = keyEditor{}
)

func (t *Table) foreignKey(d *catalog.Descriptor, f catalog.ForeignKey) gms.ForeignKeyConstraint {
	return gms.ForeignKeyConstraint{
		Name: f.Name, Database: d.Record.Database, Table: d.Record.Name,
		ParentDatabase: f.ParentDatabase, ParentTable: f.ParentTable,
		Columns: f.Columns, ParentColumns: f.ParentColumns,
		OnUpdate: gms.ForeignKeyReferentialAction(f.OnUpdate), OnDelete: gms.ForeignKeyReferentialAction(f.OnDelete),
		IsResolved: f.Resolved,
	}
}

// StoredForeignKey is a foreign key as the catalogue keeps it.
func StoredForeignKey(fk gms.ForeignKeyConstraint) *catalog.ForeignKey {
	return &catalog.ForeignKey{
		Name: fk.Name, ParentDatabase: fk.ParentDatabase, ParentTable: fk.ParentTable,
		Columns: fk.Columns, ParentColumns: fk.ParentColumns,
		OnUpdate: string(fk.OnUpdate), OnDelete: string(fk.OnDelete), Resolved: fk.IsResolved,
	}
}

// GetDeclaredForeignKeys implements gms.ForeignKeyTable.
func (t *Table) GetDeclaredForeignKeys(*gms.Context) ([]gms.ForeignKeyConstraint, error) {
	var out []gms.ForeignKeyConstraint
	for _, f := range t.desc.Record.ForeignKey {
		out = append(out, t.foreignKey(t.desc, f))
	}
	return out, nil
}

// GetReferencedForeignKeys implements gms.ForeignKeyTable.
func (t *Table) GetReferencedForeignKeys(ctx *gms.Context) ([]gms.ForeignKeyConstraint, error) {
	snap, err := sessionOf(ctx).Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	var out []gms.ForeignKeyConstraint
	for _, d := range snap.Sorted() {
		for _, f := range d.Record.ForeignKey {
			if strings.EqualFold(f.ParentDatabase, t.desc.Record.Database) && strings.EqualFold(f.ParentTable, t.desc.Record.Name) {
				out = append(out, t.foreignKey(d, f))
			}
		}
	}
	return out, nil
}

func (t *Table) setForeignKey(ctx *gms.Context, old string, fk *catalog.ForeignKey) error {
	db, name := t.place()
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.SetForeignKey(db, name, old, fk) })
}

// AddForeignKey implements gms.ForeignKeyTable.
func (t *Table) AddForeignKey(ctx *gms.Context, fk gms.ForeignKeyConstraint) error {
	return t.setForeignKey(ctx, "", StoredForeignKey(fk))
}

// DropForeignKey implements gms.ForeignKeyTable.
func (t *Table) DropForeignKey(ctx *gms.Context, fk, _, _ string) error {
	return t.setForeignKey(ctx, fk, nil)
}

// UpdateForeignKey implements gms.ForeignKeyTable.
func (t *Table) UpdateForeignKey(ctx *gms.Context, old string, fk gms.ForeignKeyConstraint) error {
	return t.setForeignKey(ctx, old, StoredForeignKey(fk))
}

// CreateIndexForForeignKey implements gms.ForeignKeyTable.
func (t *Table) CreateIndexForForeignKey(ctx *gms.Context, def gms.IndexDef) error {
	return t.CreateIndex(ctx, def)
}

// GetForeignKeyEditor implements gms.ForeignKeyTable.
func (t *Table) GetForeignKeyEditor(*gms.Context) gms.ForeignKeyEditor { return keyEditor{Table: t} }

// keyEditor is an editor through which the engine looks up rows that a new foreign key refers to. It writes none.
type keyEditor struct {
	gms.TableEditor
	*Table
}

// Close implements gms.Closer.
func (keyEditor) Close(*gms.Context) error { return nil }

// Updater implements gms.UpdatableTable, which gms.AlterableTable demands.
func (t *Table) Updater(*gms.Context) gms.RowUpdater { return keyEditor{Table: t} }
