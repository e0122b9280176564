package dialect

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"
)

// emitter writes one statement for PostgreSQL. Its methods leave by refuse.
type emitter struct {
	parsed
	schema Schema
	opt    Options

	numbers map[int]int // number of a placeholder, by the client's place of it
	out     Translation
	scope   *scope
	ctes    []*cte // the CTEs that can be named here, innermost last

	// place is where an expression is, for constructs that are allowed there only.
	values    *valuesOf // in ON DUPLICATE KEY UPDATE
	recursive bool      // in a recursive query, where no row may be locked
	unordered bool      // it is not known what an assignment reads of those before it
	locked    bool      // the query that was written last ends in a locking clause
	most      int       // bytes that one expression's text may have
	written   int       // bytes that were written for aliases
	settings  []setting // what assignments have set
	moves     bool      // one of them changes each row
	steps     []string  // of columns with a number added: when they have changed a row
	counts    string    // how often a row counts that is there already; empty: once
	// For the guard:
	gapsSeen int // reads that were found unguarded
	rows     int // that the last of them asked for
	// What its locking clauses say, of any of its tables.
	exclusive, nowait, skips, waits bool
}

// remark notes where the answer may differ, once.
func (e *emitter) remark(text string) {
	for _, r := range e.out.Remarks {
		if r == text {
			return
		}
	}
	e.out.Remarks = append(e.out.Remarks, text)
}

func addName(to []Name, n Name) []Name {
	for _, m := range to {
		if m == n {
			return to
		}
	}
	return append(to, n)
}

// ident writes an identifier.
func ident(name string) string {
	if name == "" || strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
		refuse("a name that is empty or not UTF-8", "PostgreSQL has none", "")
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// identMax is the length of the names that PostgreSQL keeps; it cuts longer ones.
const identMax = 63

func fold(name string) string { return strings.ToLower(name) }

// quote writes a text literal.
func quote(s string) string {
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		refuse("a text that has a zero byte or is not UTF-8", "PostgreSQL's text cannot hold it", "Write it as a hexadecimal literal for a binary column")
	}
	s = strings.ReplaceAll(s, "'", "''")
	if strings.Contains(s, `\`) {
		return `E'` + strings.ReplaceAll(s, `\`, `\\`) + "'"
	}
	return "'" + s + "'"
}

// placeOf is the place, from 0, of a placeholder's value; -1: it is no placeholder of the client's.
func placeOf(x *sqlparser.Argument) int {
	n, err := strconv.Atoi(strings.TrimPrefix(x.Name, "v"))
	if err != nil {
		return -1
	}
	return n - 1
}

// placeholder writes the client's value at a place.
func (e *emitter) placeholder(x *sqlparser.Argument) frag {
	place := placeOf(x)
	if place < 0 {
		refuse("the placeholder "+x.Name, "only ? stands for a value", "")
	}
	number, ok := e.numbers[place]
	if !ok {
		e.out.Args = append(e.out.Args, place)
		number = len(e.out.Args)
		e.numbers[place] = number
	}
	class := AnyClass
	if place < len(e.opt.Classes) {
		class = ValueClass(e.opt.Classes[place])
	}
	return parameter("$"+strconv.Itoa(number), class)
}

// newEmitter makes a writer.
func newEmitter(p parsed, schema Schema, o Options) *emitter {
	return &emitter{parsed: p, schema: schema, opt: o, numbers: map[int]int{}, most: growth*p.size + growthIn}
}

// Translate writes a client's statement for a source. Errors are *ErrSyntax and *ErrNotTranslated.
func Translate(text string, to Dialect, schema Schema, o Options) (Translation, error) {
	p, err := parseOne(text, o)
	if err != nil {
		return Translation{}, addressed(err, to)
	}
	if to == MySQL {
		return forMySQL(p, schema, o)
	}
	return toPostgres(p, schema, o)
}

// TranslateTree is Translate for a tree that Analyse or one of its parts gave.
func TranslateTree(s *Statement, to Dialect, schema Schema, o Options) (Translation, error) {
	if to == MySQL {
		return forMySQL(s.parsed, schema, o)
	}
	return toPostgres(s.parsed, schema, o)
}

func toPostgres(p parsed, schema Schema, o Options) (t Translation, err error) {
	defer func() { err = addressed(err, Postgres) }()
	defer caught(&err)
	if p.kind == Control || p.kind == Other {
		refuse("a statement of this kind", "it is for the gateway, and no source is sent it", "")
	}
	e := newEmitter(p, schema, o)
	e.out.Kind = p.kind
	e.statement(p.stmt)
	if e.guard(p.stmt); !o.Share {
		e.out.Guard, e.out.Least = nil, 0
	}
	if e.out.Locked != "" && e.out.Least == 0 {
		e.out.Text, e.out.Locked = e.out.Locked, ""
	}
	callsOnly(o.Server, append([]string{e.out.Text, e.out.Locked}, e.out.Guard...)...)
	return e.out, nil
}

func (e *emitter) statement(stmt sqlparser.Statement) {
	switch s := stmt.(type) {
	case sqlparser.TableStatement:
		e.out.Text = e.query(s, true)
	case *sqlparser.Insert:
		e.out.Text = e.insert(s)
	case *sqlparser.Update:
		e.out.Text = e.update(s)
	case *sqlparser.Delete:
		e.out.Text = e.remove(s)
	default:
		refuse("a definition", "what a source has is its operator's", "Make it in the source")
	}
}

// list writes what f gives of each of n things, with commas between.
func list(n int, f func(int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f(i))
	}
	return b.String()
}
