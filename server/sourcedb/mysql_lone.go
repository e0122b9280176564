package sourcedb

import "strings"

// A read alone, at MariaDB and SERIALIZABLE: between BEGIN and COMMIT it locks what it reads, and is
// answered in three packets, each of which the server has to write and the agent to read. With LOCK
// IN SHARE MODE it takes the same locks without a transaction about it, in one packet, as far as the
// clause reaches: it is of the tables that stand in the FROM of the statement itself. What is read in
// a subquery, in a function that is stored, or in the second half of a UNION is read without locks
// then. So only what can hold none of these goes this way.

// shareMode is the clause.
const shareMode = " LOCK IN SHARE MODE"

// notShared are words that stand where a text reads more than its own FROM does, or ends otherwise
// than before a locking clause. A name that reads as one of them, or a value, only keeps the text
// between BEGIN and COMMIT.
var notShared = map[string]bool{
	"UNION": true, "EXCEPT": true, "INTERSECT": true, "INTO": true, "FOR": true, "LOCK": true, "PROCEDURE": true, "FETCH": true, "ROWS": true, "VALUES": true,
	"WITH": true, "NEXTVAL": true, "PREVIOUS": true,
}

// sharing is a SELECT of a client, without comments, with the clause that has it lock all that it
// reads; false if that is not plain from its words.
func sharing(text string) (string, bool) {
	if strings.ContainsAny(text, "(;\\") {
		return "", false
	}
	words := strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool {
		return r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && r < 0x80
	})
	selects, froms := 0, 0
	for _, w := range words {
		switch {
		case notShared[w]:
			return "", false
		case w == "SELECT":
			selects++
		case w == "FROM":
			froms++
		}
	}
	if len(words) == 0 || words[0] != "SELECT" || selects != 1 || froms != 1 {
		return "", false
	}
	return text + shareMode, true
}
