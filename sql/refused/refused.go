package refused

import (
	"strings"

	"isochron/sql/expr"
)

// Form is a form of a query that is refused.
type Form struct {
	Name  string // in the code and on the page
	What  string // an example, or what it is
	Code  int    // MySQL's number
	Words string // of the error; %s is the part of the statement at fault, if it has one
}

// MySQL's numbers.
const (
	codeNoFulltext   = 1191
	codeNotSupported = 1235
	codeNoFunction   = 1305
)

// Forms are all of them, by name.
var Forms = []Form{
	{"charset", "a `character_set_results` that is not known", codeNotSupported, "the character set %s is not supported: SET NAMES utf8mb4"},
	{"collation", "a `collation_connection` of which no comparison is known", codeNotSupported, "the collation %s is not supported: SET NAMES utf8mb4"},
	{"file", "`SELECT ... INTO OUTFILE`, `INTO DUMPFILE`", codeNotSupported, "INTO OUTFILE and INTO DUMPFILE are not supported: a gateway writes no files; write the rows at the client"},
	{"fulltext", "`MATCH (a) AGAINST ('x')`", codeNoFulltext, "Can't find FULLTEXT index matching the column list"},
	{"function", "a function that is not known", codeNoFunction, "FUNCTION %s does not exist"},
	{"json-table", "`JSON_TABLE(...)`", codeNotSupported, "JSON_TABLE is not supported: take values out with JSON_EXTRACT, or join with a table of numbers"},
	{"padded", "sql_mode `PAD_CHAR_TO_FULL_LENGTH`, of a query that reads CHAR columns", codeNotSupported, "sql_mode PAD_CHAR_TO_FULL_LENGTH is not supported: use RPAD"},
	{"part", "any other part that is not supported", codeNotSupported, "This version of Isochron doesn't yet support '%s'"},
	{"spatial", "`POINT(1, 2)`, `ST_Distance(a, b)` and other spatial functions", codeNotSupported, "spatial functions are not supported: %s"},
}

// Error is the error of a form; what is the part of the statement at fault, for forms that show it.
func Error(name, what string) error {
	for _, f := range Forms {
		if f.Name == name {
			state := "42000"
			if f.Code == codeNoFulltext {
				state = "HY000"
			}
			return &expr.Error{Code: f.Code, State: state, Message: strings.Replace(f.Words, "%s", shortened(what), 1)}
		}
	}
	panic("no form of a query is called " + name)
}

// partMax bounds the part of a statement that an error shows, in bytes.
const partMax = 200

func shortened(what string) string {
	if len(what) <= partMax {
		return what
	}
	return strings.ToValidUTF8(what[:partMax], "") + "..."
}
