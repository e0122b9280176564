package sql

import (
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/legacy"
)

// CREATE TABLE ... SELECT is the engine's, whose types lack what those of the query say: the digits of a TIME, the decimals
// of a DOUBLE(8,2), the width of ZEROFILL. The core compiles the query too, for its types alone.

// selectedTypes gives the columns of a table that is made from a query the types of the core, where it can compile the query.
func selectedTypes(ctx *gms.Context, create *gmsplan.CreateTable) {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return
	}
	ddl, query := selectOf(ctx)
	if query == "" || !mayUseCore(s, query) {
		return
	}
	p, err := compileCore(ctx, s, query, query, nil)
	if p == nil || err != nil {
		return
	}
	for i, f := range p.of {
		defined := ddl.TableSpec != nil && slices.ContainsFunc(ddl.TableSpec.Columns, func(c *sqlparser.ColumnDefinition) bool { return c.Name.EqualString(f.Name) })
		at := slices.IndexFunc(create.PkSchema().Schema, func(c *gms.Column) bool { return strings.EqualFold(c.Name, f.Name) })
		if defined || at < 0 {
			continue
		}
		p.selectedType(i, create.PkSchema().Schema[at])
	}
}

// selectOf is the statement of a context, if it is CREATE TABLE ... SELECT, and its query; "": it is none.
func selectOf(ctx *gms.Context) (*sqlparser.DDL, string) {
	parsed, err := sqlparser.Parse(ctx.Query())
	if err != nil {
		return nil, ""
	}
	ddl, ok := parsed.(*sqlparser.DDL)
	if !ok || ddl.OptSelect == nil {
		return nil, ""
	}
	return ddl, sqlparser.String(ddl.OptSelect.Select)
}

// selectedType gives a column the type of a column of the query.
func (p *corePlan) selectedType(i int, c *gms.Column) {
	c.Nullable = c.Nullable || p.of[i].Type.Nullable()
	if f := p.of[i]; f.Source != nil && f.Source.Table.Record.Columns[f.Column].Declared {
		legacy.Declare(c, f.Source.Table.Schema.Schema[f.Column], f.Source.Table.Record.Columns[f.Column].Type)
		return
	}
	digits := int(p.fields[i].Decimals)
	switch {
	case digits > 6:
	case types.IsTimespan(c.Type) && p.fields[i].Type == querypb.Type_TIME:
		legacy.DeclareDigits(c, digits)
	case types.IsDatetimeType(c.Type) && p.fields[i].Type == querypb.Type_DATETIME:
		if t, err := types.CreateDatetimeType(c.Type.Type(), digits); err == nil {
			c.Type = t
		}
	}
}
