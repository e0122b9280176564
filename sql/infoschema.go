package sql

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"isochron/sql/catalog"
)

// informationSchema gives each query tables of its own: the engine notes its
// catalogue in them, and two queries at once would write to the same.
type informationSchema struct {
	gms.Database
	g *gateway
}

// GetTableInsensitive implements gms.Database.
func (i informationSchema) GetTableInsensitive(ctx *gms.Context, name string) (gms.Table, bool, error) {
	t, ok, err := information_schema.NewInformationSchemaDatabase().GetTableInsensitive(ctx, name)
	if columns, is := t.(*information_schema.ColumnsTable); is && strings.EqualFold(name, information_schema.ColumnsTableName) {
		rows := columns.RowIter
		columns.RowIter = func(ctx *gms.Context, c gms.Catalog, schema gms.Schema) (gms.RowIter, error) {
			return withDeclared(ctx, i.g, func() (gms.RowIter, error) { return rows(listingColumns(ctx), c, withViews(ctx, schema)) }, func(row gms.Row, find findColumn) {
				declareColumnsRow(row, find)
			})
		}
	}
	if views, is := t.(*information_schema.InformationSchemaTable); is && strings.EqualFold(name, information_schema.ViewsTableName) {
		views.Reader = func(ctx *gms.Context, _ gms.Catalog) (gms.RowIter, error) { return viewRows(ctx) }
	}
	return t, ok, err
}

// Positions in a row of information_schema.columns.
const (
	columnsSchema   = 1
	columnsTable    = 2
	columnsName     = 3
	columnsFraction = 12
	columnsType     = 15
)

func declareColumnsRow(row gms.Row, find findColumn) {
	if len(row) <= columnsType {
		return
	}
	schema, _ := row[columnsSchema].(string)
	table, _ := row[columnsTable].(string)
	name, _ := row[columnsName].(string)
	text, digits, ok := find(schema, table, name)
	if !ok {
		return
	}
	row[columnsType] = text
	if strings.HasPrefix(text, "time") {
		row[columnsFraction] = digits
	}
}

// findColumn is the declared type of a column and the digits of its fraction; false: it is as the engine shows it.
type findColumn func(database, table, column string) (text string, digits int, ok bool)

// withDeclared changes the rows of a list of columns.
func withDeclared(ctx *gms.Context, g *gateway, list func() (gms.RowIter, error), change func(row gms.Row, find findColumn)) (gms.RowIter, error) {
	iter, err := list()
	if err != nil {
		return nil, err
	}
	rows, err := gms.RowIterToRows(ctx, iter)
	if err != nil {
		return nil, err
	}
	find := func(database, table, column string) (string, int, bool) { return "", 0, false }
	if s := g.store.Held(); s != nil {
		find = func(database, table, column string) (string, int, bool) {
			return declaredColumn(s, database, table, column)
		}
	}
	for _, row := range rows {
		change(row, find)
	}
	return gms.RowsToRowIter(rows...), nil
}

func declaredColumn(s *catalog.Snapshot, database, table, column string) (string, int, bool) {
	d, ok := s.Table(database, table)
	if !ok {
		return "", 0, false
	}
	text, ok := d.TypeText(column)
	if !ok {
		return "", 0, false
	}
	for pos, c := range d.Schema.Schema {
		if strings.EqualFold(c.Name, column) {
			return text, d.Shown(pos).Digits, true
		}
	}
	return "", 0, false
}

// showColumns is SHOW COLUMNS with the types that the engine does not have.
func (b *builder) showColumns(ctx *gms.Context, n *gmsplan.ShowColumns, row gms.Row) (gms.RowIter, error) {
	t, ok := n.Child.(*gmsplan.ResolvedTable)
	if !ok {
		return nil, nil
	}
	const name, typ = 0, 1
	list := func() (gms.RowIter, error) { return rowexec.NewBuilder(noPriority{}, b.g.overrides).Build(ctx, n, row) }
	return withDeclared(ctx, b.g, list, func(row gms.Row, find findColumn) {
		column, _ := row[name].(string)
		view, isView := t.UnderlyingTable().(*viewTable)
		if text, _, ok := find(t.Database().Name(), t.Name(), column); ok {
			row[typ] = text
		} else if text, ok := declaredOf(view, isView, column); ok {
			row[typ] = text
		} else if text, ok := row[typ].(string); ok {
			row[typ] = withoutCollation(text)
		}
	})
}

// withoutCollation is a type without the character set and collation that the engine writes behind it.
func withoutCollation(text string) string {
	at := strings.LastIndexAny(text, ")'") + 1
	for _, mark := range []string{" CHARACTER SET ", " COLLATE "} {
		if plain, _, ok := strings.Cut(text[at:], mark); ok {
			return text[:at] + plain
		}
	}
	return text
}

// noPriority leaves every node to the engine.
type noPriority struct{}

// Build implements gms.NodeExecBuilder.
func (noPriority) Build(*gms.Context, gms.Node, gms.Row) (gms.RowIter, error) { return nil, nil }
