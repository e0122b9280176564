package accounts

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// The engine's ALTER USER takes one account, and of the options only a password and limits.
// Its CREATE USER has the grammar of both statements. So ALTER USER is parsed as a CREATE
// USER, and the parsed statement is marked. The mark also carries the options for which the
// parser has one value for "absent" and "off".

// alterMark is the Attribute of a CREATE USER that is an ALTER USER. A client's own
// attribute never has it: see markAlter.
const alterMark = "\x00alter:"

// The flags behind alterMark.
const (
	flagLock   = "lock,"
	flagUnlock = "unlock,"
	flagNoTLS  = "notls,"
)

// WithCreateUser rewrites the first statement of a text from ALTER USER to CREATE USER. mark
// is the Attribute for the parsed statement, empty for any other statement.
func WithCreateUser(query string) (text, mark string) {
	const alter, exists = "alter", "exists"
	if i := parse.SkipSpace(query, 0); len(query) < i+len(alter) || !strings.EqualFold(query[i:i+len(alter)], alter) {
		return query, "" // nearly every statement
	}
	at := parse.Words(query)
	word := func(i int) string {
		if i >= len(at) {
			return ""
		}
		return strings.ToLower(query[at[i][0]:at[i][1]])
	}
	if word(0) != alter || word(1) != "user" {
		return query, ""
	}
	text = query[:at[0][0]] + "CREATE" + query[at[0][1]:at[1][1]]
	rest := at[1][1]
	if word(2) == "if" && word(3) == exists {
		text += query[rest:at[3][0]] + "NOT EXISTS"
		rest = at[3][1]
	}
	lock, tls := "", ""
	for i := 2; i+1 < len(at); i++ {
		if parse.SkipSpace(query, at[i][1]) != at[i+1][0] {
			continue // names of two accounts
		}
		switch word(i) + " " + word(i+1) {
		case "account lock":
			lock = flagLock
		case "account unlock":
			lock = flagUnlock
		case "require none":
			tls = flagNoTLS
		}
	}
	return text + query[rest:], alterMark + lock + tls
}

// MarkAlter marks a statement that withCreateUser has rewritten. An ATTRIBUTE or COMMENT of
// the client stays in its place, so that it is refused.
func MarkAlter(stmt sqlparser.Statement, mark string) {
	n, ok := stmt.(*sqlparser.CreateUser)
	switch {
	case !ok:
	case n.Attribute != "":
		n.Attribute = " " + n.Attribute // never a mark
	default:
		n.Attribute = mark
	}
}

// IsAlter reports whether a parsed CREATE USER is an ALTER USER.
func IsAlter(n *sqlparser.CreateUser) bool { return strings.HasPrefix(n.Attribute, alterMark) }

// flagged reports whether the mark of an ALTER USER has a flag.
func flagged(attribute, flag string) bool {
	return slices.Contains(strings.SplitAfter(strings.TrimPrefix(attribute, alterMark), ","), flag)
}
