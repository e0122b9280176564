package foreign

import (
	"strings"

	"isochron/sql/dialect"
	"isochron/sql/legacy"
	"isochron/txn"
)

// Numbers of collations of utf8mb4.
const (
	generalCI    = 45
	binary       = 46
	accentlessCI = 255 // utf8mb4_0900_ai_ci
	accentsCS    = 278 // utf8mb4_0900_as_cs
	accentsCI    = 305 // utf8mb4_0900_as_ci
	codePoints   = 309 // utf8mb4_0900_bin
)

// collation returns the collation with which the gateway compares a column's text where it does so
// itself: its source's. 0: as a table of this server's own.
func collation(of dialect.Dialect, c txn.Column, sql string) uint16 {
	if class(sql) != "text" || read(sql).base == "enum" {
		return 0
	}
	if of != dialect.MySQL {
		if read(c.Type).base == "citext" {
			return accentsCI
		}
		return codePoints
	}
	charset, rule, found := strings.Cut(strings.ToLower(c.Collation), "_")
	if !found {
		return 0 // an agent of an earlier version reports none; "binary" has bytes
	}
	// Text is received as utf8mb4 from any character set, so the rule is looked for there.
	if charset != "utf8mb4" && rule == "unicode_ci" || rule == "general_ci" || charset == "utf8mb4" {
		if id, ok := legacy.CollationNamed("utf8mb4_" + rule); ok {
			return id
		}
	}
	switch {
	case strings.HasSuffix(rule, "bin"):
		return binary
	case strings.HasSuffix(rule, "_cs"):
		return accentsCS
	case strings.HasSuffix(rule, "_as_ci"):
		return accentsCI
	case strings.Contains(rule, "0900"), strings.Contains(rule, "uca"):
		return accentlessCI
	}
	return generalCI
}
