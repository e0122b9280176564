package parse

import "strings"

// Words are the places of the bare words of a statement, up to its end.
func Words(query string) [][2]int {
	var out [][2]int
	for i := 0; i < len(query); {
		switch c := query[i]; {
		case c == ';':
			return out
		case c == '\'' || c == '"' || c == '`':
			i = SkipQuoted(query, i)
		case strings.HasPrefix(query[i:], "/*"):
			i = SkipTo(query, i, "*/")
		case lineComment(query[i:]):
			i = SkipTo(query, i, "\n")
		case isWordByte(c):
			start := i
			for i < len(query) && isWordByte(query[i]) {
				i++
			}
			out = append(out, [2]int{start, i})
		default:
			i++
		}
	}
	return out
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// lineComment reports whether a comment begins here that ends with the line.
func lineComment(s string) bool {
	return s[0] == '#' || strings.HasPrefix(s, "--") && (len(s) == 2 || s[2] <= ' ')
}

// SkipTo is the place behind the next mark, or the end of the text.
func SkipTo(s string, i int, mark string) int {
	if end := strings.Index(s[i:], mark); end >= 0 {
		return i + end + len(mark)
	}
	return len(s)
}

// SkipQuoted is the place behind a text in quotes that begins at i.
func SkipQuoted(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		if s[i] == '\\' && quote != '`' {
			i++
		} else if s[i] == quote {
			return i + 1
		}
	}
	return len(s)
}

// SkipSpace is the first place of a text, from i on, that is in no space and no comment.
func SkipSpace(query string, i int) int {
	for i < len(query) {
		switch c := query[i]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			i++
		case strings.HasPrefix(query[i:], "/*"):
			i = SkipTo(query, i, "*/")
		case lineComment(query[i:]):
			i = SkipTo(query, i, "\n")
		default:
			return i
		}
	}
	return i
}
