package sourcedb

import "strings"

// A single read at MariaDB and SERIALIZABLE. Between BEGIN and COMMIT it locks the rows it reads, and is answered in
// three packets, each of which the server must write and the agent read. With LOCK IN SHARE MODE and without a
// transaction it takes the same locks in one packet, as far as the clause reaches: to the tables in the FROM of the
// statement itself. Reads in a subquery, in a stored function or in the second half of a UNION would take no locks.
// So only statements that can contain none of these are sent this way.

// shareMode is the clause.
const shareMode = " LOCK IN SHARE MODE"

// notShared are words of statements that read more than their own FROM, or that do not end where a locking clause
// may follow. A name or value that looks like one of them only keeps the statement between BEGIN and COMMIT.
var notShared = map[string]bool{
	"UNION": true, "EXCEPT": true, "INTERSECT": true, "INTO": true, "FOR": true, "LOCK": true, "PROCEDURE": true, "FETCH": true, "ROWS": true, "VALUES": true,
	"WITH": true, "NEXTVAL": true, "PREVIOUS": true,
}

// wordMax is the length of the longest of these words, and of SELECT.
const wordMax = 9

// sharing returns a client's SELECT, without comments, with the clause that locks all rows it reads; false if its
// words do not show that this is correct.
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

// upper returns a word in upper case, in room if it fits.
func upper(word string, room *[wordMax]byte) []byte {
	if len(word) > wordMax {
		return []byte(strings.ToUpper(word)) // non-ASCII letters may have shorter upper-case forms
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
