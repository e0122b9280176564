package sql

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/define"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/rounds"
)

// viewTable is a view as the engine sees it: a table with the columns that the SQL core finds for it. The engine lists them, and
// binds no query of a view.
type viewTable struct {
	desc *catalog.Descriptor // of a table with these columns
}

var _ gms.Table = (*viewTable)(nil)

// Name implements gms.Nameable.
func (v *viewTable) Name() string { return v.desc.Record.Name }

// String implements fmt.Stringer.
func (v *viewTable) String() string { return v.Name() }

// Schema implements gms.Table.
func (v *viewTable) Schema(*gms.Context) gms.Schema { return v.desc.Schema.Schema }

// Collation implements gms.Table.
func (v *viewTable) Collation() gms.CollationID { return gms.Collation_Default }

// Partitions implements gms.Table: the engine reads no rows of it.
func (v *viewTable) Partitions(*gms.Context) (gms.PartitionIter, error) {
	return gms.PartitionsToPartitionIter(), nil
}

// PartitionRows implements gms.Table.
func (v *viewTable) PartitionRows(*gms.Context, gms.Partition) (gms.RowIter, error) {
	return gms.RowsToRowIter(), nil
}

// newViewTable finds the columns of a view, whatever the session's user may read.
func newViewTable(ctx context.Context, s *Session, snap *catalog.Snapshot, v *catalog.View) (*viewTable, error) {
	text := "SELECT * FROM " + quotedName(v.Database) + "." + quotedName(v.Name)
	tree, err := parse.Read(text, parse.Mode{})
	if err != nil {
		return nil, coreError(err)
	}
	q, err := bind.Bind(tree, bind.Scope{
		Table: snap.Table, View: viewsOf(snap, func(*catalog.View) bool { return true }), Virtual: coreVirtual(ctx, s, snap), Missing: missing(s, snap),
		Texts: parse.Texts(text, tree),
	})
	if err != nil {
		return nil, queryError(s, err)
	}
	set := s.coreSettings()
	c := &expr.Context{Done: ctx, Now: time.Now(), Zone: s.Zone(), SQLMode: set.mode, Collation: set.collation, MaxPacket: set.maxPacket, GroupConcatMax: set.groupConcatMax, Session: coreView{s}}
	plan, err := rounds.Compile(c, q)
	if err != nil {
		return nil, queryError(s, err)
	}
	of := &define.CreateTable{Table: define.Name{Database: v.Database, Name: v.Name}}
	if err := of.Select((&corePlan{plan: plan, of: plan.Fields()}).selected()); err != nil {
		return nil, coreError(err)
	}
	def, err := of.Build(&define.Env{Context: c, Database: v.Database, Find: snap.Table, Substitutes: true, Collation: func(string) uint16 { return uint16(gms.Collation_Default) }})
	if err != nil {
		return nil, coreError(err)
	}
	def.Database = v.Database
	for i := range def.Columns {
		def.Columns[i].Default = nil // of a table: a view stores nothing
	}
	desc, err := catalog.Draft(def)
	return &viewTable{desc}, err
}

// showsCreation matches a statement that shows the text of a view.
var showsCreation = regexp.MustCompile(`(?is)^\s*show\s+create\s`)

// columnsListed is the key of a context in which the engine lists the columns of all tables: views are among them then.
type columnsListed struct{}

func listsColumns(ctx *gms.Context) bool { return ctx.Value(columnsListed{}) != nil }

// listingColumns is a context in which it does.
func listingColumns(ctx *gms.Context) *gms.Context {
	return ctx.WithContext(context.WithValue(ctx.Context, columnsListed{}, true))
}

// withViews are the columns of all tables, and those of views.
func withViews(ctx *gms.Context, tables gms.Schema) gms.Schema {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return tables
	}
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return tables
	}
	out := slices.Clone(tables)
	for _, v := range snap.Views { // order: each table's columns are sought by its name
		if t, err := newViewTable(ctx, s, snap, v); err == nil {
			out = append(out, t.desc.Schema.Schema...)
		}
	}
	return out
}

// viewRows are the rows of information_schema.views.
func viewRows(ctx *gms.Context) (gms.RowIter, error) {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return gms.RowsToRowIter(), nil
	}
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	h := s.holder()
	var rows []gms.Row
	for _, v := range snap.Views { // order: sorted below
		create := viewCreation(v)
		if create == nil || !h.HasOnTable("SHOW VIEW", v.Database, v.Name) {
			continue
		}
		definer := coreView{s}.CurrentUser()
		if create.Definer != "" && !strings.Contains(strings.ToLower(create.Definer), "current_user") {
			definer = strings.NewReplacer("'", "", "`", "").Replace(create.Definer)
		}
		collation := gms.Collation_Default
		if rec, ok := snap.Database(v.Database); ok && rec.Collation != 0 {
			collation = gms.CollationID(rec.Collation)
		}
		rows = append(rows, gms.Row{"def", v.Database, v.Name, v.Text, cmp.Or(create.Check, "NONE"), updatable(v),
			definer, cmp.Or(create.Security, "DEFINER"), collation.CharacterSet().String(), collation.String()})
	}
	slices.SortFunc(rows, func(a, b gms.Row) int {
		return cmp.Or(strings.Compare(a[1].(string), b[1].(string)), strings.Compare(a[2].(string), b[2].(string)))
	})
	return gms.RowsToRowIter(rows...), nil
}

// updatable says whether rows of a view are rows of its tables.
func updatable(v *catalog.View) string {
	tree, err := parse.Read(v.Text, parse.ModeOf(v.SQLMode))
	if err != nil {
		return "NO"
	}
	s, ok := tree.(*sqlparser.Select)
	if !ok || s.Distinct || s.GroupBy != nil || s.Having != nil || s.Limit != nil || sqlparser.ContainsAggregation(s.SelectExprs) {
		return "NO"
	}
	for _, e := range s.From {
		t, ok := e.(*sqlparser.AliasedTableExpr)
		if !ok {
			return "NO"
		}
		if name, ok := t.Expr.(sqlparser.TableName); !ok || name.Name.String() == "dual" {
			return "NO"
		}
	}
	return "YES"
}

// declaredOf is the declared type of a column of a view.
func declaredOf(v *viewTable, is bool, column string) (string, bool) {
	if !is {
		return "", false
	}
	return v.desc.TypeText(column)
}
