package legacy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

const selecting = "select "

func parseExpr(text string) (sqlparser.Statement, error) {
	stmt, err := sqlparser.Parse(selecting + text)
	if err != nil {
		return nil, fmt.Errorf("the stored expression %s cannot be read: %w", text, err)
	}
	return stmt, nil
}

// ColumnsIn are the columns that an expression names.
func ColumnsIn(text string) (out []string, err error) {
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

// RenameIn is an expression with another name for a column.
func RenameIn(text, from, to string) (string, error) {
	columns, err := ColumnsIn(text)
	if err != nil || !slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, from) }) {
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
