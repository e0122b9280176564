package parse

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// Mode is the part of sql_mode under which a text means something else than the parser takes it for. Such a text is written
// as the parser reads it before it is parsed.
type Mode struct {
	AnsiQuotes  bool // "x" is a name
	Pipes       bool // || is CONCAT
	NoBackslash bool // a backslash in a text is one
	HighNot     bool // NOT binds as !
}

// ModeOf is the mode of a value of sql_mode.
func ModeOf(sqlMode string) (m Mode) {
	for _, name := range strings.Split(strings.ToUpper(sqlMode), ",") {
		switch name {
		case "ANSI":
			m.AnsiQuotes, m.Pipes = true, true
		case "ANSI_QUOTES":
			m.AnsiQuotes = true
		case "PIPES_AS_CONCAT":
			m.Pipes = true
		case "NO_BACKSLASH_ESCAPES":
			m.NoBackslash = true
		case "HIGH_NOT_PRECEDENCE":
			m.HighNot = true
		}
	}
	return m
}

// pipesMark is a name that stands for || in a text, between two signs ^: a || b is a ^ `mark` ^ b.
const pipesMark = "concatenation, a mark of the parser"

// asParsed is a text as the parser reads it, which knows no Mode, no escapes of ODBC, and no tables of a locking clause.
type asParsed struct {
	scanner
	mode   Mode
	out    strings.Builder
	copied int         // so much of the text is in out
	locks  []lockGroup // the clauses FOR UPDATE and FOR SHARE, by the SELECT that they stand in
	braces int         // escapes of ODBC that are open
	prev   string      // the word before, in lower case; else a sign
	failed *expr.Error // the text cannot be written so
}

// plain is a text as the parser reads it, and its locking clauses if some of them name tables.
func plain(text string, m Mode) (string, []lockGroup, error) {
	if m == (Mode{}) && strings.IndexByte(text, '{') < 0 && !hasWord(text, "for") {
		return text, nil, nil
	}
	p := &asParsed{scanner: scanner{text: text}, mode: m}
	for p.space(); p.at < len(text) && p.failed == nil; p.space() {
		p.token()
	}
	if p.failed != nil {
		return "", nil, p.failed
	}
	p.out.WriteString(text[p.copied:])
	return p.out.String(), p.named(), nil
}

// put replaces the text from start to the scanner's place.
func (p *asParsed) put(start int, by string) {
	p.out.WriteString(p.text[p.copied:start])
	p.out.WriteString(by)
	p.copied = p.at
}

func (p *asParsed) token() {
	start := p.at
	switch c := p.text[p.at]; {
	case c == '`':
		p.quoted()
		p.prev = "name"
	case c == '\'' || c == '"':
		p.literal(c)
		p.prev = "value"
	case c == '{':
		p.escape()
	case c == '}' && p.braces > 0:
		p.at++
		p.braces--
		p.put(start, " ")
		p.prev = "value"
	case c == '|' && strings.HasPrefix(p.text[p.at:], "||") && p.mode.Pipes:
		p.at += 2
		p.put(start, " ^ `"+pipesMark+"` ^ ")
		p.prev = "||"
	case c == '^' && p.mode.Pipes:
		p.at++
		p.prev = "^"
		if hasSign(p.text, "||") {
			p.failed = expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'the sign ^ beside || under sql_mode PIPES_AS_CONCAT'")
		}
	case wordByte(c):
		p.wordToken(start)
	default:
		p.at++
		p.prev = string(c)
	}
}

// hasSign is a quick look for a sign; it may find it in quotes.
func hasSign(text, sign string) bool { return strings.Contains(text, sign) }

// literal is a text in quotes, or under ANSI_QUOTES a name.
func (p *asParsed) literal(quote byte) {
	start := p.at
	name := quote == '"' && p.mode.AnsiQuotes
	if !name && !p.mode.NoBackslash {
		p.quoted()
		return
	}
	var inner strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == quote && p.at+1 < len(p.text) && p.text[p.at+1] == quote:
			p.at++
			inner.WriteByte(c)
			if !name {
				inner.WriteByte(c)
			}
		case c == quote:
			p.at++
			if name {
				p.put(start, "`"+strings.ReplaceAll(inner.String(), "`", "``")+"`")
			} else {
				p.put(start, string(quote)+inner.String()+string(quote))
			}
			return
		case c == '\\' && !name:
			inner.WriteString(`\\`)
		default:
			inner.WriteByte(c)
		}
	}
}

// escapes are the words behind { of ODBC, and what stands for them.
var escapes = map[string]string{"d": " DATE ", "t": " TIME ", "ts": " TIMESTAMP ", "oj": " ", "fn": " "}

// escape is a brace of ODBC: {d '2024-01-31'}, {ts '...'}, {oj a LEFT JOIN b ON ...}, {fn f(x)}.
func (p *asParsed) escape() {
	start := p.at
	p.at++
	by, ok := escapes[strings.ToLower(p.word())]
	if !ok {
		p.at, p.prev = start+1, "{"
		return
	}
	p.braces++
	p.put(start, by)
	p.prev = "("
}

func (p *asParsed) wordToken(start int) {
	word := strings.ToLower(p.word())
	dotted := start > 0 && (p.text[start-1] == '.' || p.text[start-1] == '@')
	switch {
	case dotted:
	case word == "not" && p.mode.HighNot && p.prefixes():
		p.put(start, " ! ")
	case word == "for":
		p.lock(start)
	}
	p.prev = word
}

// prefixes reports whether a NOT negates what stands behind it, and is no part of IS NOT, NOT IN, NOT LIKE and the like.
func (p *asParsed) prefixes() bool {
	if p.prev == "is" || p.prev == "if" {
		return false
	}
	next := p.scanner
	switch strings.ToLower(next.word()) {
	case "in", "like", "between", "regexp", "rlike", "null":
		return false
	}
	return true
}

// concatenated has CONCAT in the place of the marks of ||, and texts without escapes in the patterns of LIKE.
func (m Mode) concatenated(tree sqlparser.Statement) sqlparser.Statement {
	if !m.Pipes && !m.NoBackslash {
		return tree
	}
	return sqlparser.CopyOnRewrite(tree, nil, func(c *sqlparser.CopyOnWriteCursor) {
		switch n := c.Node().(type) {
		case *sqlparser.BinaryExpr:
			left, ok := n.Left.(*sqlparser.BinaryExpr)
			if !ok || n.Operator != sqlparser.BitXorOp || left.Operator != sqlparser.BitXorOp {
				return
			}
			if mark, ok := left.Right.(*sqlparser.ColName); ok && mark.Qualifier.IsEmpty() && mark.Name.String() == pipesMark {
				c.Replace(&sqlparser.FuncExpr{Name: sqlparser.NewIdentifierCI("concat"), Exprs: []sqlparser.Expr{left.Left, n.Right}})
			}
		case *sqlparser.ComparisonExpr:
			if m.NoBackslash && n.Escape == nil && (n.Operator == sqlparser.LikeOp || n.Operator == sqlparser.NotLikeOp) {
				changed := *n
				changed.Escape = sqlparser.NewStrLiteral("")
				c.Replace(&changed)
			}
		}
	}, nil).(sqlparser.Statement)
}
