package parse

import "strings"

// The bounds of a text whose values are taken out.
const (
	textMaxBytes  = 4096
	textValuesMax = 64
)

// Parameterise takes the values out of a statement's text, so that texts that
// differ in them alone become one: SELECT c FROM t WHERE id = 5 becomes SELECT c
// FROM t WHERE id = ?. A value that could mean something else than itself where it
// stands (in a select list, which names columns, a call, ORDER BY, LIMIT) stays in the text. ok is false
// if the text is not simple enough to be sure; nothing is lost then but time. literal makes a value of its text, without
// quotes.
func Parameterise[V any](query string, literal func(kind Literal, text string) V) (text string, values []V, ok bool) {
	query = strings.TrimRight(query, " \t\r\n")
	if len(query) > textMaxBytes {
		return "", nil, false
	}
	p := parameteriser[V]{in: query, literal: literal, scopes: make([]scope, 1, 8)}
	for p.at < len(p.in) {
		if !p.token() {
			return "", nil, false
		}
	}
	if len(p.scopes) != 1 || !p.known || len(p.values) > textValuesMax {
		return "", nil, false
	}
	return p.out.String(), p.values, true
}

// scope is what is between two parentheses, or all of the text.
type scope struct {
	fixed bool // values stay: a select list, ORDER BY, LIMIT
	call  bool // the arguments of a function, or unclear
	list  bool // a row of VALUES or the list of an IN
	names bool // its text is the name of a column: a select list, and all that is in brackets there
	inner bool // names is that of the brackets around it
}

// Literal is the kind of a value in a text.
type Literal uint8

// The kinds of literal.
const (
	Whole  Literal = iota // a whole number
	Float                 // another number
	Quoted                // a text
)

type parameteriser[V any] struct {
	in      string
	at      int
	out     strings.Builder
	literal func(kind Literal, text string) V
	values  []V
	scopes  []scope
	known   bool   // the first word is that of a statement for which plans are made
	prev    string // the token before: a word in capitals, a sign, "name" or "value"
	before  string // the one before that
}

func (p *parameteriser[V]) top() *scope { return &p.scopes[len(p.scopes)-1] }

// put copies a token and remembers it.
func (p *parameteriser[V]) put(n int, kind string) bool {
	p.out.WriteString(p.in[p.at : p.at+n])
	p.at += n
	p.before, p.prev = p.prev, kind
	return true
}

func (p *parameteriser[V]) token() bool {
	switch c := p.in[p.at]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		p.out.WriteByte(c)
		p.at++
		return true
	case isLetter(c):
		return p.word()
	case c >= '0' && c <= '9':
		return p.number()
	case c == '\'':
		return p.text()
	case c == '`':
		n := strings.IndexByte(p.in[p.at+1:], '`')
		return n >= 0 && p.put(n+2, "name")
	case c == '(':
		return p.open()
	case c == ')':
		if len(p.scopes) == 1 {
			return false
		}
		p.scopes = p.scopes[:len(p.scopes)-1]
		return p.put(1, ")")
	case c == '-' && strings.HasPrefix(p.in[p.at:], "--"), c == '/' && strings.HasPrefix(p.in[p.at:], "/*"):
		return false // a comment may be a hint
	case strings.IndexByte("=<>!+-*/%,.", c) >= 0:
		return p.put(1, string(c))
	}
	return false
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

func (p *parameteriser[V]) word() bool {
	n := 1
	for p.at+n < len(p.in) && (isLetter(p.in[p.at+n]) || p.in[p.at+n] >= '0' && p.in[p.at+n] <= '9') {
		n++
	}
	word := strings.ToUpper(p.in[p.at : p.at+n])
	if p.prev == "." {
		return p.put(n, "name")
	}
	switch word {
	case "SELECT", "INSERT", "UPDATE", "DELETE":
		p.known = p.known || p.prev == ""
		p.top().fixed = true
		p.top().names = word == "SELECT" || p.top().inner
	case "ORDER", "GROUP", "LIMIT", "OFFSET", "INTERVAL", "ESCAPE", "INTO", "UNION", "WITH", "CASE", "WINDOW":
		p.top().fixed = true
	case "FROM", "WHERE", "SET", "VALUES", "HAVING", "ON":
		p.top().fixed = false
		p.top().names = p.top().inner
	case "AND", "OR", "NOT", "BETWEEN", "IN":
	default:
		word = "name"
	}
	return p.put(n, word)
}

func (p *parameteriser[V]) open() bool {
	outer := *p.top()
	inner := scope{fixed: outer.fixed, call: outer.call, names: outer.names, inner: outer.names}
	switch p.prev {
	case "VALUES", "IN":
		inner.list = true
	case ",":
		inner.list = len(p.scopes) == 1 && !outer.fixed // the next row of VALUES
	case "name", ")", "value":
		inner.call = true
	}
	p.scopes = append(p.scopes, inner)
	return p.put(1, "(")
}

// free reports whether a value that stands here is a value and nothing else.
func (p *parameteriser[V]) free() bool {
	s := p.top()
	if s.fixed || s.call || s.names {
		return false
	}
	switch p.prev {
	case "=", "<", ">", "BETWEEN", "AND":
		return true
	case "(", ",":
		return s.list
	case "+", "-", "*":
		return p.before == "name" || p.before == ")" || p.before == "value"
	}
	return false
}

func (p *parameteriser[V]) take(n int, kind Literal, text string) bool {
	if !p.free() {
		return p.put(n, "value")
	}
	p.values = append(p.values, p.literal(kind, text))
	p.out.WriteByte('?')
	p.at += n
	p.before, p.prev = p.prev, "value"
	return true
}

// number takes 12, 1.5 or 1e9; not 0x1f, nor names that begin with a digit.
func (p *parameteriser[V]) number() bool {
	n, whole := p.digits(0), true
	if p.is(n, '.') {
		n, whole = p.digits(n+1), false
	}
	if p.is(n, 'e') || p.is(n, 'E') {
		m := n + 1
		if p.is(m, '+') || p.is(m, '-') {
			m++
		}
		if m == p.digits(m) {
			return false
		}
		n, whole = p.digits(m), false
	}
	if p.at+n < len(p.in) && isLetter(p.in[p.at+n]) || p.prev == "." {
		return false
	}
	kind := Float
	if whole {
		kind = Whole
	}
	return p.take(n, kind, p.in[p.at:p.at+n])
}

// digits is where the digits end that begin at n.
func (p *parameteriser[V]) digits(n int) int {
	for p.at+n < len(p.in) && p.in[p.at+n] >= '0' && p.in[p.at+n] <= '9' {
		n++
	}
	return n
}

func (p *parameteriser[V]) is(n int, c byte) bool { return p.at+n < len(p.in) && p.in[p.at+n] == c }

// text takes 'a text' of plain letters without escapes: others depend on the
// session's mode and character set.
func (p *parameteriser[V]) text() bool {
	n := strings.IndexByte(p.in[p.at+1:], '\'')
	if n < 0 || p.is(n+2, '\'') {
		return false
	}
	text := p.in[p.at+1 : p.at+1+n]
	if strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 || r == '\\' || r == 0 }) {
		return false
	}
	return p.take(n+2, Quoted, text)
}
