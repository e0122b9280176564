package enginetable

import (
	"errors"
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

// errDefined is what the engine receives where it would define foreign keys: package define does.
var errDefined = errors.New("the engine defines no foreign keys")

// AddForeignKey implements gms.ForeignKeyTable.
func (t *Table) AddForeignKey(*gms.Context, gms.ForeignKeyConstraint) error { return errDefined }

// DropForeignKey implements gms.ForeignKeyTable.
func (t *Table) DropForeignKey(*gms.Context, string, string, string) error { return errDefined }

// UpdateForeignKey implements gms.ForeignKeyTable.
func (t *Table) UpdateForeignKey(*gms.Context, string, gms.ForeignKeyConstraint) error {
	return errDefined
}

// CreateIndexForForeignKey implements gms.ForeignKeyTable.
func (t *Table) CreateIndexForForeignKey(*gms.Context, gms.IndexDef) error { return errDefined }

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
