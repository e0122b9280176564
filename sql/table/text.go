package table

import "strings"

// Begins reports whether the first word of a statement is the given one, in
// lower case, past comments and brackets.
func Begins(query, word string) bool { return FirstWord(query) == word }

// FirstWord is the first word of a statement, in lower case.
func FirstWord(query string) string {
	query = Skip(query)
	end := 0
	for end < len(query) && (query[end]|0x20 >= 'a' && query[end]|0x20 <= 'z' || query[end] == '_') {
		end++
	}
	return strings.ToLower(query[:end])
}

// Skip is the statement without the space, brackets and comments before it.
func Skip(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\r\n(")
		switch {
		case strings.HasPrefix(query, "/*") && !strings.HasPrefix(query, "/*!"):
			end := strings.Index(query, "*/")
			if end < 0 {
				return ""
			}
			query = query[end+2:]
		case strings.HasPrefix(query, "-- "), strings.HasPrefix(query, "#"):
			end := strings.IndexByte(query, '\n')
			if end < 0 {
				return ""
			}
			query = query[end+1:]
		default:
			return query
		}
	}
}
