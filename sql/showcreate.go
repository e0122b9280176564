package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// schemaFormatter writes what SHOW CREATE TABLE answers. The engine writes the number of a
// member where a column of an ENUM or SET has one for a default, and then no dump loads.
type schemaFormatter struct{ gms.SchemaFormatter }

// GenerateCreateTableColumnDefinition implements gms.SchemaFormatter.
func (f schemaFormatter) GenerateCreateTableColumnDefinition(col *gms.Column, byDefault, onUpdate string, collation gms.CollationID) string {
	if d := col.Default; d != nil && d.IsLiteral() && (types.IsEnum(col.Type) || types.IsSet(col.Type)) {
		byDefault = d.String()
	}
	return f.SchemaFormatter.GenerateCreateTableColumnDefinition(col, byDefault, onUpdate, collation)
}
