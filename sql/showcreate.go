package sql

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/catalog"
)

// schemaFormatter writes what SHOW CREATE TABLE answers. The engine writes the number of a
// member where a column of an ENUM or SET has one for a default, and then no dump loads; and it
// knows no digits of a TIME.
type schemaFormatter struct {
	gms.SchemaFormatter
	store func() *catalog.Store
}

// GenerateCreateTableColumnDefinition implements gms.SchemaFormatter.
func (f schemaFormatter) GenerateCreateTableColumnDefinition(col *gms.Column, byDefault, onUpdate string, collation gms.CollationID) string {
	if d := col.Default; d != nil && d.IsLiteral() && (types.IsEnum(col.Type) || types.IsSet(col.Type)) {
		byDefault = d.String()
	}
	out := f.SchemaFormatter.GenerateCreateTableColumnDefinition(col, byDefault, onUpdate, collation)
	if text, ok := f.declared(col); ok {
		out = strings.Replace(out, f.QuoteIdentifier(col.Name)+" "+col.Type.String(), f.QuoteIdentifier(col.Name)+" "+text, 1)
	}
	return out
}

// declared is the type of a column as the catalogue has it; false: as the engine writes it.
func (f schemaFormatter) declared(col *gms.Column) (string, bool) {
	if !types.IsTimespan(col.Type) && !types.IsNumber(col.Type) {
		return "", false
	}
	snapshot := f.store().Held()
	if snapshot == nil {
		return "", false
	}
	d, ok := snapshot.Table(col.DatabaseSource, col.Source)
	if !ok {
		return "", false
	}
	return d.TypeText(col.Name)
}
