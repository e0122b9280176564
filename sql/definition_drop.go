package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/define"
	"isochron/sql/expr"
)

// dropTables removes tables, all or none.
func (d *definer) dropTables(ctx context.Context, of *define.DropTables) (*sqltypes.Result, error) {
	names, err := d.dropTemporary(of)
	if err != nil || len(names) == 0 {
		return &sqltypes.Result{}, err
	}
	tables, missing, err := d.named(ctx, names, "DROP")
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 && !of.IfExists {
		return nil, expr.NewError(1051, "42S02", "Unknown table '%s'", strings.Join(missing, ","))
	}
	for i, t := range tables {
		if slices.Contains(tables[:i], t) {
			return nil, expr.NewError(1066, "42000", "Not unique table/alias: '%s'", t.Name())
		}
	}
	if err := d.unreferenced(ctx, tables); err != nil {
		return nil, err
	}
	for _, name := range missing {
		d.note(1051, fmt.Sprintf("Unknown table '%s'", name))
	}
	return d.change(func(c *catalog.Change) error {
		if err := c.Alone(tables...); err != nil {
			return err
		}
		for _, t := range tables {
			if err := c.DropTable(t.Record.Database, t.Name()); err != nil {
				return err
			}
		}
		return nil
	})
}

// unreferenced is the error of tables that foreign keys of others refer to.
func (d *definer) unreferenced(ctx context.Context, tables []*catalog.Descriptor) error {
	for _, t := range tables {
		child, key, err := d.referrer(ctx, t, tables)
		if err != nil {
			return err
		}
		if child != nil {
			return expr.NewError(3730, "HY000", "Cannot drop table '%s' referenced by a foreign key constraint '%s' on table '%s'.", t.Name(), key.Name, child.Name())
		}
	}
	return nil
}

// referrer is a table other than some whose foreign key refers to one; nil: there is none, or foreign keys are not checked.
func (d *definer) referrer(ctx context.Context, t *catalog.Descriptor, but []*catalog.Descriptor) (*catalog.Descriptor, *catalog.ForeignKey, error) {
	if d.s.coreSettings().unchecked {
		return nil, nil, nil
	}
	snap, err := d.s.Catalogue(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, child := range snap.Sorted() {
		if child.ID() == t.ID() || slices.ContainsFunc(but, func(o *catalog.Descriptor) bool { return o.ID() == child.ID() }) {
			continue
		}
		for i, k := range child.Record.ForeignKey {
			if equalFold(k.ParentDatabase, t.Record.Database) && equalFold(k.ParentTable, t.Name()) {
				return child, &child.Record.ForeignKey[i], nil
			}
		}
	}
	return nil, nil, nil
}

// dropViews removes views, all or none.
func (d *definer) dropViews(ctx context.Context, of *define.DropViews) (*sqltypes.Result, error) {
	var views []*catalog.View
	var missing []string
	for _, name := range of.Views {
		db, err := databaseOr(name.Database, d.s.GetCurrentDatabase())
		if err != nil {
			return nil, err
		}
		if !d.h.HasOnTable("DROP", db, name.Name) {
			return nil, d.h.DeniedTable("DROP", name.Name)
		}
		v, err := d.view(ctx, db, name.Name)
		if err != nil {
			return nil, err
		}
		if v == nil {
			missing = append(missing, db+"."+name.Name)
			continue
		}
		views = append(views, v)
	}
	if len(missing) > 0 && !of.IfExists {
		return nil, expr.NewError(1051, "42S02", "Unknown table '%s'", strings.Join(missing, ","))
	}
	for _, name := range missing {
		d.note(1051, fmt.Sprintf("Unknown table '%s'", name))
	}
	return d.change(func(c *catalog.Change) error {
		for _, v := range views {
			if err := c.DropView(v.Database, v.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

// view finds a view; nil: there is none. A table of its name is an error.
func (d *definer) view(ctx context.Context, db, name string) (*catalog.View, error) {
	snap, err := d.s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	v, ok := snap.View(db, name)
	if !ok {
		if snap, _, err = d.s.statement.reload(ctx, d.s.gateway.store); err != nil {
			return nil, err
		}
		v, ok = snap.View(db, name)
	}
	if _, table := snap.Table(db, name); table && !ok {
		return nil, expr.NewError(1347, "HY000", "'%s.%s' is not VIEW", db, name)
	}
	return v, nil
}

// renameTables gives tables other names, one after the other, all or none.
func (d *definer) renameTables(ctx context.Context, of *define.RenameTables) (*sqltypes.Result, error) {
	var used []*catalog.Descriptor
	for i, from := range of.From {
		db, err := databaseOr(from.Database, d.s.GetCurrentDatabase())
		if err != nil {
			return nil, err
		}
		to, err := d.database(of.To[i])
		if err != nil {
			return nil, err
		}
		for _, need := range []string{"ALTER", "DROP"} {
			if !d.h.HasOnTable(need, db, from.Name) {
				return nil, d.h.DeniedTable(need, from.Name)
			}
		}
		for _, need := range []string{"CREATE", "INSERT"} {
			if !d.h.HasOnTable(need, to, of.To[i].Name) {
				return nil, d.h.DeniedTable(need, of.To[i].Name)
			}
		}
		t, snap, err := d.table(ctx, db, from.Name)
		if err != nil {
			return nil, err
		}
		if _, foreign := snap.ForeignTable(db, from.Name); foreign && t == nil {
			return nil, placedAtSource(db, from.Name)
		}
		if t != nil {
			used = append(used, t)
		}
		of.From[i].Database, of.To[i].Database = db, to
	}
	return d.change(func(c *catalog.Change) error {
		if err := c.Alone(used...); err != nil {
			return err
		}
		for i, from := range of.From {
			if err := c.RenameTable(from.Database, from.Name, of.To[i].Database, of.To[i].Name); err != nil {
				return renameError(err, from, of.To[i])
			}
		}
		return nil
	})
}

// truncate removes all rows of a table.
func (d *definer) truncate(ctx context.Context, of *define.Truncate) (*sqltypes.Result, error) {
	if t, ok := d.s.temporary.Find(of.Table.In(d.s.GetCurrentDatabase()), of.Table.Name); ok {
		d.s.temporary.Clear(t)
		return &sqltypes.Result{}, nil
	}
	tables, missing, err := d.named(ctx, []define.Name{of.Table}, "DROP")
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, expr.NewError(codeNoTable, "42S02", "Table '%s' doesn't exist", missing[0])
	}
	t := tables[0]
	child, key, err := d.referrer(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	if child != nil {
		return nil, expr.NewError(1701, "42000", "Cannot truncate a table referenced in a foreign key constraint (`%s`.`%s`, CONSTRAINT `%s`)", child.Record.Database, child.Name(), key.Name)
	}
	return d.change(func(c *catalog.Change) error { return c.Truncate(t.Record.Database, t.Name()) })
}
