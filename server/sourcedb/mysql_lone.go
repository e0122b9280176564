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

// wordMax is the length of the longest of these words, and of SELECT.
const wordMax = 9

// sharing is a SELECT of a client, without comments, with the clause that has it lock all that it
// reads; false if that is not plain from its words.
func sharing(text string) (string, bool) {
	if strings.ContainsAny(text, "(;\\") {
		return "", false
	}
	var room [wordMax]byte
	selects, froms, words := 0, 0, 0
	for from, end := 0, 0; from < len(text); from = end {
		for end = from; end < len(text) && ofWord(text[end]); end++ {
		}
		if end == from {
			end++
			continue
		}
		words++
		switch w := upper(text[from:end], &room); {
		case notShared[string(w)]:
			return "", false
		case string(w) == "SELECT":
			selects++
		case string(w) == "FROM":
			froms++
		}
		if words == 1 && selects == 0 {
			return "", false
		}
	}
	if selects != 1 || froms != 1 {
		return "", false
	}
	return text + shareMode, true
}

// upper is a word in upper case, in room if that does.
func upper(word string, room *[wordMax]byte) []byte {
	if len(word) > wordMax {
		return []byte(strings.ToUpper(word)) // letters that are not ASCII may have shorter ones
	}
	w := room[:copy(room[:], word)]
	for i, b := range w {
		switch {
		case b >= 0x80:
			return []byte(strings.ToUpper(word))
		case b >= 'a' && b <= 'z':
			w[i] = b - 'a' + 'A'
		}
	}
	return w
}

// ofWord reports whether a byte belongs to a word.
func ofWord(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= 0x80
}
