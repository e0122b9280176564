package sql

import (
	"context"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/legacy"
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

// noteLike remembers the table that a CREATE TABLE names behind LIKE: the definition that the engine makes of it lacks what
// its types do not have.
func noteLike(ctx context.Context, stmt sqlparser.Statement) {
	d, ok := stmt.(*sqlparser.DDL)
	if !ok || d.OptLike == nil || len(d.OptLike.LikeTables) != 1 {
		return
	}
	if gctx, ok := ctx.(*gms.Context); ok {
		if s, ok := gctx.Session.(*Session); ok {
			s.statement.like = d.OptLike.LikeTables[0]
		}
	}
}

// declareLike gives the columns of a table that is made LIKE another the types that they have there.
func declareLike(ctx *gms.Context, g *gateway, schema gms.Schema) {
	s, ok := ctx.Session.(*Session)
	if !ok || s.statement.like.IsEmpty() {
		return
	}
	snapshot := g.store.Held()
	if snapshot == nil {
		return
	}
	database := s.statement.like.DbQualifier.String()
	if database == "" {
		database = ctx.GetCurrentDatabase()
	}
	d, ok := snapshot.Table(database, s.statement.like.Name.String())
	if !ok {
		return
	}
	for _, c := range schema {
		at := slices.IndexFunc(d.Record.Columns, func(of catalog.Column) bool { return strings.EqualFold(of.Name, c.Name) })
		if at >= 0 && d.Record.Columns[at].Declared {
			legacy.Declare(c, d.Schema.Schema[at], d.Record.Columns[at].Type)
		}
	}
}

// declareTypes has the columns of a definition keep what the engine's types would lose.
func declareTypes(d *sqlparser.DDL) {
	if d.TableSpec != nil {
		for _, c := range d.TableSpec.Columns {
			legacy.DeclareType(&c.Type)
		}
	}
	if d.ColumnTypeSpec != nil {
		legacy.DeclareType(&d.ColumnTypeSpec.Type)
	}
}
