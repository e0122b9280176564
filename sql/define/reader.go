package define

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
	"isochron/sql/parse"
)

// reader reads a statement, token by token. The first error ends it: all that is read then is empty.
type reader struct {
	parse.Reader
	mode parse.Mode
	err  error
}

// Read reads a text that is a single statement; nil, nil: it is a statement of another package.
func Read(text string, mode parse.Mode) (Statement, error) {
	r := &reader{Reader: parse.Reader{Text: strings.TrimRight(parse.Executed(text), "; \t\r\n"), ANSI: mode.AnsiQuotes, NoBackslash: mode.NoBackslash}, mode: mode}
	s := r.statement()
	if s == nil && r.err == nil {
		return nil, nil
	}
	if r.err == nil && r.Peek().Kind != parse.End {
		r.unexpected()
	}
	if r.err != nil {
		return nil, r.err
	}
	return s, nil
}

func (r *reader) statement() Statement {
	switch {
	case r.Words("create", "temporary", "table"):
		return r.createTable(true)
	case r.Words("create", "table"):
		return r.createTable(false)
	case r.Words("create", "database"), r.Words("create", "schema"):
		return r.createDatabase()
	case r.Words("alter", "database"), r.Words("alter", "schema"):
		return r.alterDatabase()
	case r.Words("create", "index"):
		return r.createIndex(Plain)
	case r.Words("create", "unique", "index"):
		return r.createIndex(Unique)
	case r.Words("create", "fulltext", "index"):
		return r.createIndex(FullText)
	case r.Words("create", "spatial", "index"):
		return r.createIndex(Spatial)
	case r.Words("drop", "index"):
		return r.dropIndex()
	case r.Words("alter", "table"), r.Words("alter", "ignore", "table"), r.Words("alter", "online", "table"):
		return r.alterTable()
	case r.Words("rename", "table"), r.Words("rename", "tables"):
		return r.rename()
	case r.Words("truncate"):
		r.take("table")
		return &Truncate{r.table()}
	case r.Words("drop"):
		return r.drop()
	case r.Peek().Is("create"):
		return r.createView()
	}
	return nil
}

// unexpected is MySQL's syntax error at the next token.
func (r *reader) unexpected() {
	if r.err == nil {
		r.err = parse.SyntaxError(r.Text, r.Peek().From)
	}
}

// fail ends the reading with an error.
func (r *reader) fail(code int, state, format string, args ...any) {
	if r.err == nil {
		r.err = expr.NewError(code, state, format, args...)
	}
}

// take goes behind a word or sign if it comes next.
func (r *reader) take(what string) bool { return r.err == nil && r.Take(what) }

// words goes behind words that come next, if all of them do.
func (r *reader) words(list ...string) bool { return r.err == nil && r.Words(list...) }

// must goes behind words or signs that have to come next.
func (r *reader) must(list ...string) {
	for _, what := range list {
		if !r.take(what) {
			r.unexpected()
		}
	}
}

// one goes behind one of some words; "": none of them comes next.
func (r *reader) one(list ...string) string {
	for _, w := range list {
		if r.take(w) {
			return w
		}
	}
	return ""
}

// reserved are words that begin something else where a name may be left out.
var reserved = map[string]bool{
	"primary": true, "unique": true, "key": true, "index": true, "fulltext": true, "spatial": true, "constraint": true, "foreign": true, "check": true, "using": true,
	"references": true, "select": true, "table": true, "from": true, "where": true, "column": true, "to": true, "as": true, "like": true, "on": true, "default": true,
	"add": true, "drop": true, "alter": true, "create": true, "change": true, "rename": true, "order": true, "group": true, "by": true, "values": true, "with": true,
	"null": true, "not": true, "and": true, "or": true, "in": true, "is": true, "exists": true, "if": true, "ignore": true, "replace": true, "set": true, "update": true,
	"int": true, "varchar": true, "char": true, "float": true, "double": true, "decimal": true, "desc": true, "asc": true, "limit": true, "union": true, "join": true,
}

// isName reports whether a name comes next.
func (r *reader) isName() bool {
	t := r.Peek()
	switch t.Kind {
	case parse.Name:
		return true
	case parse.Word:
		return !reserved[strings.ToLower(t.Text)] && !isNumber(t.Text)
	}
	return false
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// nameMax bounds the name of a thing, in characters.
const nameMax = 64

// name is a name that has to come next.
func (r *reader) name() string {
	if r.err != nil {
		return ""
	}
	if !r.isName() {
		r.unexpected()
		return ""
	}
	return r.checked(r.Next().Text)
}

// checked is a name that is short enough.
func (r *reader) checked(name string) string {
	if len([]rune(name)) > nameMax {
		r.fail(1059, "42000", "Identifier name '%s' is too long", name)
	}
	return name
}

// behindDot is a name behind a dot: any word may be one.
func (r *reader) behindDot() string {
	if t := r.Peek(); t.Kind == parse.Word || t.Kind == parse.Name {
		return r.checked(r.Next().Text)
	}
	r.unexpected()
	return ""
}

// table is the name of a table.
func (r *reader) table() Name {
	if r.take(".") {
		return Name{Name: r.behindDot()}
	}
	first := r.name()
	if r.take(".") {
		return Name{first, r.behindDot()}
	}
	return Name{Name: first}
}

// names is a list of names in brackets.
func (r *reader) names() (out []string) {
	r.must("(")
	for r.err == nil {
		out = append(out, r.columnName())
		if !r.take(",") {
			break
		}
	}
	r.must(")")
	return out
}

// columnName is the name of a column, perhaps behind that of its table.
func (r *reader) columnName() string {
	name := r.name()
	for r.take(".") {
		name = r.behindDot()
	}
	return name
}

// text is a text in quotes that has to come next.
func (r *reader) text() string {
	if r.err != nil {
		return ""
	}
	if t := r.Peek(); t.Kind == parse.Text || t.Kind == parse.Word && (t.Is("n") || strings.HasPrefix(t.Text, "_")) {
		if t.Kind == parse.Word {
			r.Next()
			if t = r.Peek(); t.Kind != parse.Text {
				r.unexpected()
				return ""
			}
		}
		r.Next()
		return r.Value(t)
	}
	r.unexpected()
	return ""
}

// number is a number without a sign that has to come next.
func (r *reader) number() uint64 {
	if r.err != nil {
		return 0
	}
	t := r.Peek()
	n, err := strconv.ParseUint(t.Text, 10, 64)
	if t.Kind != parse.Word || err != nil {
		r.unexpected()
		return 0
	}
	r.Next()
	return n
}

// size is a number that a length can be.
func (r *reader) size() int { return int(min(r.number(), 1<<32)) }

// bracketed is the text between brackets that have to come next.
func (r *reader) bracketed() string {
	r.must("(")
	from, depth := r.At, 1
	for r.err == nil {
		t := r.Next()
		switch {
		case t.Kind == parse.End:
			r.unexpected()
		case t.Is("("):
			depth++
		case t.Is(")"):
			if depth--; depth == 0 {
				return strings.TrimSpace(r.Text[from:t.From])
			}
		}
	}
	return ""
}

// expression is an expression in brackets that has to come next.
func (r *reader) expression() Expression {
	from := r.At
	text := r.bracketed()
	if r.err != nil {
		return Expression{}
	}
	return r.parsed(text, from)
}

// parsed parses an expression; from is where it stands in the text.
func (r *reader) parsed(text string, from int) Expression {
	tree, err := parse.Expression(text, r.mode)
	if err != nil {
		if r.err == nil {
			r.err = parse.SyntaxError(r.Text, parse.SkipSpace(r.Text, from))
		}
		return Expression{}
	}
	return Expression{Tree: tree, Text: text}
}

// literal is a constant, perhaps with a sign.
func (r *reader) literal() Expression {
	from := r.Peek().From
	signed := r.take("-") || r.take("+")
	t := r.Next()
	switch {
	case t.Kind == parse.Text && !signed:
		for r.Peek().Kind == parse.Text { // texts that stand beside each other are one
			r.Next()
		}
	case t.Kind == parse.Word && !signed && r.Peek().Kind == parse.Text && (strings.HasPrefix(t.Text, "_") || introduces[strings.ToLower(t.Text)]):
		r.Next()
	case t.Kind == parse.Word && (t.Is("true") || t.Is("false") || t.Is("null")) && !signed:
	case t.Kind == parse.Word && t.Text[0] >= '0' && t.Text[0] <= '9', t.Is("."):
		r.At = t.From + numberLength(r.Text[t.From:])
		if r.At == t.From {
			r.At = t.To
		}
	default:
		r.At = t.From
		r.unexpected()
		return Expression{}
	}
	return r.parsed(strings.TrimSpace(r.Text[from:r.At]), from)
}

// introduces are the words before a text that are part of a literal.
var introduces = map[string]bool{"x": true, "b": true, "n": true, "date": true, "time": true, "timestamp": true}

// numberLength is the length of the number that a text begins with.
func numberLength(s string) int {
	if end := basedLength(s); end > 0 {
		return end
	}
	digits := func(i int) int {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	end := digits(0)
	if end < len(s) && s[end] == '.' {
		end = digits(end + 1)
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		i := end + 1
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if last := digits(i); last > i {
			end = last
		}
	}
	return end
}

// basedLength is numberLength of 0x... and 0b...
func basedLength(s string) int {
	if len(s) < 3 || s[0] != '0' || s[1] != 'x' && s[1] != 'b' {
		return 0
	}
	i := 2
	for i < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[i]) >= 0 {
		i++
	}
	return i
}

// columnsOf are the columns that an expression names.
func columnsOf(e sqlparser.Expr) (out []*sqlparser.ColName) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok {
			out = append(out, c)
		}
		return true, nil
	}, e)
	return out
}
