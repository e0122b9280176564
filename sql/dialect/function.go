package dialect

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// writer writes a function of MySQL from its arguments.
type writer struct {
	least, most int // arguments
	write       func(e *emitter, args []frag) frag
}

// functions are those functions whose translation depends on their arguments alone. Each file of
// functions adds its own.
var functions = map[string]writer{}

// It is filled here, since a function's arguments may be functions.
func init() {
	for _, set := range []map[string]writer{textFunctions, numberFunctions, timeFunctions, choiceFunctions} {
		for name, w := range set { // order: into a map
			functions[name] = w
		}
	}
}

// refused are functions with a reason of their own for not being translated.
var refused = map[string][2]string{
	"last_insert_id": {"it is of the client's session", "The gateway gives its value"},
	"database":       {"it is of the client's session", "The gateway gives its value"},
	"schema":         {"it is of the client's session", "The gateway gives its value"},
	"user":           {"it is of the client's session", "The gateway gives its value"},
	"current_user":   {"it is of the client's session", "The gateway gives its value"},
	"connection_id":  {"it is of the client's session", "The gateway gives its value"},
	"found_rows":     {"PostgreSQL has nothing like it", "Count with a second query"},
	"row_count":      {"it is of the client's session", "The answer of a write says how many rows it changed"},
	"sleep":          {"it would hold what the transaction has locked", ""},
	"benchmark":      {"it is MySQL's alone", ""},
	"get_lock":       {"a lock by name is the server's that gave it", "Lock a row"},
	"release_lock":   {"a lock by name is the server's that gave it", "Lock a row"},
	"is_free_lock":   {"a lock by name is the server's that gave it", "Lock a row"},
	"load_file":      {"a source's files are not the client's", ""},
	"version":        {"the client speaks to the gateway", ""},
	"bit_and":        {"over no rows MySQL gives 64 ones, which PostgreSQL's integers do not hold", ""},
	"uuid_short":     {"it is of one server", "Use UUID()"},
	"any_value":      {"PostgreSQL 15 does not have it", "Use MIN(...)"},
	"convert_tz":     {"its zones are tables of MySQL", "Convert in the application"},
	"compress":       {"PostgreSQL has nothing like it", ""},
	"crc32":          {"PostgreSQL has nothing like it", "Use MD5(...)"},
	"char":           {"it makes bytes, which PostgreSQL keeps apart from text", "Write the text"},
	"password":       {"it is MySQL's own", ""},
	"interval":       {"PostgreSQL has nothing like it", "Write a CASE"},
}

// call writes the call of a function.
func (e *emitter) call(x called) frag {
	name := x.name
	if x.stored {
		refuse("the function "+name+"() of a database", "functions of a database do not go to a source", "")
	}
	if f, ok := e.sessionValue(name, x.args); ok {
		return f
	}
	if why, ok := refused[name]; ok {
		refuse(strings.ToUpper(name)+"()", why[0], why[1])
	}
	switch {
	case x.words:
		refuse(strings.ToUpper(name)+"() of this form", "the writer does not know it", "")
	case x.over != nil:
		return e.window(x)
	case aggregateFunctions[name]:
		return e.aggregate(x)
	case name == "json_extract" || name == "json_unquote":
		return e.json(name, x.args)
	}
	w, ok := functions[name]
	if !ok || x.distinct {
		refuse(strings.ToUpper(name)+"()", "the writer does not know this function", "Reckon it in the application, or see docs/generated/dialects.md for those it knows")
	}
	if name == "if" && len(x.args) == 3 {
		c := e.any(x.args[0]) // a condition stays one
		return w.write(e, append([]frag{c}, e.args(x.args[1:])...))
	}
	args := e.args(x.args)
	if len(args) < w.least || len(args) > w.most {
		refuse(strings.ToUpper(name)+"() with "+itoa(len(args))+" arguments", "it takes another number of them", "")
	}
	return w.write(e, args)
}

// sessionValue writes what the caller gave of the session.
func (e *emitter) sessionValue(name string, args []sqlparser.Expr) (frag, bool) {
	switch {
	case name == "last_insert_id" && len(args) == 0 && e.opt.LastInsertID != nil:
		return number(u64(*e.opt.LastInsertID), typed{kind: integer, wide: true}), true
	case (name == "database" || name == "schema") && len(args) == 0 && e.opt.Database != "":
		return surely(atom(quote(e.opt.Database), text)), true
	}
	return frag{}, false
}

func (e *emitter) args(exprs []sqlparser.Expr) []frag {
	out := make([]frag, len(exprs))
	for i, x := range exprs {
		out[i] = e.value(x)
	}
	return out
}

// choiceFunctions choose among their arguments.
var choiceFunctions = map[string]writer{
	"if": {3, 3, func(e *emitter, a []frag) frag {
		c := asCondition(a[0])
		results := a[1:]
		t := unify(results)
		out := atom("CASE WHEN "+c.text+" THEN "+results[0].text+" ELSE "+results[1].text+" END", t.kind)
		out.typed, out.sure, out.quotient = t, results[0].sure && results[1].sure, anyQuotient(results)
		return out
	}},
	"ifnull":   {2, 2, coalesce},
	"nvl":      {2, 2, coalesce},
	"coalesce": {1, 1000, coalesce},
	"nullif": {2, 2, func(e *emitter, a []frag) frag {
		l, r := e.matched(a[0], a[1], "comparison")
		out := call("NULLIF", l.kind, l.text, r.text)
		out.typed, out.quotient = l.typed, l.quotient
		if l.kind == integer && r.kind != integer && !r.open() {
			out.text = cast(out, "bigint") // PostgreSQL would give it the wider of both types
		}
		return out
	}},
	"isnull":   {1, 1, func(e *emitter, a []frag) frag { return surely(term(a[0].operand()+" IS NULL", boolean)) }},
	"least":    {2, 1000, func(e *emitter, a []frag) frag { return extreme("LEAST", a) }},
	"greatest": {2, 1000, func(e *emitter, a []frag) frag { return extreme("GREATEST", a) }},
	"field": {2, 1000, func(e *emitter, a []frag) frag {
		var b strings.Builder
		b.WriteString("CASE")
		for i, c := range a[1:] {
			l, r := e.matched(a[0], c, "comparison")
			b.WriteString(" WHEN " + l.operand() + " = " + r.operand() + " THEN " + itoa(i+1))
		}
		return surely(atom(b.String()+" ELSE 0 END", integer))
	}},
	"elt": {2, 1000, func(e *emitter, a []frag) frag {
		var b strings.Builder
		b.WriteString("CASE " + asNumber(a[0], "ELT()").operand())
		for i, c := range a[1:] {
			b.WriteString(" WHEN " + itoa(i+1) + " THEN " + asText(c))
		}
		return atom(b.String()+" END", text)
	}},
}

func coalesce(_ *emitter, a []frag) frag {
	t := unify(a)
	out := call("COALESCE", t.kind, texts(a)...)
	out.typed, out.quotient = t, anyQuotient(a)
	for _, f := range a {
		out.sure = out.sure || f.sure
	}
	return out
}

func texts(a []frag) []string {
	out := make([]string, len(a))
	for i, f := range a {
		out[i] = f.text
	}
	return out
}

// extreme writes LEAST or GREATEST, which in MySQL are NULL if anything is.
func extreme(name string, a []frag) frag {
	t := unify(a)
	if t.kind == unknown && !slices.ContainsFunc(a, func(f frag) bool { return f.kind != untyped }) {
		refuse(name+" of placeholders alone", "whether they are compared as numbers or as text is not known", "Say it with CAST(? AS SIGNED) or CAST(? AS CHAR)")
	}
	out := call(name, t.kind, texts(a)...)
	out.typed, out.sure, out.quotient = t, true, anyQuotient(a)
	var nulls []string
	for _, f := range a {
		if !f.sure {
			nulls = append(nulls, f.operand()+" IS NULL")
			out.sure = false
		}
	}
	if len(nulls) > 0 {
		out.text = "CASE WHEN " + strings.Join(nulls, " OR ") + " THEN NULL ELSE " + out.text + " END"
	}
	return out
}
