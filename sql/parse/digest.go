package parse

import "strings"

// DigestMaxBytes bounds a digest, in bytes.
const DigestMaxBytes = 240

// Digest is a statement without what it is about: literals become ?, lists of
// them (?), comments and the rest of a text that was cut go. It must never let a
// literal through, so what it does not understand it drops.
func Digest(text string) string {
	var b strings.Builder
	for i := 0; i < len(text) && b.Len() < DigestMaxBytes; {
		i = digestOne(&b, text, i)
	}
	return strings.TrimSpace(shortLists(b.String()))
}

// digestOne takes one token from text[i:] and returns where the next begins.
func digestOne(b *strings.Builder, text string, i int) int {
	c := text[i]
	switch {
	case c == '\'' || c == '"':
		b.WriteByte('?')
		return afterQuoted(text, i)
	case c == '`':
		end := afterQuoted(text, i)
		b.WriteString(strings.ToValidUTF8(text[i:end], "?"))
		return end
	case c == '#', strings.HasPrefix(text[i:], "--"):
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(text)
	case strings.HasPrefix(text[i:], "/*"):
		if n := strings.Index(text[i+2:], "*/"); n >= 0 {
			return i + n + 4
		}
		return len(text)
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		if s := b.String(); s != "" && s[len(s)-1] != ' ' {
			b.WriteByte(' ')
		}
		return i + 1
	case isDigit(c):
		b.WriteByte('?')
		return afterNumber(text, i)
	case isWord(c):
		return digestWord(b, text, i)
	}
	b.WriteByte(c)
	return i + 1
}

// digestWord takes a name or a keyword; x'..', b'..' and _utf8'..' are literals.
func digestWord(b *strings.Builder, text string, i int) int {
	end := i
	for end < len(text) && (isWord(text[end]) || isDigit(text[end])) {
		end++
	}
	if end < len(text) && text[end] == '\'' && (end-i == 1 || text[i] == '_') {
		b.WriteByte('?')
		return afterQuoted(text, end)
	}
	b.WriteString(strings.ToValidUTF8(text[i:end], "?"))
	return end
}

// afterQuoted is behind the closing quote of what opens at i, or the text's end.
func afterQuoted(text string, i int) int {
	quote := text[i]
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == '\\' && quote != '`':
			j++
		case text[j] == quote && j+1 < len(text) && text[j+1] == quote:
			j++
		case text[j] == quote:
			return j + 1
		}
	}
	return len(text)
}

func afterNumber(text string, i int) int {
	for ; i < len(text); i++ {
		c := text[i]
		exponent := (c == '+' || c == '-') && (text[i-1] == 'e' || text[i-1] == 'E')
		if !isDigit(c) && !isWord(c) && c != '.' && !exponent {
			break
		}
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '@' || c >= 0x80
}

// shortLists makes (?) of (?, ?, ?) and of lists of such lists.
func shortLists(s string) string {
	for _, pair := range [][2]string{{"?, ?", "?"}, {"?,?", "?"}, {"(?), (?)", "(?)"}, {"(?),(?)", "(?)"}} {
		for strings.Contains(s, pair[0]) {
			s = strings.ReplaceAll(s, pair[0], pair[1])
		}
	}
	return s
}
