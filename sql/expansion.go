package sql

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// expansionMax bounds how many times the common table expressions of a statement are
// planned: the engine plans each anew wherever it is named, so that a few that name
// each other twice would be planned thousands of times.
const expansionMax = 1000

// checkExpansion refuses parsed statements that are small and grow large: casts that
// pad what they are given, and common table expressions that multiply.
func checkExpansion(stmt sqlparser.Statement) error {
	if stmt == nil {
		return nil
	}
	var padded int64
	planned := map[string]int{}
	most := 0
	walkWhole(stmt, func(node sqlparser.SQLNode) {
		switch node := node.(type) {
		case *sqlparser.ConvertExpr:
			if node.Type != nil && node.Type.Length != nil {
				if n, err := strconv.ParseInt(string(node.Type.Length.Val), 10, 64); err == nil {
					padded = min(padded+min(n, 2*statementMaxBytes), 2*statementMaxBytes)
				}
			}
		case *sqlparser.CommonTableExpr:
			size := 1
			walkWhole(node.AliasedTableExpr, func(inner sqlparser.SQLNode) {
				if t, ok := inner.(sqlparser.TableName); ok {
					size = min(size+planned[strings.ToLower(t.Name.String())], 2*expansionMax)
				}
			})
			planned[strings.ToLower(node.As.String())] = size
			most = max(most, size)
		}
	})
	if padded > statementMaxBytes {
		return mysql.NewSQLError(codeCapacity, "HY000", sizeMark+"its casts would be longer than max_allowed_packet (%d bytes, %s)", statementMaxBytes, statementMemory)
	}
	if most > expansionMax {
		return mysql.NewSQLError(codeStack, "HY000", sizeMark+"its common table expressions name each other so often that they would be planned more than %d times. Put one of them into a table", expansionMax)
	}
	return nil
}
