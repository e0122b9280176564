package sql

import (
	"context"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/define"
	"isochron/sql/expr"
	"isochron/sql/parse"
)

// createView makes a view. Its query is compiled, as far as names, types and privileges go, and its text is kept.
func (d *definer) createView(ctx context.Context, of *define.CreateView) (*sqltypes.Result, error) {
	db, err := d.database(of.View)
	if err != nil {
		return nil, err
	}
	if !d.h.HasOnTable("CREATE VIEW", db, of.View.Name) {
		return nil, d.h.DeniedTable("CREATE VIEW", of.View.Name)
	}
	if err := d.checkView(ctx, db, of); err != nil {
		return nil, err
	}
	t, snap, err := d.table(ctx, db, of.View.Name)
	if err != nil {
		return nil, err
	}
	_, foreign := snap.ForeignTable(db, of.View.Name)
	_, there := snap.View(db, of.View.Name)
	switch exists := expr.NewError(1050, "42S01", "Table '%s' already exists", of.View.Name); {
	case (there || t != nil || foreign) && of.IfNotExists:
		d.note(exists.Code, exists.Message)
		return &sqltypes.Result{}, nil
	case t != nil || foreign || there && !of.Replaces:
		return nil, exists
	}
	return d.change(func(c *catalog.Change) error {
		if there {
			if err := c.DropView(db, of.View.Name); err != nil {
				return err
			}
		}
		return c.CreateView(catalog.View{Database: db, Name: of.View.Name, Text: of.Query, Create: of.Create, SQLMode: gms.LoadSqlMode(d.gctx).String()})
	})
}

// checkView is the error of a view's query.
func (d *definer) checkView(ctx context.Context, db string, of *define.CreateView) error {
	s := d.s
	tree, err := parse.Read(of.Query, s.coreSettings().reads)
	if err != nil {
		return err
	}
	if tree == nil {
		return parse.SyntaxError(of.Query, 0)
	}
	if err := checkViewTree(tree, db, of.View.Name); err != nil {
		return err
	}
	before := s.GetCurrentDatabase()
	if before != "" {
		s.SetCurrentDatabase(db) // names without a database are of the view's
	}
	p, err := compileTree(ctx, s, of.Query, tree, nil)
	s.SetCurrentDatabase(before)
	if err != nil {
		return err
	}
	names := of.Columns
	if names == nil {
		for _, f := range p.of {
			names = append(names, f.Name)
		}
	}
	if len(names) != len(p.of) {
		return expr.NewError(1353, "HY000", "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[strings.ToLower(name)] {
			return expr.NewError(1060, "42S21", "Duplicate column name '%s'", name)
		}
		seen[strings.ToLower(name)] = true
	}
	return nil
}

// checkViewTree refuses what no view may have.
func checkViewTree(tree sqlparser.SQLNode, db, view string) (err error) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Argument, *sqlparser.Variable, *sqlparser.AssignmentExpr:
			err = expr.NewError(1351, "HY000", "View's SELECT contains a variable or parameter")
		case *sqlparser.SelectInto:
			if n != nil {
				err = expr.NewError(1350, "HY000", "View's SELECT contains a 'INTO' clause")
			}
		case sqlparser.TableName:
			if of := n.Qualifier.String(); equalFold(n.Name.String(), view) && (of == "" || equalFold(of, db)) {
				err = expr.NewError(1462, "HY000", "`%s`.`%s` contains view recursion", db, view)
			}
		}
		return err == nil, nil
	}, tree)
	return err
}
