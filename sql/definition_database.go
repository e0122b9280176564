package sql

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/define"
	"isochron/sql/expr"
	"isochron/sql/legacy"
)

// mayDefineDatabase is the error of a privilege that the user lacks on a database, or of one that is the server's.
func (d *definer) mayDefineDatabase(need, name string) error {
	if isServers(name) || equalFold(name, systemDatabase) {
		return d.h.DeniedDatabase(name)
	}
	return d.h.HoldsOnDatabase([]string{need}, name)
}

// createDatabase makes a database.
func (d *definer) createDatabase(_ context.Context, of *define.CreateDatabase) (*sqltypes.Result, error) {
	exists := expr.NewError(1007, "HY000", "Can't create database '%s'; database exists", of.Name)
	if equalFold(of.Name, systemDatabase) {
		return nil, exists
	}
	if err := d.mayDefineDatabase("CREATE", of.Name); err != nil {
		return nil, err
	}
	collation, err := of.Options.CollationOf(uint16(gms.Collation_utf8mb4_0900_ai_ci))
	if err != nil {
		return nil, err
	}
	_, err = d.change(func(c *catalog.Change) error { return c.CreateDatabase(of.Name, collation) })
	if legacy.ErrDatabaseExists.Is(err) {
		if !of.IfNotExists {
			return nil, exists
		}
		d.note(1007, exists.Message)
		err = nil
	}
	return &sqltypes.Result{RowsAffected: 1}, err
}

// alterDatabase changes the collation that new tables of a database get.
func (d *definer) alterDatabase(_ context.Context, of *define.AlterDatabase) (*sqltypes.Result, error) {
	name, err := databaseOr(of.Name, d.s.GetCurrentDatabase())
	if err != nil {
		return nil, err
	}
	if err := d.mayDefineDatabase("ALTER", name); err != nil {
		return nil, err
	}
	collation, err := of.Options.CollationOf(0)
	if err != nil {
		return nil, err
	}
	_, err = d.change(func(c *catalog.Change) error {
		if collation == 0 {
			return nil
		}
		return c.SetDatabaseCollation(name, collation)
	})
	if legacy.ErrDatabaseNotFound.Is(err) {
		return nil, expr.NewError(codeUnknownDatabase, "42000", "Unknown database '%s'", name)
	}
	return &sqltypes.Result{RowsAffected: 1}, err
}

// dropDatabase removes a database with all that is in it.
func (d *definer) dropDatabase(ctx context.Context, of *define.DropDatabase) (*sqltypes.Result, error) {
	if err := d.mayDefineDatabase("DROP", of.Name); err != nil {
		return nil, err
	}
	snap, err := d.s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	var tables []*catalog.Descriptor
	for _, t := range snap.Sorted() {
		if equalFold(t.Record.Database, of.Name) {
			tables = append(tables, t)
		}
	}
	if err := d.unreferenced(ctx, tables); err != nil {
		return nil, err
	}
	_, err = d.change(func(c *catalog.Change) error { return c.DropDatabase(of.Name) })
	if legacy.ErrDatabaseNotFound.Is(err) {
		missing := expr.NewError(1008, "HY000", "Can't drop database '%s'; database doesn't exist", of.Name)
		if !of.IfExists {
			return nil, missing
		}
		d.note(1008, missing.Message)
		return &sqltypes.Result{}, nil
	}
	if err != nil {
		return nil, err
	}
	if equalFold(d.s.GetCurrentDatabase(), of.Name) {
		d.s.SetCurrentDatabase("")
	}
	return &sqltypes.Result{RowsAffected: uint64(len(tables))}, nil
}

// renameError is MySQL's error of a rename.
func renameError(err error, from, to define.Name) error {
	switch {
	case legacy.ErrTableNotFound.Is(err):
		return noTable(from.Database, from.Name)
	case legacy.ErrTableAlreadyExists.Is(err):
		return expr.NewError(1050, "42S01", "Table '%s' already exists", to.Name)
	case legacy.ErrDatabaseNotFound.Is(err):
		return expr.NewError(codeUnknownDatabase, "42000", "Unknown database '%s'", to.Database)
	}
	return err
}
