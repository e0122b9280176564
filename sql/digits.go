package sql

import (
	"bytes"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The engine brings a decimal constant to the type of the column that it is compared with, and rounds it,
// noteUnless its type has more digits than the column's. So the type of such a constant gets the most that there are.

// digitsBehind are those behind the point of such a constant, and digitsInAll all.
const (
	digitsBehind = 30
	digitsInAll  = 65
)

// keepDigits writes a decimal constant of a comparison with zeros behind it.
func keepDigits(c *sqlparser.ComparisonExpr) {
	for _, e := range []*sqlparser.Expr{&c.Left, &c.Right} {
		v, ok := (*e).(*sqlparser.SQLVal)
		if !ok || v.Type != sqlparser.FloatVal || bytes.ContainsAny(v.Val, "eE") {
			continue
		}
		point := bytes.IndexByte(v.Val, '.')
		behind := len(v.Val) - point - 1
		if point < 0 || behind >= digitsBehind || point+digitsBehind > digitsInAll {
			continue
		}
		*e = sqlparser.NewFloatVal([]byte(string(v.Val) + strings.Repeat("0", digitsBehind-behind)))
	}
}
