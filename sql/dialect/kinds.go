package dialect

import (
	"strconv"
	"strings"
)

// kind is the writer's knowledge of the type of an expression's value.
type kind byte

const (
	unknown  kind = iota // nothing is known; the source judges
	untyped              // NULL, or a placeholder: it becomes what its place asks for
	boolean              // PostgreSQL's boolean, which MySQL does not have
	integer              //
	decimal              //
	float                //
	text                 //
	binary               //
	date                 //
	datetime             // a date with a time of day, with or without a zone
	clock                // a time of day
	document             // JSON
	other                // a type of PostgreSQL alone, such as uuid
)

func (k kind) number() bool { return k == integer || k == decimal || k == float }
func (k kind) moment() bool { return k == date || k == datetime || k == clock }

// typed is a kind with what matters of its parameters.
type typed struct {
	kind  kind
	scale int  // digits after the point of a decimal, -1: not known
	wide  bool // an integer of 64 bits
	// short is an integer of 16 bits or a floating-point number of 32.
	short bool
	// loose is a sum of integers: a decimal for MySQL, for PostgreSQL maybe an integer, which
	// would divide as one.
	loose bool
}

// typeOf reads a source's word for a type.
func typeOf(word string) typed {
	word = strings.ToLower(strings.TrimSpace(word))
	base, rest, _ := strings.Cut(word, "(")
	base = strings.TrimSpace(base)
	if strings.HasSuffix(word, "[]") {
		return typed{kind: other}
	}
	switch base {
	case "boolean", "bool":
		return typed{kind: boolean}
	case "integer", "int", "int4", "serial":
		return typed{kind: integer}
	case "smallint", "int2", "smallserial":
		return typed{kind: integer, short: true}
	case "bigint", "int8", "bigserial":
		return typed{kind: integer, wide: true}
	case "numeric", "decimal":
		return typed{kind: decimal, scale: scaleOf(rest)}
	case "double precision", "float8", "float":
		return typed{kind: float}
	case "real", "float4":
		return typed{kind: float, short: true}
	case "text", "character varying", "varchar", "character", "char", "bpchar", "name", "citext", `"char"`:
		return typed{kind: text}
	case "bytea":
		return typed{kind: binary}
	case "date":
		return typed{kind: date}
	case "json", "jsonb":
		return typed{kind: document}
	case "":
		return typed{}
	}
	switch {
	case strings.HasPrefix(base, "timestamp"):
		return typed{kind: datetime}
	case strings.HasPrefix(base, "time"):
		return typed{kind: clock}
	}
	return typed{kind: other}
}

// scaleOf reads the scale in the rest of "numeric(p,s)".
func scaleOf(rest string) int {
	if rest == "" {
		return -1
	}
	_, s, found := strings.Cut(strings.TrimSuffix(rest, ")"), ",")
	if !found {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return -1
	}
	return n
}

// frag is a written expression.
type frag struct {
	typed
	text string
	// atom: it needs no brackets as an operand.
	atom bool
	// sure: it is never NULL.
	sure bool
	// literal is a string or number as the client wrote it, which takes the type of its place.
	literal bool
	// value is a literal's value.
	value string
	// quotient: it divides, or is one of several scales, so that its digits differ from the ones
	// MySQL shows.
	quotient bool
	// hidden is the number of digits that MySQL keeps of a quotient with which it calculates, 0:
	// not known.
	hidden int
	// raw is the sign of a placeholder alone, and class its value's class.
	raw   string
	class ValueClass
	// hybrid is a hexadecimal literal that is a number where one is required.
	hybrid bool
}

// operand is the text with brackets where it needs them.
func (f frag) operand() string {
	if f.atom {
		return f.text
	}
	return "(" + f.text + ")"
}

// open reports whether the fragment takes any type required by its place.
func (f frag) open() bool { return f.kind == untyped || f.literal && f.kind == text }

func atom(text string, k kind) frag { return frag{typed: typed{kind: k}, text: text, atom: true} }
func term(text string, k kind) frag { return frag{typed: typed{kind: k}, text: text} }

// call writes the call of a function of pg_catalog, or of what looks like one and is syntax (syntaxCalls).
func call(name string, k kind, args ...string) frag {
	if !syntaxCalls[name] {
		name = catalog + name
	}
	return atom(name+"("+strings.Join(args, ", ")+")", k)
}

// cast writes a fragment as another type.
func cast(f frag, to string) string { return "CAST(" + f.text + " AS " + to + ")" }

// surely marks a fragment that is never NULL if none of those it is made of is.
func surely(f frag, of ...frag) frag {
	f.sure = true
	for _, o := range of {
		f.sure = f.sure && o.sure
	}
	return f
}

// asText is a fragment as PostgreSQL's text.
func asText(f frag) string {
	switch {
	case f.kind == text:
		return f.operand()
	case f.kind == boolean:
		return cast(atom(cast(f, "integer"), integer), "text")
	case f.kind == binary:
		refuse("a binary value as text", "a source keeps bytes apart from text", "Convert it with CONVERT(... USING utf8mb4)")
	}
	return cast(f, "text")
}

// asValue is a fragment as MySQL's value: a condition is a number.
func asValue(f frag) frag {
	if f.kind != boolean {
		return f
	}
	switch f.text {
	case "TRUE":
		return frag{typed: typed{kind: integer}, text: "1", atom: true, sure: true}
	case "FALSE":
		return frag{typed: typed{kind: integer}, text: "0", atom: true, sure: true}
	}
	return surely(atom(cast(f, "integer"), integer), f)
}

// asNumber is a fragment as an operand of arithmetic.
func asNumber(f frag, what string) frag {
	f = asValue(operandOf(f))
	if f.kind == untyped && !strings.HasPrefix(f.text, "$") {
		return atom(cast(f, "numeric"), untyped) // a bare NULL is text to PostgreSQL
	}
	if f.hidden > 0 {
		f.text, f.atom, f.hidden = "pg_catalog.trunc("+f.text+", "+itoa(f.hidden)+")", true, 0
	}
	if f.loose {
		f.text, f.atom, f.loose = cast(f, "numeric"), true, false
	}
	switch f.kind {
	case text:
		if f.literal {
			if isNumber(f.value) {
				return surely(atom("CAST("+f.text+" AS double precision)", float)) // as MySQL reckons with it
			}
			refuse(what+" of the text '"+brief(f.value)+"'", "MySQL would take the digits at its start for a number", "Write the number")
		}
		refuse(what+" of text", "MySQL would take the digits at its start for a number", "Convert it with CAST(... AS DECIMAL(p,s)) or CAST(... AS SIGNED)")
	case binary, document, clock, date, datetime:
		refuse(what+" of a value that is no number", "MySQL would make a number of its digits", "Convert it first")
	}
	return f
}

func brief(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// isNumber reports whether a text is a plain decimal number, such as -12.50.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, point := strings.Cut(s, ".")
	if whole == "" || point && fraction == "" || len(s) > 65 {
		return false
	}
	for _, c := range whole + fraction {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func digitsAfterPoint(s string) int {
	_, fraction, _ := strings.Cut(s, ".")
	return len(fraction)
}
