package rounds

import (
	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/expr"
	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
)

// TypeOf is a column's type, as expressions know it.
func TypeOf(c *gms.Column, shown rowcodec.Shown) expr.Type {
	t := legacy.TypeOf(c.Type)
	t.Shown = shown
	return expr.ColumnType(&t, c.Nullable)
}

// Supported reports whether expressions can compute with a column: its collation must be known to the engine.
func Supported(c *gms.Column) bool {
	t := legacy.TypeOf(c.Type)
	return expr.Computes(&t)
}
