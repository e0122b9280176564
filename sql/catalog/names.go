package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Checks, defaults and generated columns name columns in texts. They follow a column that gets
// another name, and hold one that others need.

// The errors of a column that others need, with MySQL's numbers.
const (
	codeCheckNeeds     = 3959
	codeGeneratedNeeds = 3108
	codeKeyNeeds       = 1828
)

const selecting = "select "

func parseExpr(text string) (sqlparser.Statement, error) {
	stmt, err := sqlparser.Parse(selecting + text)
	if err != nil {
		return nil, fmt.Errorf("the stored expression %s cannot be read: %w", text, err)
	}
	return stmt, nil
}

// columnsIn are the columns that an expression names.
func columnsIn(text string) (out []string, err error) {
	stmt, err := parseExpr(text)
	if err != nil {
		return nil, err
	}
	err = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok {
			out = append(out, c.Name.String())
		}
		return true, nil
	}, stmt)
	return out, err
}

func names(columns []string, column string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, column) })
}

// renameIn is an expression with another name for a column.
func renameIn(text, from, to string) (string, error) {
	columns, err := columnsIn(text)
	if err != nil || !names(columns, from) {
		return text, err
	}
	stmt, err := parseExpr(text)
	if err != nil {
		return "", err
	}
	err = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok && strings.EqualFold(c.Name.String(), from) {
			c.Name = sqlparser.NewColIdent(to)
		}
		return true, nil
	}, stmt)
	if err != nil {
		return "", err
	}
	written := sqlparser.String(stmt)
	if again, err := sqlparser.Parse(written); err != nil || sqlparser.String(again) != written {
		return "", fmt.Errorf("the expression %s cannot be written with %s in the place of %s: drop it first", text, to, from)
	}
	return strings.TrimPrefix(written, selecting), nil
}

// texts are the expressions of a table that may name columns.
func (r *Record) texts() (out []*string) {
	for i := range r.Checks {
		out = append(out, &r.Checks[i].Text)
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		for _, e := range []**Expr{&c.Default, &c.OnUpdate, &c.Generated} {
			if *e != nil {
				own := **e // others may hold the record's expression
				*e = &own
				out = append(out, &own.Text)
			}
		}
	}
	return out
}

// renamed has the expressions of a table follow a column.
func (r *Record) renamed(from, to string) (err error) {
	r.Checks = slices.Clone(r.Checks)
	for _, text := range r.texts() {
		if *text, err = renameIn(*text, from, to); err != nil {
			return err
		}
	}
	return nil
}

// unnamed is nil if a column may be dropped: the checks that are on it alone go with it.
func (r *Record) unnamed(column string) error {
	var kept []Check
	for _, check := range r.Checks {
		columns, err := columnsIn(check.Text)
		if err != nil {
			return err
		}
		switch {
		case !names(columns, column):
			kept = append(kept, check)
		case slices.ContainsFunc(columns, func(c string) bool { return !strings.EqualFold(c, column) }):
			return mysql.NewSQLError(codeCheckNeeds, "HY000", "Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", check.Name, column)
		}
	}
	for _, c := range r.Columns {
		for _, e := range []*Expr{c.Default, c.OnUpdate, c.Generated} {
			if e == nil || strings.EqualFold(c.Name, column) {
				continue
			}
			columns, err := columnsIn(e.Text)
			if err != nil {
				return err
			}
			if names(columns, column) {
				return mysql.NewSQLError(codeGeneratedNeeds, "HY000", "Column '%s' has a generated column dependency: %s is computed from it.", column, c.Name)
			}
		}
	}
	for _, f := range r.ForeignKey {
		if names(f.Columns, column) {
			return mysql.NewSQLError(codeKeyNeeds, "HY000", "Cannot drop column '%s': needed in a foreign key constraint '%s'", column, f.Name)
		}
	}
	r.Checks = kept
	return nil
}
