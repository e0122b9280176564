package sqlload

import (
	"fmt"
	"regexp"
	"strings"
)

// secondary is an index within MySQL's CREATE TABLE.
var secondary = regexp.MustCompile(`,\s*KEY (\w+) (\([^)]*\))`)

// Postgres are the statements that make the table at a PostgreSQL, with columns of the same names
// and ranges: for a table that a gateway then imports, which can make none there.
func (t Table) Postgres() []string {
	columns := strings.ReplaceAll(secondary.ReplaceAllString(t.Columns, ""), "DATETIME", "timestamp(0)")
	out := []string{fmt.Sprintf("CREATE TABLE %s (%s)", t.Name, columns)}
	for _, k := range secondary.FindAllStringSubmatch(t.Columns, -1) {
		out = append(out, fmt.Sprintf("CREATE INDEX %s ON %s %s", k[1], t.Name, k[2]))
	}
	return out
}
