package sql

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/change"
	"isochron/sql/define"
	"isochron/sql/expr"
	"isochron/sql/legacy"
)

// createTable makes a table with all that belongs to it in one change of the catalogue.
func (d *definer) createTable(ctx context.Context, of *define.CreateTable) (*sqltypes.Result, error) {
	db, err := d.database(of.Table)
	if err != nil {
		return nil, err
	}
	if err := d.mayCreate(of, db); err != nil {
		return nil, err
	}
	there, snap, err := d.table(ctx, db, of.Table.Name)
	if err != nil {
		return nil, err
	}
	if _, ok := snap.Database(db); !ok {
		return nil, expr.NewError(codeUnknownDatabase, "42000", "Unknown database '%s'", db)
	}
	if there != nil && there.Temporary() == of.Temporary {
		return d.existing(of)
	}
	env := d.env(ctx, snap)
	def, query, err := d.wanted(ctx, of, env)
	if err != nil {
		return nil, err
	}
	def.Database = db
	d.warned(env.Context)
	if of.Temporary {
		return d.createTemporary(ctx, of, def, query)
	}
	err = d.s.Alter(d.gctx, func(c *catalog.Change) error { return c.CreateTable(def) })
	if legacy.ErrTableAlreadyExists.Is(err) {
		return d.existing(of)
	}
	if err != nil || query == nil {
		return &sqltypes.Result{}, err
	}
	return d.fill(ctx, of, query)
}

// mayCreate is the error of a privilege that the user lacks.
func (d *definer) mayCreate(of *define.CreateTable, db string) error {
	need := "CREATE"
	if of.Temporary {
		return d.h.HoldsOnDatabase([]string{"CREATE TEMPORARY TABLES"}, db)
	}
	if !d.h.HasOnTable(need, db, of.Table.Name) {
		return d.h.DeniedTable(need, of.Table.Name)
	}
	for _, k := range of.ForeignKeys {
		if parent := k.Parent.In(db); !d.h.HasOnTable("REFERENCES", parent, k.Parent.Name) {
			return d.h.DeniedTable("REFERENCES", k.Parent.Name)
		}
	}
	return nil
}

// existing is what becomes of a table that is there already.
func (d *definer) existing(of *define.CreateTable) (*sqltypes.Result, error) {
	exists := expr.NewError(1050, "42S01", "Table '%s' already exists", of.Table.Name)
	if !of.IfNotExists {
		return nil, exists
	}
	d.note(1050, exists.Message)
	return &sqltypes.Result{}, nil
}

// wanted is the definition of a new table, and the plan of the query that fills it; nil: there is none.
func (d *definer) wanted(ctx context.Context, of *define.CreateTable, env *define.Env) (def catalog.Definition, query *corePlan, err error) {
	if of.Like != nil {
		def, err = d.like(ctx, of)
		return def, nil, err
	}
	if of.Query != "" {
		if query, err = compileCore(ctx, d.s, of.Query, of.Query, nil); err != nil {
			return def, nil, err
		}
		if query == nil || query.into != nil {
			return def, nil, expr.NewError(1064, "42000", "You have an error in your SQL syntax near '%.80s'", of.Query)
		}
		if err := of.Select(query.selected()); err != nil {
			return def, nil, err
		}
		env.Context = coreContext(ctx, d.s)
	}
	def, err = of.Build(env)
	return def, query, err
}

// selected are the columns of a query as a table has them.
func (p *corePlan) selected() []define.Selected {
	out := make([]define.Selected, len(p.of))
	for i, f := range p.of {
		out[i] = define.Selected{Name: f.Name, Type: f.Type}
		if f.Source != nil {
			out[i].Table, out[i].Column = f.Source.Table, f.Column
		}
		if i < len(p.plan.Query.Items) {
			if l, ok := p.plan.Query.Items[i].Expr.(*sqlparser.Literal); ok {
				out[i].Literal, out[i].Length = true, utf8.RuneCountInString(l.Val)
			}
		}
	}
	return out
}

// like is the definition of a table like another: without its foreign keys and its number, and with names of its own for checks.
func (d *definer) like(ctx context.Context, of *define.CreateTable) (catalog.Definition, error) {
	db, err := databaseOr(of.Like.Database, d.s.GetCurrentDatabase())
	if err != nil {
		return catalog.Definition{}, err
	}
	if !d.h.HasOnTable("SELECT", db, of.Like.Name) {
		return catalog.Definition{}, d.h.DeniedTable("SELECT", of.Like.Name)
	}
	t, snap, err := d.table(ctx, db, of.Like.Name)
	if err != nil {
		return catalog.Definition{}, err
	}
	if t == nil {
		if _, view := snap.View(db, of.Like.Name); view {
			return catalog.Definition{}, notATable(db, of.Like.Name)
		}
		return catalog.Definition{}, noTable(db, of.Like.Name)
	}
	def := t.Record.Definition()
	def.Name, def.ForeignKey = of.Table.Name, nil
	for i := range def.Checks {
		def.Checks[i].Name = fmt.Sprintf("%s_chk_%d", def.Name, i+1)
	}
	return def, nil
}

// fill fills a table that was just made with the rows of a query, in its transaction, as INSERT ... SELECT does.
func (d *definer) fill(ctx context.Context, of *define.CreateTable, query *corePlan) (*sqltypes.Result, error) {
	s := d.s
	columns := make([]string, len(query.of))
	for i, f := range query.of {
		columns[i] = quotedName(f.Name)
	}
	verb := "INSERT INTO "
	switch of.OnDuplicate {
	case "IGNORE":
		verb = "INSERT IGNORE INTO "
	case "REPLACE":
		verb = "REPLACE INTO "
	}
	name := quotedName(of.Table.Name)
	if of.Table.Database != "" {
		name = quotedName(of.Table.Database) + "." + name
	}
	text := verb + name + " (" + strings.Join(columns, ", ") + ") " + of.Query
	p, err := compileChange(ctx, s, text, text, nil)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'CREATE TABLE ... SELECT into columns of this character set'")
	}
	tx, err := s.use(ctx, p.plan.Table)
	if err != nil {
		return nil, err
	}
	c := coreContext(ctx, s)
	reader := newCoreReader(s, false, nil)
	reader.gctx = d.gctx
	set := s.coreSettings()
	out, err := p.plan.Execute(ctx, change.Env{
		Clock: s.quiet, Context: c, Strict: set.strict, KeepsZero: set.keepsZero,
		Tx: tx, Store: s.gateway.store, Reader: reader, Memory: s.spillMemory(), Unchecked: set.unchecked, Weak: s.Weak(),
		Use: func(ctx context.Context, t *catalog.Descriptor) error { _, err := s.use(ctx, t); return err },
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	showCoreWarnings(s, c)
	return &sqltypes.Result{RowsAffected: uint64(out.Changed)}, nil
}

func quotedName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
