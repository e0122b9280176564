package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
)

// informationSchema gives each query tables of its own: the engine notes its
// catalogue in them, and two queries at once would write to the same.
type informationSchema struct{ gms.Database }

// GetTableInsensitive implements gms.Database.
func (informationSchema) GetTableInsensitive(ctx *gms.Context, name string) (gms.Table, bool, error) {
	return information_schema.NewInformationSchemaDatabase().GetTableInsensitive(ctx, name)
}
