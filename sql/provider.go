package sql

import (
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
)

// provider gives the engine its databases.
type provider struct{ g *gateway }

var _ gms.CollatedDatabaseProvider = provider{}

// Database implements gms.DatabaseProvider.
func (p provider) Database(ctx *gms.Context, name string) (gms.Database, error) {
	if equalFold(name, systemDatabase) {
		return systemDB(p), nil
	}
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, unread(ctx, err)
	}
	rec, ok := snap.Database(name)
	if !ok {
		if snap, _, err = reloadFor(ctx); err != nil {
			return nil, unread(ctx, err)
		}
		if rec, ok = snap.Database(name); !ok {
			return nil, gms.ErrDatabaseNotFound.New(name)
		}
	}
	return &database{p.g, rec}, nil
}

// unread notes that the catalogue could not be read: the engine takes that for
// a database that is not there, and asks for no error where it lists them.
func unread(ctx *gms.Context, err error) error {
	if s, ok := ctx.Session.(*Session); ok {
		s.statement.unreadable(err)
	}
	return err
}

// HasDatabase implements gms.DatabaseProvider.
func (p provider) HasDatabase(ctx *gms.Context, name string) bool {
	_, err := p.Database(ctx, name)
	return err == nil
}

// AllDatabases implements gms.DatabaseProvider.
func (p provider) AllDatabases(ctx *gms.Context) []gms.Database {
	out := []gms.Database{systemDB(p)}
	snap, err := snapshotOf(ctx)
	if err != nil {
		_ = unread(ctx, err)
		return out
	}
	for _, rec := range snap.Databases {
		out = append(out, &database{p.g, rec})
	}
	slices.SortFunc(out, func(a, b gms.Database) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// CreateDatabase implements gms.MutableDatabaseProvider.
func (p provider) CreateDatabase(*gms.Context, string) error { return errDefinedElsewhere }

// CreateCollatedDatabase implements gms.CollatedDatabaseProvider.
func (p provider) CreateCollatedDatabase(*gms.Context, string, gms.CollationID) error {
	return errDefinedElsewhere
}

// DropDatabase implements gms.MutableDatabaseProvider.
func (p provider) DropDatabase(*gms.Context, string) error { return errDefinedElsewhere }

// database is one database of the catalogue.
type database struct {
	g   *gateway
	rec *catalog.DatabaseRecord
}
