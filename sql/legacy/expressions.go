package legacy

import (
	"fmt"

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
