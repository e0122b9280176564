package parse

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// Select parses a text that is a single SELECT; nil: it is none, or it is for another parser. Its parameters are
// arguments v1, v2, ... in their order.
func Select(text string) *sqlparser.Select {
	s, _ := statement(text).(*sqlparser.Select)
	return s
}

// statement parses a text; nil: it is no statement, or it is for another parser.
func statement(text string) sqlparser.Statement {
	stmt, err := parsed(text, Mode{})
	if err != nil {
		return nil
	}
	return stmt
}

// parsed parses a text that is read under a mode. An error has MySQL's number.
func parsed(text string, m Mode) (sqlparser.Statement, error) {
	text, groups, err := plain(strings.TrimRight(Executed(text), "; \t\r\n"), m)
	if err != nil {
		return nil, err
	}
	read, sounds := marked(text)
	read, sets, changed := rewritten(read)
	stmt, err := tree(read)
	if err != nil {
		return nil, syntaxError(read, err)
	}
	if changed && len(sets) > 0 {
		if !restored(stmt, sets) {
			return nil, expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'set operations in this place'")
		}
	}
	if err := locked(stmt, groups); err != nil {
		return nil, err
	}
	stmt = m.concatenated(stmt)
	if sounds {
		if stmt = unmarked(stmt); stmt == nil {
			return nil, expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'SOUNDS LIKE in this place'")
		}
	}
	return worded(stmt), nil
}

// tree is the parser's tree. Of definitions the parser would keep a part, and log what it does not read.
func tree(text string) (sqlparser.Statement, error) {
	parser, s := expr.Environment().Parser(), scanner{text: text}
	switch strings.ToLower(s.word()) {
	case "create", "alter", "drop", "rename", "truncate":
		return parser.ParseStrictDDL(text)
	}
	return parser.Parse(text)
}

// worded has texts in the place of words that are no columns: the first argument of GET_FORMAT.
func worded(s sqlparser.Statement) sqlparser.Statement {
	if s == nil {
		return nil
	}
	return sqlparser.CopyOnRewrite(s, nil, func(c *sqlparser.CopyOnWriteCursor) {
		f, ok := c.Node().(*sqlparser.FuncExpr)
		if !ok || !f.Qualifier.IsEmpty() || !f.Name.EqualString("get_format") || len(f.Exprs) != 2 {
			return
		}
		word, ok := f.Exprs[0].(*sqlparser.ColName)
		if !ok || !word.Qualifier.IsEmpty() {
			return
		}
		switch name := strings.ToUpper(word.Name.String()); name {
		case "DATE", "TIME", "DATETIME", "TIMESTAMP":
			c.Replace(&sqlparser.FuncExpr{Name: f.Name, Exprs: []sqlparser.Expr{sqlparser.NewStrLiteral(name), f.Exprs[1]}})
		}
	}, nil).(sqlparser.Statement)
}

// Items are the texts of a select list's items, as the client wrote them; nil: the text is no plain SELECT.
func Items(text string) []string {
	s := scanner{text: text}
	if !strings.EqualFold(s.word(), "select") {
		return nil
	}
	s.modifiers()
	return s.items()
}

// modifiers goes behind the words between SELECT and its list.
func (s *scanner) modifiers() {
	for at := s.at; ; at = s.at {
		switch strings.ToLower(s.word()) {
		case "all", "distinct", "distinctrow", "high_priority", "straight_join", "sql_small_result", "sql_big_result", "sql_buffer_result", "sql_no_cache":
			continue
		}
		s.at = at
		return
	}
}

// scanner walks over a text, past comments, quotes and parentheses.
type scanner struct {
	text string
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			s.at++
		case strings.HasPrefix(rest, "/*"):
			s.to("*/")
		case strings.HasPrefix(rest, "#"), strings.HasPrefix(rest, "-- "), strings.HasPrefix(rest, "--\n"), strings.HasPrefix(rest, "--\t"):
			s.to("\n")
		default:
			return
		}
	}
}

// to goes behind the next occurrence.
func (s *scanner) to(end string) {
	i := strings.Index(s.text[s.at:], end)
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + len(end)
}

// word is the word at hand; the scanner goes behind it.
func (s *scanner) word() string {
	s.space()
	start := s.at
	for s.at < len(s.text) && wordByte(s.text[s.at]) {
		s.at++
	}
	return s.text[start:s.at]
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// quoted goes behind a quoted text.
func (s *scanner) quoted() {
	quote := s.text[s.at]
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\' && quote != '`':
			s.at++
		case c == quote:
			if s.at+1 < len(s.text) && s.text[s.at+1] == quote {
				s.at++
				continue
			}
			s.at++
			return
		}
	}
}

// ends are the words behind a select list.
var ends = map[string]bool{"from": true, "into": true, "where": true, "group": true, "having": true, "order": true, "limit": true, "for": true, "lock": true, "union": true, "except": true, "intersect": true, "window": true, "procedure": true}

// items cuts what follows at its commas, up to the end of the list.
func (s *scanner) items() []string {
	var out []string
	s.space()
	start, depth := s.at, 0
	item := func(end int) { out = append(out, strings.TrimSpace(s.text[start:end])) }
	for {
		s.space()
		if s.at >= len(s.text) {
			break
		}
		switch c := s.text[s.at]; {
		case c == '\'' || c == '"' || c == '`':
			s.quoted()
		case c == '(':
			depth++
			s.at++
		case c == ')' && depth == 0: // of the query around
			item(s.at)
			return out
		case c == ')':
			depth--
			s.at++
		case c == ',' && depth == 0:
			item(s.at)
			s.at++
			s.space()
			start = s.at
		case c == ';' && depth == 0:
			item(s.at)
			return out
		case wordByte(c):
			begin := s.at
			dotted := begin > 0 && (s.text[begin-1] == '.' || s.text[begin-1] == '@')
			if w := s.word(); depth == 0 && !dotted && ends[strings.ToLower(w)] {
				item(begin)
				return out
			}
		default:
			s.at++
		}
	}
	item(len(s.text))
	return out
}

// Statement parses any statement; nil: it is for another parser.
func Statement(text string) sqlparser.Statement { return statement(text) }
