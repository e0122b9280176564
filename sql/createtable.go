package sql

import (
	"fmt"
	"io"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"

	"isochron/sql/catalog"
	"isochron/sql/legacy"
	"isochron/sql/legacy/enginetable"
	"isochron/sql/sysvars"
)

// createTable makes a table with all that belongs to it in one change of the
// catalogue, where the engine would alter it step by step and leave what it has when
// a step fails.
func (b *builder) createTable(ctx *gms.Context, n *gmsplan.CreateTable) (gms.RowIter, error) {
	d, ok := databaseOf(n.Db)
	if !ok || n.Temporary() || n.Select() != nil {
		return nil, nil
	}
	if err := n.ValidateDefaultPosition(ctx); err != nil {
		return nil, err
	}
	if _, there, err := d.find(ctx, n.Name()); err != nil {
		return nil, err
	} else if there {
		return existing(n)
	}
	schema := n.PkSchema()
	def, err := definitionOf(ctx, n, d, schema.Schema)
	if err != nil {
		return nil, err
	}
	declareLike(ctx, b.g, schema.Schema)
	if err := defineColumns(&def, schema); err != nil {
		return nil, err
	}
	if err := d.keys(ctx, n, &def, schema.Schema); err != nil {
		return nil, err
	}
	if err = d.create(ctx, def); gms.ErrTableAlreadyExists.Is(err) {
		return existing(n)
	}
	if err != nil {
		return nil, err
	}
	return done(), nil
}

// existing is what becomes of a table that is there already.
func existing(n *gmsplan.CreateTable) (gms.RowIter, error) {
	if n.IfNotExists() {
		return done(), nil
	}
	return nil, gms.ErrTableAlreadyExists.New(n.Name())
}

func databaseOf(db gms.Database) (*database, bool) {
	if p, ok := db.(mysql_db.PrivilegedDatabase); ok {
		db = p.Unwrap()
	}
	d, ok := db.(*database)
	return d, ok
}

// defineColumns takes the columns of a table of the engine into its definition.
func defineColumns(def *catalog.Definition, schema gms.PrimaryKeySchema) (err error) {
	def.PrimaryKey = schema.PkOrdinals
	def.Columns, err = legacy.ColumnsOf(schema.Schema)
	return err
}

// definitionOf is a table's definition but its columns, which get the table's collation where they have none.
func definitionOf(ctx *gms.Context, n *gmsplan.CreateTable, d *database, columns gms.Schema) (catalog.Definition, error) {
	comment, _ := n.TableOpts["comment"].(string)
	first, _ := n.TableOpts["auto_increment"].(uint64)
	collation := n.Collation
	if collation == gms.Collation_Unspecified {
		collation = d.GetCollation(ctx)
	}
	def := catalog.Definition{Name: n.Name(), Collation: uint16(collation), Comment: comment, AutoIncrement: first}
	for _, col := range columns {
		t, ok := col.Type.(gms.TypeWithCollation)
		if !ok || t.Collation() != gms.Collation_Unspecified {
			continue
		}
		var err error
		if col.Type, err = t.WithNewCollation(collation); err != nil {
			return def, err
		}
	}
	for _, x := range n.Indexes() {
		if x.IsPrimary() {
			continue
		}
		one, err := legacy.IndexOf(*x)
		if err != nil {
			return def, err
		}
		def.Indexes = append(def.Indexes, one)
	}
	for i, check := range n.Checks() {
		c, err := gmsplan.NewCheckDefinition(ctx, check, gms.DefaultMySQLSchemaFormatter)
		if err != nil {
			return def, err
		}
		if c.Name == "" {
			c.Name = fmt.Sprintf("%s_chk_%d", n.Name(), i+1)
		}
		def.Checks = append(def.Checks, catalog.Check{Name: c.Name, Text: c.CheckExpression, Enforced: c.Enforced})
	}
	return def, nil
}

// draft is a table that is being made, for the engine to check its foreign keys on.
type draft struct {
	*enginetable.Table
	store *catalog.Store
	def   *catalog.Definition
}

var _ gms.ForeignKeyTable = (*draft)(nil)

// redraw has the draft show what its definition says.
func (t *draft) redraw() error {
	d, err := catalog.Draft(*t.def)
	if err == nil {
		t.Table = enginetable.New(t.store, d)
	}
	return err
}

// CreateIndexForForeignKey implements gms.ForeignKeyTable.
func (t *draft) CreateIndexForForeignKey(_ *gms.Context, def gms.IndexDef) error {
	x, err := legacy.IndexOf(def)
	if err != nil {
		return err
	}
	t.def.Indexes = append(t.def.Indexes, x)
	return t.redraw()
}

// AddForeignKey implements gms.ForeignKeyTable.
func (t *draft) AddForeignKey(_ *gms.Context, fk gms.ForeignKeyConstraint) error {
	t.def.ForeignKey = append(t.def.ForeignKey, *enginetable.StoredForeignKey(fk))
	return t.redraw()
}

// keys adds the foreign keys to a definition, with the indexes that they need.
func (d *database) keys(ctx *gms.Context, n *gmsplan.CreateTable, def *catalog.Definition, columns gms.Schema) error {
	if len(n.ForeignKeys()) == 0 {
		return nil
	}
	def.Database = d.rec.Name
	t := &draft{store: d.g.store, def: def}
	if err := t.redraw(); err != nil {
		return err
	}
	v, err := ctx.GetSessionVariable(ctx, sysvars.ForeignKeyChecks)
	if err != nil {
		return err
	}
	check, err := gms.ConvertToBool(ctx, v)
	if err != nil {
		return err
	}
	computed := generatedFrom(ctx, columns)
	for i, fk := range n.ForeignKeys() {
		if !fk.AllowStoredGeneratedColumnReference() && slices.ContainsFunc(fk.Columns, func(c string) bool { return computed[strings.ToLower(c)] }) {
			return gms.ErrStoredGeneratedColumnForeignKeyConflict.New()
		}
		var parent gms.ForeignKeyTable
		if check {
			if parent = n.ParentForeignKeyTables()[i]; parent == nil { // it refers to itself
				parent = t
			} else if p, ok := parent.(*enginetable.Table); ok {
				def.Parents = append(def.Parents, p.Descriptor())
			}
		}
		// There are no rows to check.
		if err := gmsplan.ResolveForeignKey(ctx, t, parent, *fk, true, check, false); err != nil {
			return err
		}
	}
	return nil
}

// generatedFrom are the columns, in lower case, that stored generated columns are
// computed from.
func generatedFrom(ctx *gms.Context, schema gms.Schema) map[string]bool {
	out := map[string]bool{}
	for _, col := range schema {
		if col.Virtual || col.Generated == nil {
			continue
		}
		gms.Inspect(ctx, col.Generated.Expr, func(_ *gms.Context, e gms.Expression) bool {
			if f, ok := e.(*expression.GetField); ok {
				out[strings.ToLower(f.Name())] = true
			}
			return true
		})
	}
	return out
}

// createFrom makes a table and fills it from a query, in one transaction.
func (b *builder) createFrom(ctx *gms.Context, n *gmsplan.TableCopier, row gms.Row) (gms.RowIter, error) {
	create, ok := n.Destination.(*gmsplan.CreateTable)
	if !ok {
		return nil, nil
	}
	d, ok := databaseOf(create.Db)
	if !ok {
		return nil, nil
	}
	if _, there, err := d.find(ctx, create.Name()); err != nil {
		return nil, err
	} else if there {
		return existing(create)
	}
	selectedTypes(ctx, create)
	exec := b.g.engine.Analyzer.ExecBuilder
	made, err := exec.Build(ctx, create, row)
	if err != nil {
		return nil, err
	}
	if _, err := made.Next(ctx); err != nil && err != io.EOF {
		return nil, err
	}
	t, ok, err := d.find(ctx, create.Name())
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, gms.ErrTableNotFound.New(create.Name())
	}
	if iter, ok, err := fillByCore(ctx, create); ok || err != nil {
		return iter, err
	}
	var columns []string
	for _, c := range n.Source.Schema(ctx) {
		columns = append(columns, c.Name)
	}
	// Analysed, it fills the columns that the query does not name, and minds foreign keys.
	insert := gmsplan.NewInsertInto(n.Database(), gmsplan.NewResolvedTable(t, n.Database(), nil), n.Source, false, columns, nil, false)
	fill, err := b.g.engine.Analyzer.Analyze(ctx, insert.WithChecks(create.Checks()), nil, new(gms.QueryFlags))
	if err != nil {
		return nil, err
	}
	return exec.Build(ctx, fill, row)
}
