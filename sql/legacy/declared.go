package legacy

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/coltype"
)

func literalNumber(v *sqlparser.SQLVal, absent int) int {
	if v == nil {
		return absent
	}
	n, err := strconv.Atoi(string(v.Val))
	if err != nil {
		return -1
	}
	return n
}

// shown is how values of a stored type are shown.
func shown(declared bool, t *sqlparser.ColumnType) coltype.Shown {
	if !declared {
		return coltype.Shown{}
	}
	switch strings.ToLower(t.Type) {
	case "time":
		return coltype.Shown{Digits: literalNumber(t.Length, 0), Declared: true}
	case "float", "double":
		if t.Scale != nil {
			return coltype.Shown{Digits: literalNumber(t.Scale, 0), Declared: true}
		}
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		if t.Zerofill {
			return coltype.Shown{Width: literalNumber(t.Length, 0)}
		}
	}
	return coltype.Shown{}
}
