package dialect

import (
	"regexp"
	"strings"
)

// Bounds of a text. The parser and all later steps go down the tree by recursion, so its depth is
// bounded before, by a lexer that does not recurse.
const (
	textMax  = 16 << 20 // bytes
	depthMax = 1000     // brackets, and operators chained between two commas
	runMax   = 100      // of words for which the parser's tokenizer recurses

	// MySQL's own bounds, and one of ours on the tables of a whole statement.
	joinMax    = 61   // tables in one FROM
	columnsMax = 4096 // columns of a query or a table
	tablesMax  = 1000
)

// token is a piece of a MySQL text.
type token struct {
	kind       tokenKind
	start, end int
}

type tokenKind byte

const (
	tokenWord tokenKind = iota // keyword, name or number
	tokenName                  // a name in quotes
	tokenString
	tokenComment
	tokenExecutable // a comment whose content runs
	tokenSign       // one byte
)

// next reads the token at or after i, false at the end of the text. Whatever the text, the
// token is not empty and lies within it.
func next(text string, i int, ansi bool) (token, bool) {
	for i < len(text) && isBlank(text[i]) {
		i++
	}
	if i >= len(text) {
		return token{}, false
	}
	t := token{start: i}
	switch c := text[i]; {
	case c == '\'' || c == '"' && !ansi:
		t.kind, t.end = tokenString, quoted(text, i, true)
	case c == '`' || c == '"':
		t.kind, t.end = tokenName, quoted(text, i, false)
	case strings.HasPrefix(text[i:], "/*!"), strings.HasPrefix(text[i:], "/*M!"):
		t.kind, t.end = tokenExecutable, through(text, i+2, "*/")
		if noEffect.MatchString(text[i:t.end]) {
			t.kind = tokenComment
		}
	case strings.HasPrefix(text[i:], "/*"):
		t.kind, t.end = tokenComment, through(text, i+2, "*/")
	case c == '#', strings.HasPrefix(text[i:], "--") && (i+2 == len(text) || isBlank(text[i+2])):
		t.kind, t.end = tokenComment, through(text, i, "\n")
	case isWord(c):
		for t.end = i; t.end < len(text) && isWord(text[t.end]); t.end++ {
			continue
		}
	default:
		t.kind, t.end = tokenSign, i+1
	}
	return t, true
}

// noEffect matches comments that run and change nothing about any server's answer: every dump reads
// its tables with one.
var noEffect = regexp.MustCompile(`(?i)^/\*M?![0-9]*\s*SQL_NO_CACHE\s*\*/$`)

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// quoted is the end of what the quote at i opens.
func quoted(text string, i int, escapes bool) int {
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

func through(text string, i int, mark string) int {
	if at := strings.Index(text[i:], mark); at >= 0 {
		return i + at + len(mark)
	}
	return len(text)
}

// mended is a text as the parser reads it correctly, and facts that the parser could not report.
type mended struct {
	text  string
	share bool // all its locking clauses were FOR SHARE
	last  bool // it contains the hint of the last round
	// places is the number of its placeholders.
	places int
}

// mend reads a text for the bounds, and for what the parser is known to get wrong:
//
//   - FOR SHARE, which it does not know, becomes FOR UPDATE and is remembered;
//   - \_ and \% in a string, of which it drops the backslash that MySQL keeps, get another one;
//   - --x, which it takes for a comment, becomes - -x.
//
// Texts that it reads differently than MySQL (// as a comment, :name as a placeholder) are refused,
// and so are comments whose content runs.
func mend(text string, ansi bool) (mended, error) {
	if len(text) > textMax {
		return mended{}, syntax("the text has %d bytes, and at most %d are read", len(text), textMax)
	}
	m := mender{source: text, ansi: ansi}
	for i := 0; ; {
		t, ok := next(text, i, ansi)
		if !ok {
			break
		}
		if err := m.token(t); err != nil {
			return mended{}, err
		}
		i = t.end
	}
	m.out.WriteString(text[m.copied:])
	if m.shares > 0 && m.updates > 0 {
		return mended{}, &ErrNotTranslated{What: "a statement with both FOR SHARE and FOR UPDATE", Reason: "the parser cannot tell them apart", Instead: "Lock with one of them throughout"}
	}
	return mended{text: m.out.String(), share: m.shares > 0, last: m.last, places: m.places}, nil
}

type mender struct {
	source string
	ansi   bool
	out    strings.Builder
	copied int // up to where the source is in out

	levels          []int // operators chained at each open bracket
	chain, total    int
	strings, words  int // in a row: strings, and words for which the tokenizer recurses
	previous        string
	shares, updates int
	last            bool
	places          int
}

// replace writes new for a part of the source.
func (m *mender) replace(start, end int, new string) {
	m.out.WriteString(m.source[m.copied:start])
	m.out.WriteString(new)
	m.copied = end
}

func (m *mender) token(t token) error {
	text := m.source[t.start:t.end]
	if t.kind == tokenComment {
		m.last = m.last || lastHint(text)
		return nil
	}
	if t.kind == tokenString {
		m.strings++
		if m.strings > runMax {
			return syntax("more than %d strings stand one after the other", runMax)
		}
		m.escapes(t.start, text)
	} else {
		m.strings = 0
	}
	if t.kind == tokenWord {
		if err := m.word(t, strings.ToLower(text)); err != nil {
			return err
		}
	} else {
		m.previous = text
	}
	switch t.kind {
	case tokenExecutable:
		return &ErrNotTranslated{What: "a comment that runs (/*! ... */)", Reason: "whether it runs depends on a server's version, and a source has its own", Instead: "Write its content without the comment"}
	case tokenSign:
		return m.sign(t, text[0])
	}
	return nil
}

func lastHint(comment string) bool {
	hint, ok := strings.CutPrefix(comment, "/*+")
	return ok && strings.EqualFold(strings.TrimSpace(strings.TrimSuffix(hint, "*/")), "last")
}

func (m *mender) escapes(start int, text string) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '\\' {
			if text[i+1] == '_' || text[i+1] == '%' {
				m.replace(start+i, start+i, `\`)
			}
			i++
		}
	}
}

func (m *mender) word(t token, word string) error {
	switch {
	case word == "not" || word == "for":
		m.words++
	case word == "share" && m.previous == "for":
		m.replace(t.start, t.end, "UPDATE")
		m.shares++
	case word == "update" && m.previous == "for", word == "lock" && m.previous != "for":
		if word == "update" {
			m.updates++
		}
	}
	if word != "not" && word != "for" {
		m.words = 0
	}
	if m.words > runMax {
		return syntax("NOT or FOR stand more than %d times one after the other", runMax)
	}
	m.previous = word
	if keywords[word] {
		return m.deeper()
	}
	return nil
}

// keywords are the words that may chain expressions, joins or queries.
var keywords = map[string]bool{
	"and": true, "or": true, "xor": true, "not": true, "div": true, "mod": true, "is": true, "in": true, "like": true,
	"between": true, "regexp": true, "rlike": true, "binary": true, "collate": true, "case": true, "when": true,
	"else": true, "interval": true, "union": true, "intersect": true, "except": true, "join": true, "straight_join": true,
	"select": true, "begin": true, "if": true, "while": true, "loop": true, "repeat": true, "with": true,
}

func (m *mender) deeper() error {
	m.chain++
	m.total++
	if m.total > depthMax {
		return syntax("it is nested, or chained by operators, deeper than %d. Write lists with IN, or split it", depthMax)
	}
	return nil
}

func (m *mender) sign(t token, c byte) error {
	after := byte(0)
	if t.end < len(m.source) {
		after = m.source[t.end]
	}
	switch c {
	case '(':
		m.levels = append(m.levels, m.chain)
		m.chain = 0
		return m.deeper()
	case ')':
		if n := len(m.levels); n > 0 {
			m.total -= m.chain
			m.chain = m.levels[n-1]
			m.levels = m.levels[:n-1]
		}
	case ',', ';':
		m.total -= m.chain
		m.chain = 0
	case '.':
	case '?':
		m.places++
	case '/':
		if after == '/' {
			return syntax("there is no operator //")
		}
		return m.deeper()
	case ':':
		if after != '=' {
			return syntax("there is no sign : here")
		}
	case '-':
		if after == '-' {
			m.replace(t.end, t.end, " ")
		}
		return m.deeper()
	default:
		return m.deeper()
	}
	return nil
}
