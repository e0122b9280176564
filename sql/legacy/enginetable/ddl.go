package enginetable

import (
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
	"isochron/sql/legacy"
)

var (
	_ gms.AlterableTable        = (*Table)(nil)
	_ gms.IndexAlterableTable   = (*Table)(nil)
	_ gms.CheckAlterableTable   = (*Table)(nil)
	_ gms.CheckTable            = (*Table)(nil)
	_ gms.CommentAlterableTable = (*Table)(nil)

	_ gms.PrimaryKeyAlterableTable = (*Table)(nil)
	_ gms.TruncateableTable        = (*Table)(nil)
	_ gms.AutoIncrementTable       = (*Table)(nil)
	_ gms.AutoIncrementSetter      = autoIncrementSetter{}
)

// place is the database and the name of the table.
func (t *Table) place() (string, string) { return t.desc.Record.Database, t.desc.Record.Name }

// AddColumn implements gms.AlterableTable. The rows that exist get the column's
// default, worked out once.
func (t *Table) AddColumn(ctx *gms.Context, col *gms.Column, order *gms.ColumnOrder) error {
	fill, err := fillOf(ctx, col)
	if err != nil {
		return err
	}
	db, name := t.place()
	def, err := legacy.ColumnOf(col)
	if err != nil {
		return err
	}
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.AddColumn(db, name, &def, fill, legacy.PositionOf(order)) })
}

func fillOf(ctx *gms.Context, col *gms.Column) (any, error) {
	if col.Generated != nil {
		return nil, fmt.Errorf("column %s: a generated column can be given only when the table is created", col.Name)
	}
	if col.Default != nil {
		v, err := col.Default.Eval(ctx, nil)
		if err != nil || v == nil {
			return v, err
		}
		v, _, err = col.Type.Convert(ctx, v)
		return v, err
	}
	if col.Nullable {
		return nil, nil
	}
	return col.Type.Zero(), nil
}

// DropColumn implements gms.AlterableTable.
func (t *Table) DropColumn(ctx *gms.Context, column string) error {
	db, name := t.place()
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.DropColumn(db, name, column) })
}

// ModifyColumn implements gms.AlterableTable.
func (t *Table) ModifyColumn(ctx *gms.Context, column string, col *gms.Column, order *gms.ColumnOrder) error {
	db, name := t.place()
	def, err := legacy.ColumnOf(col)
	if err != nil {
		return err
	}
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error {
		return c.ModifyColumn(ctx, db, name, column, &def, legacy.PositionOf(order))
	})
}

// CreateIndex implements gms.IndexAlterableTable.
func (t *Table) CreateIndex(ctx *gms.Context, def gms.IndexDef) error {
	db, name := t.place()
	x, err := legacy.IndexOf(def)
	if err != nil {
		return err
	}
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.CreateIndex(db, name, x) })
}

// DropIndex implements gms.IndexAlterableTable.
func (t *Table) DropIndex(ctx *gms.Context, index string) error {
	db, name := t.place()
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.DropIndex(db, name, index) })
}

// RenameIndex implements gms.IndexAlterableTable.
func (t *Table) RenameIndex(ctx *gms.Context, from, to string) error {
	db, name := t.place()
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.RenameIndex(db, name, from, to) })
}

// ModifyComment implements gms.CommentAlterableTable.
func (t *Table) ModifyComment(ctx *gms.Context, comment string) error {
	db, name := t.place()
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.SetComment(db, name, comment) })
}

// CreatePrimaryKey implements gms.PrimaryKeyAlterableTable.
func (t *Table) CreatePrimaryKey(*gms.Context, []gms.IndexColumn) error { return t.keyIsFixed() }

// DropPrimaryKey implements gms.PrimaryKeyAlterableTable.
func (t *Table) DropPrimaryKey(*gms.Context) error { return t.keyIsFixed() }

func (t *Table) keyIsFixed() error {
	return fmt.Errorf("the primary key of table %s determines where its rows are stored and cannot be changed; create a new table and copy the rows", t.Name())
}

// GetChecks implements gms.CheckTable.
func (t *Table) GetChecks(*gms.Context) ([]gms.CheckDefinition, error) {
	var out []gms.CheckDefinition
	for _, c := range t.desc.Record.Checks {
		out = append(out, gms.CheckDefinition{Name: c.Name, CheckExpression: c.Text, Enforced: c.Enforced})
	}
	return out, nil
}

// CreateCheck implements gms.CheckAlterableTable.
func (t *Table) CreateCheck(ctx *gms.Context, check *gms.CheckDefinition) error {
	db, name := t.place()
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error {
		return c.AddCheck(db, name, catalog.Check{Name: check.Name, Text: check.CheckExpression, Enforced: check.Enforced})
	})
}

// DropCheck implements gms.CheckAlterableTable.
func (t *Table) DropCheck(ctx *gms.Context, check string) error {
	db, name := t.place()
	return sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.DropCheck(db, name, check) })
}

// Truncate implements gms.TruncateableTable.
func (t *Table) Truncate(ctx *gms.Context) (int, error) {
	db, name := t.place()
	return 0, sessionOf(ctx).Alter(ctx, func(c *catalog.Change) error { return c.Truncate(db, name) })
}

// PeekNextAutoIncrementValue implements gms.AutoIncrementGetter.
func (t *Table) PeekNextAutoIncrementValue(ctx *gms.Context) (uint64, error) {
	return t.store.Sequences.Peek(ctx, t.desc.ID())
}

// GetNextAutoIncrementValue implements gms.AutoIncrementTable. The engine inserts no rows.
func (t *Table) GetNextAutoIncrementValue(ctx *gms.Context, _ any) (uint64, error) {
	return t.store.Sequences.Next(ctx, t.desc.ID())
}

// AutoIncrementSetter implements gms.AutoIncrementTable.
func (t *Table) AutoIncrementSetter(*gms.Context) gms.AutoIncrementSetter {
	return autoIncrementSetter{t}
}

type autoIncrementSetter struct{ t *Table }

// SetAutoIncrementValue implements gms.AutoIncrementSetter.
func (s autoIncrementSetter) SetAutoIncrementValue(ctx *gms.Context, value uint64) error {
	return s.t.store.Sequences.Set(ctx, s.t.desc.ID(), value)
}

// AcquireAutoIncrementLock implements gms.AutoIncrementSetter. Values come from
// blocks of the gateway, so nothing is locked.
func (s autoIncrementSetter) AcquireAutoIncrementLock(*gms.Context) (func(), error) {
	return func() {}, nil
}

// Close implements gms.Closer.
func (s autoIncrementSetter) Close(*gms.Context) error { return nil }
