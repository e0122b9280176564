package enginetable

import (
	"github.com/dolthub/vitess/go/mysql"
)

// errLocksMore is the error of a query that would leave rows locked that it does not return:
// MySQL's ER_NOT_SUPPORTED_YET.
func errLocksMore(table string) error {
	return mysql.NewSQLError(1235, "42000", "SKIP LOCKED on %s in a UNION, or with LIMIT in a subquery, a derived table, WITH, DISTINCT or a statement that changes rows, would lock rows that are not returned: lock the rows with a SELECT of their own first", table)
}
