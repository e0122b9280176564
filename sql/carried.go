package sql

import (
	"context"
	"slices"
	"strconv"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The engine knows, in ON DUPLICATE KEY UPDATE beside a SELECT, only the columns that the SELECT
// lists, and none of them by VALUES(). So the SELECT becomes a derived table with the columns that
// are named besides; a function over its first column carries them from there to the update of
// the same row, and the derived table has the name by which VALUES() looks for its columns.

const (
	carryName   = "isochron carry"    // gives its first argument and keeps the others
	carriedName = "isochron carried " // gives one that was kept, by its number
	carryTable  = "isochron carry"
	carryColumn = "isochron carry "
)

// carrySelected changes an INSERT ... SELECT ... ON DUPLICATE KEY UPDATE into one that the engine
// does right.
func carrySelected(ctx context.Context, stmt sqlparser.Statement) {
	i, ok := stmt.(*sqlparser.Insert)
	if !ok || len(i.OnDup) == 0 {
		return
	}
	source, ok := i.Rows.(sqlparser.SelectStatement)
	if !ok {
		return
	}
	gctx, ok := ctx.(*gms.Context)
	if !ok {
		return
	}
	all := columnsOfTarget(gctx, i.Table)
	if len(all) == 0 {
		return
	}
	columns := make([]string, len(i.Columns))
	for at, c := range i.Columns {
		columns[at] = c.String()
	}
	if len(columns) == 0 {
		columns = all
	}
	values := false
	var refs []sqlparser.Expr
	for _, u := range i.OnDup {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			switch n := node.(type) {
			case *sqlparser.ValuesFuncExpr:
				values = true
				return false, nil
			case *sqlparser.ExistsExpr:
				refs = append(refs, n)
				return false, nil
			case *sqlparser.Subquery:
				refs = append(refs, n)
				return false, nil
			case *sqlparser.ColName:
				if n.Name.Lowered()[0] != '@' && isSelected(n, i.Table, all) {
					refs = append(refs, n)
				}
			}
			return true, nil
		}, u.Expr)
	}
	s, plain := source.(*sqlparser.Select)
	if plain = plain && !s.QueryOpts.Distinct && len(s.GroupBy) == 0 && s.Having == nil; !plain {
		refs = slices.DeleteFunc(refs, func(e sqlparser.Expr) bool { // MySQL has none either
			_, column := e.(*sqlparser.ColName)
			return column
		})
	}
	if len(refs) > 0 && (!plain || values || !lists(s, refs)) {
		source = carryInto(i, source, refs, columns, plain)
	} else if !values {
		return
	}
	if values {
		source = derived(planbuilder.OnDupValuesPrefix, source, columns)
	}
	i.Rows = source.(sqlparser.InsertRows)
}

// columnsOfTarget are the columns of a table of ours; nil if there is no such table.
func columnsOfTarget(ctx *gms.Context, name sqlparser.TableName) []string {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil
	}
	db := name.DbQualifier.String()
	if db == "" {
		db = ctx.GetCurrentDatabase()
	}
	desc, ok := snap.Table(db, name.Name.String())
	if !ok {
		return nil
	}
	var out []string
	for _, c := range desc.Schema.Schema {
		out = append(out, c.Name)
	}
	return out
}

// isSelected reports whether a name in the update is of a table of the SELECT.
func isSelected(n *sqlparser.ColName, target sqlparser.TableName, columns []string) bool {
	if n.Qualifier.IsEmpty() {
		return !slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, n.Name.String()) })
	}
	return !strings.EqualFold(n.Qualifier.Name.String(), target.Name.String())
}

// lists reports whether a SELECT lists all of some columns.
func lists(s *sqlparser.Select, refs []sqlparser.Expr) bool {
	for _, e := range refs {
		r, ok := e.(*sqlparser.ColName)
		if !ok || !slices.ContainsFunc(s.SelectExprs, func(e sqlparser.SelectExpr) bool {
			item, ok := e.(*sqlparser.AliasedExpr)
			if !ok {
				return true // a *
			}
			c, ok := item.Expr.(*sqlparser.ColName)
			return ok && item.As.IsEmpty() && c.Name.Equal(r.Name) && (r.Qualifier.IsEmpty() || strings.EqualFold(c.Qualifier.Name.String(), r.Qualifier.Name.String()))
		}) {
			return false
		}
	}
	return true
}

// carryInto gives a SELECT of the same rows that carries expressions into the update, which are
// of the tables within it, or only of others.
func carryInto(i *sqlparser.Insert, of sqlparser.SelectStatement, refs []sqlparser.Expr, columns []string, within bool) sqlparser.SelectStatement {
	names := make([]string, len(columns), len(columns)+len(refs))
	for at := range names {
		names[at] = carryColumn + strconv.Itoa(at)
	}
	carry := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(carryName)}
	keep := func(e sqlparser.Expr) { carry.Exprs = append(carry.Exprs, &sqlparser.AliasedExpr{Expr: e}) }
	keep(&sqlparser.ColName{Name: sqlparser.NewColIdent(names[0])})
	for at, r := range refs {
		for _, u := range i.OnDup {
			u.Expr = sqlparser.ReplaceExpr(u.Expr, r, &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(carriedName + strconv.Itoa(at))})
		}
		if !within {
			keep(r)
			continue
		}
		names = append(names, carryColumn+strconv.Itoa(len(names)))
		keep(&sqlparser.ColName{Name: sqlparser.NewColIdent(names[len(names)-1])})
	}
	if within {
		inner := *of.(*sqlparser.Select)
		inner.SelectExprs = slices.Clone(inner.SelectExprs)
		for _, r := range refs {
			inner.SelectExprs = append(inner.SelectExprs, &sqlparser.AliasedExpr{Expr: r})
		}
		of = &inner
	}
	out := derived(carryTable, of, names)
	out.SelectExprs = out.SelectExprs[:len(columns)]
	out.SelectExprs[0] = &sqlparser.AliasedExpr{Expr: carry}
	return out
}

// derived reads a derived table with such columns.
func derived(name string, of sqlparser.SelectStatement, columns []string) *sqlparser.Select {
	q := &sqlparser.Subquery{Select: of}
	for _, c := range columns {
		q.Columns = append(q.Columns, sqlparser.NewColIdent(c))
	}
	list := make(sqlparser.SelectExprs, len(columns))
	for at, c := range columns {
		list[at] = &sqlparser.AliasedExpr{Expr: &sqlparser.ColName{Name: sqlparser.NewColIdent(c)}}
	}
	return &sqlparser.Select{SelectExprs: list, From: sqlparser.TableExprs{&sqlparser.AliasedTableExpr{
		Auth: sqlparser.AuthInformation{AuthType: sqlparser.AuthType_IGNORE}, // its own tables are asked about
		Expr: q, As: sqlparser.NewTableIdent(name),
	}}}
}

// carrying gives the functions that carry.
func carrying(name string) (gms.Function, bool) {
	if name == carryName {
		return gms.FunctionN{Name: name, Fn: func(ctx *gms.Context, args ...gms.Expression) (gms.Expression, error) {
			c := &carry{NaryExpression: expression.NaryExpression{ChildExpressions: args}, to: &carriage{}}
			for _, a := range args[1:] {
				c.to.types = append(c.to.types, a.Type(ctx))
			}
			if s, ok := ctx.Session.(*Session); ok {
				s.statement.meet(c.to)
			}
			return c, nil
		}}, true
	}
	number, ok := strings.CutPrefix(name, carriedName)
	if !ok {
		return nil, false
	}
	return gms.FunctionN{Name: name, Fn: func(ctx *gms.Context, _ ...gms.Expression) (gms.Expression, error) {
		at, err := strconv.Atoi(number)
		if s, ok := ctx.Session.(*Session); ok && err == nil && s.statement.carriage != nil && at < len(s.statement.carriage.types) {
			return &carriedValue{from: s.statement.carriage, at: at}, nil
		}
		return nil, gms.ErrFunctionNotFound.New(name)
	}}, true
}

// carriage is where the functions of one statement meet: values are kept by session under it.
type carriage struct{ types []gms.Type }

// carry gives its first argument, and keeps the others for the update of the same row.
type carry struct {
	expression.NaryExpression
	to *carriage
}

var _ gms.CollationCoercible = (*carry)(nil)

// String implements gms.Expression.
func (c *carry) String() string { return carryName }

// Type implements gms.Expression.
func (c *carry) Type(ctx *gms.Context) gms.Type { return c.ChildExpressions[0].Type(ctx) }

// CollationCoercibility implements gms.CollationCoercible.
func (c *carry) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, c.ChildExpressions[0])
}

// Eval implements gms.Expression.
func (c *carry) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	values := make([]any, len(c.ChildExpressions))
	for i, e := range c.ChildExpressions {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	if s, ok := ctx.Session.(*Session); ok {
		s.statement.carry(c.to, values[1:])
	}
	return values[0], nil
}

// WithChildren implements gms.Expression.
func (c *carry) WithChildren(_ *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	return &carry{expression.NaryExpression{ChildExpressions: children}, c.to}, nil
}

// carriedValue is a value that was kept.
type carriedValue struct {
	from *carriage
	at   int
}

var (
	_ gms.NonDeterministicExpression = (*carriedValue)(nil)
	_ gms.CollationCoercible         = (*carriedValue)(nil)
)

// IsNonDeterministic implements gms.NonDeterministicExpression.
func (c *carriedValue) IsNonDeterministic() bool { return true }

// Resolved implements gms.Expression.
func (c *carriedValue) Resolved() bool { return true }

// String implements gms.Expression.
func (c *carriedValue) String() string { return carriedName + strconv.Itoa(c.at) }

// Type implements gms.Expression.
func (c *carriedValue) Type(*gms.Context) gms.Type { return c.from.types[c.at] }

// IsNullable implements gms.Expression.
func (c *carriedValue) IsNullable(*gms.Context) bool { return true }

// CollationCoercibility implements gms.CollationCoercible.
func (c *carriedValue) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return c.Type(ctx).CollationCoercibility(ctx)
}

// Eval implements gms.Expression.
func (c *carriedValue) Eval(ctx *gms.Context, _ gms.Row) (any, error) {
	if s, ok := ctx.Session.(*Session); ok {
		if values := s.statement.carried[c.from]; c.at < len(values) {
			return values[c.at], nil
		}
	}
	return nil, nil
}

// Children implements gms.Expression.
func (c *carriedValue) Children() []gms.Expression { return nil }

// WithChildren implements gms.Expression.
func (c *carriedValue) WithChildren(*gms.Context, ...gms.Expression) (gms.Expression, error) {
	return c, nil
}
