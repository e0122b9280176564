package foreign

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/dialect"
	"isochron/txn"
)

// collation returns the collation with which the gateway compares a column's text where it does so
// itself: its source's. 0: as a table of this server's own.
func collation(of dialect.Dialect, c txn.Column, sql string) gms.CollationID {
	if class(sql) != "text" || read(sql).base == "enum" {
		return 0
	}
	if of != dialect.MySQL {
		if read(c.Type).base == "citext" {
			return gms.Collation_utf8mb4_0900_as_ci
		}
		return gms.Collation_utf8mb4_0900_bin
	}
	charset, rule, found := strings.Cut(strings.ToLower(c.Collation), "_")
	if !found {
		return 0 // an agent of an earlier version reports none; "binary" has bytes
	}
	// Text is received as utf8mb4 from any character set, so the rule is looked for there.
	if charset != "utf8mb4" && rule == "unicode_ci" || rule == "general_ci" || charset == "utf8mb4" {
		if id, err := gms.ParseCollation("", "utf8mb4_"+rule, false); err == nil && id.Sorter() != nil {
			return id
		}
	}
	switch {
	case strings.HasSuffix(rule, "bin"):
		return gms.Collation_utf8mb4_bin
	case strings.HasSuffix(rule, "_cs"):
		return gms.Collation_utf8mb4_0900_as_cs
	case strings.HasSuffix(rule, "_as_ci"):
		return gms.Collation_utf8mb4_0900_as_ci
	case strings.Contains(rule, "0900"), strings.Contains(rule, "uca"):
		return gms.Collation_utf8mb4_0900_ai_ci
	}
	return gms.Collation_utf8mb4_general_ci
}
