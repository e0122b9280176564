package dialect

import "strings"

// PostgreSQL looks for a function by its name on the session's search_path and by the types of its
// arguments: one of another schema whose types are closer wins over its own, wherever pg_catalog is
// on the path. So each call in a text for PostgreSQL names pg_catalog, and callsOnly reads the
// finished text to check that: a call that was written in another way is refused, not sent.

// catalog is the schema of PostgreSQL's own functions, as it precedes each call.
const catalog = "pg_catalog."

// syntaxCalls are written like calls of functions and are PostgreSQL's syntax: no function of any
// schema can take their place. EXTRACT's function is always pg_catalog's.
var syntaxCalls = map[string]bool{"COALESCE": true, "GREATEST": true, "LEAST": true, "NULLIF": true, "CAST": true, "extract": true}

// beforeParenthesis are the words that the emitter writes before a parenthesis that is no call: of
// clauses, operators and types.
var beforeParenthesis = words(`SELECT FROM WHERE HAVING ON USING VALUES IN ANY ALL EXISTS AND OR NOT AS OVER FILTER BY WHEN THEN ELSE CASE BETWEEN DISTINCT
	LIKE ILIKE ESCAPE UNION EXCEPT INTERSECT MATERIALIZED LIMIT OFFSET SET CONFLICT RETURNING CHECK KEY UNIQUE REFERENCES IDENTITY DEFAULT INTO END IS ROW JOIN LATERAL
	numeric varchar varying character bpchar timestamp timestamptz time`)

// words is a set of words.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// callsOnly refuses texts for PostgreSQL that call anything but functions that its pg_catalog has at
// the server's version.
func callsOnly(server Server, texts ...string) {
	for _, text := range texts {
		if name := foreignCall(server, text); name != "" {
			refuse("the function "+name+"()", "this source's PostgreSQL does not have it built in", "Reckon it in the application")
		}
	}
}

// foreignCall returns the first call in a text of a function that is not built in; empty: there is
// none.
func foreignCall(server Server, text string) string {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'':
			i = afterQuoted(text, i, i > 0 && text[i-1] == 'E')
		case c == '"':
			end := afterQuoted(text, i, false)
			if end < len(text) && text[end] == '(' { // a list of columns has a space before it
				return text[i:end]
			}
			i = end
		case wordByte(c):
			end := i
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			word := text[i:end]
			i = end
			open := strings.TrimLeft(text[end:], " \t\n\r")
			if !strings.HasPrefix(open, "(") {
				break
			}
			if name, own := strings.CutPrefix(word, catalog); own {
				if !server.has(Postgres, name) && !strings.HasPrefix(open, conflictNote) {
					return name
				}
			} else if !syntaxCalls[word] && !beforeParenthesis[word] {
				return word
			}
		default:
			i++
		}
	}
	return ""
}

// wordByte reports whether a byte is of a name or a number. A point is: it joins a name to its schema.
func wordByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// afterQuoted returns the end of a quoted text. A quote within is doubled, or has a backslash
// before it if escapes is set.
func afterQuoted(text string, i int, escapes bool) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}
