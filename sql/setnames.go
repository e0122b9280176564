package sql

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// withCollation has SET NAMES set the collation that it names too, which the engine's parser drops. query is the text that
// the statement was parsed from.
func withCollation(query string, stmt sqlparser.Statement) {
	set, ok := stmt.(*sqlparser.Set)
	if !ok || len(set.Exprs) != 1 || !strings.EqualFold(set.Exprs[0].Name.Name.String(), "names") {
		return
	}
	if name := collationNamed(query); name != "" {
		set.Exprs = append(set.Exprs, &sqlparser.SetVarExpr{Name: sqlparser.NewColName("collation_connection"), Expr: sqlparser.NewStrVal([]byte(name))})
	}
}

// collationNamed is the name behind COLLATE in the first statement of a text; "": there is none.
func collationNamed(query string) string {
	for _, w := range parse.Words(query) {
		if !strings.EqualFold(query[w[0]:w[1]], "collate") {
			continue
		}
		rest := strings.TrimLeft(query[w[1]:], " \t\r\n")
		if rest == "" {
			return ""
		}
		if quote := rest[0]; quote == '\'' || quote == '"' || quote == '`' {
			name, _, _ := strings.Cut(rest[1:], string(quote))
			return name
		}
		end := 0
		for end < len(rest) && !strings.ContainsRune(" \t\r\n;,", rune(rest[end])) {
			end++
		}
		return rest[:end]
	}
	return ""
}
