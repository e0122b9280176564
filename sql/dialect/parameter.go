package dialect

import (
	"math/big"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// MySQL compares, reckons and stores a placeholder's value by the value's own type. PostgreSQL gives
// the placeholder the type of its place, and refuses a value that has no such form: 1.4 for an
// integer. So where the kinds of the values are known, a placeholder is written as a value of its
// kind wherever the place's type would not do. A whole number that the place's type holds has no
// cast, so that indexes serve it.

// ValueClass is the knowledge of a placeholder's value.
type ValueClass byte

// The classes. Those of numbers are of values that the client has sent as numbers.
const (
	AnyClass     ValueClass = '-' // nothing, or it is NULL
	WholeClass   ValueClass = 'i' // a whole number of 32 bits
	WideClass    ValueClass = 'w' // a whole number of 64 bits
	ExactClass   ValueClass = 'd' // any other number without an exponent
	FloatClass   ValueClass = 'f' // a floating-point number that is not whole
	WholeText    ValueClass = 't' // a text that is a whole number of 32 bits
	NumberText   ValueClass = 'n' // a text that is another number
	WrittenWhole ValueClass = 'v' // a whole number that will be written into the text
	OtherText    ValueClass = 's' // any other text
)

// numeralMax bounds the texts that are read as numbers.
const numeralMax = 1000

// ClassOf is the class of a value: number and float say that the client has sent it as a number, and
// as a floating-point number.
func ClassOf(text []byte, number, float bool) ValueClass {
	whole, wide, any := numeralOf(string(text))
	switch {
	case number && whole:
		return WholeClass
	case number && wide:
		return WideClass
	case number && float, number && strings.ContainsAny(string(text), "eE"):
		return FloatClass
	case number:
		return ExactClass
	case whole:
		return WholeText
	case any:
		return NumberText
	}
	return OtherText
}

// numeralOf reports whether a text is a whole number of 32 bits, one of 64, and any number.
func numeralOf(s string) (whole, wide, any bool) {
	if len(s) > numeralMax {
		return false, false, false
	}
	s = strings.TrimSpace(s)
	if s == "" || numeral(s) != s {
		return false, false, false
	}
	if strings.ContainsAny(s, ".eE") {
		return false, false, true
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || !n.IsInt64() {
		return false, false, true
	}
	whole = n.Int64() == int64(int32(n.Int64()))
	return whole, !whole, true
}

// numeral is the number at the start of a text, as MySQL takes one for it: empty if there is none.
func numeral(s string) string {
	i := 0
	run := func() (n int) {
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			n++
		}
		return n
	}
	sign := func() {
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
	}
	sign()
	n := run()
	if i < len(s) && s[i] == '.' {
		i++
		n += run()
	}
	if n == 0 {
		return ""
	}
	if end := i; i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if sign(); run() == 0 {
			i = end
		}
	}
	return s[:i]
}

// numeralPattern is numeral as a regular expression of PostgreSQL.
const numeralPattern = `'^[[:space:]]*([-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?)'`

// parameter writes a placeholder by itself: as a number of its kind where that is not what any place
// makes of it.
func parameter(raw string, class ValueClass) frag {
	f := atom(raw, untyped)
	switch class {
	case WideClass:
		f = frag{typed: typed{kind: integer, wide: true}, text: cast(f, "bigint"), atom: true, sure: true}
	case ExactClass:
		f = frag{typed: typed{kind: decimal, scale: -1}, text: cast(f, "numeric"), atom: true, sure: true}
	case FloatClass:
		f = frag{typed: typed{kind: float}, text: cast(f, "double precision"), atom: true, sure: true}
	}
	if f.raw, f.class = raw, class; class == WrittenWhole {
		f.class = AnyClass
	}
	return f
}

// wholeAt reports whether a value is a whole number: a literal, or a placeholder of such a class.
func (e *emitter) wholeAt(x sqlparser.Expr) bool {
	switch x := x.(type) {
	case *sqlparser.Literal:
		return x.Type == sqlparser.IntVal
	case *sqlparser.Argument:
		if n := placeOf(x); n >= 0 && n < len(e.opt.Classes) {
			c := ValueClass(e.opt.Classes[n])
			return c == WholeClass || c == WideClass || c == WrittenWhole
		}
	}
	return false
}

// whole is a placeholder of a WholeClass as an integer.
func (f frag) whole() frag { return surely(atom("CAST("+f.raw+" AS integer)", integer)) }

// digitsOfTime is a placeholder of digits, as 20240131102030, as a time.
func (f frag) digitsOfTime() frag {
	return surely(atom("CAST("+call("overlay", text, "CAST("+f.raw+" AS text)", "'T'", "9", "0").text+" AS timestamp)", datetime))
}

// asRaw is a placeholder that takes the type of its place.
func (f frag) asRaw() frag { return atom(f.raw, untyped) }

// parameterBeside is a placeholder for a comparison with another value.
func (e *emitter) parameterBeside(f, with frag) frag {
	if f.class == 0 || f.class == AnyClass {
		return f
	}
	textual := f.class == WholeText || f.class == NumberText || f.class == OtherText
	switch k := with.kind; {
	case k == document && textual:
		return atom("CAST("+f.raw+" AS text)", text)
	case k == document && f.class == WholeClass:
		return f.whole()
	case k.number() && f.class == WholeClass && with.short:
		return f.whole()
	case k == decimal && f.class == FloatClass, (k == integer || k == decimal) && f.class == NumberText:
		return surely(atom("CAST("+f.raw+" AS numeric)", decimal)) // an index of the column serves it
	case k == float && with.short && (f.class == WholeClass || f.class == WholeText || f.class == NumberText):
		return surely(atom("CAST("+f.raw+" AS double precision)", float))
	case k.number() && f.class == OtherText:
		return e.numberIn(f)
	case (k == boolean || k == text && !with.literal) && f.class == WholeClass:
		return f.whole()
	case k == datetime && f.class == WideClass:
		return f.digitsOfTime()
	case k == date || k == datetime || k == clock || k == binary || k == other:
		return f.asRaw()
	}
	return f
}

// numberIn is the number at the start of a text that is no number. A change is refused, as MySQL does
// it at its strict mode.
func (e *emitter) numberIn(f frag) frag {
	if e.out.Kind != Read {
		panic(&ErrNotTranslated{What: brief(f.value), Truncated: true})
	}
	if f.literal {
		n := numeral(strings.TrimLeft(f.value, " \t\n\v\f\r"))
		if n == "" {
			n = "0"
		}
		return surely(atom("CAST('"+n+"' AS double precision)", float))
	}
	return surely(atom("CAST(COALESCE("+call("substring", text, f.raw, numeralPattern).text+", '0') AS double precision)", float))
}

// operandOf is a placeholder as an operand of arithmetic.
func operandOf(f frag) frag {
	switch f.class {
	case WholeClass:
		return f.whole()
	case WholeText, NumberText:
		return surely(atom("CAST("+f.raw+" AS double precision)", float)) // as MySQL reckons with it
	}
	f.raw, f.class = "", 0
	return f
}

// parameterFor is a placeholder that is stored in a column.
func parameterFor(f frag, k kind) frag {
	switch {
	case f.class == 0 || f.class == AnyClass:
		return f
	case k == integer && (f.class == ExactClass || f.class == FloatClass):
		return f
	case k == integer && f.class == NumberText:
		return surely(atom("CAST("+f.raw+" AS numeric)", decimal))
	case k == datetime && f.class == WideClass:
		return f.digitsOfTime()
	case k == boolean && f.class == WholeClass:
		return f.whole()
	case k == boolean && f.kind.number():
		return f
	}
	return f.asRaw()
}

// asDocument writes a value beside a JSON document as one: its type distinguishes a number from a
// text.
func asDocument(f frag) frag {
	switch {
	case f.kind == document:
		return atom(cast(f, "jsonb"), document)
	case f.kind == boolean, f.kind.number():
		return surely(call("to_jsonb", document, f.text), f)
	case f.kind == text:
		return surely(call("to_jsonb", document, cast(f, "text")), f)
	}
	return f
}

// documents writes the comparison of a document with a value that is none. To MySQL a number is less
// than a text, to PostgreSQL it is greater.
func (e *emitter) documents(l, r frag, operator sqlparser.ComparisonExprOperator) frag {
	l, r = e.parameterBeside(finished(l), r), e.parameterBeside(finished(r), l)
	value := r
	if r.kind == document {
		value = l
	}
	a, b := asDocument(l), asDocument(r)
	switch operator {
	case sqlparser.NullSafeEqualOp:
		return surely(term(a.text+" IS NOT DISTINCT FROM "+b.text, boolean))
	case sqlparser.EqualOp, sqlparser.NotEqualOp:
		return surely(term(a.operand()+" "+comparisonSign(operator)+" "+b.operand(), boolean), l, r)
	case sqlparser.LessThanOp, sqlparser.LessEqualOp, sqlparser.GreaterThanOp, sqlparser.GreaterEqualOp:
	default:
		refuse("the operator "+operator.ToString()+" on a JSON value", "the writer does not know it", "")
	}
	if !value.kind.number() {
		refuse("the order of a JSON value and one that is no number", "PostgreSQL orders them otherwise", "Compare what ->> gives")
	}
	mine, greater := a, operator == sqlparser.GreaterThanOp || operator == sqlparser.GreaterEqualOp
	if r.kind == document {
		mine, greater = b, !greater
	}
	compared, kind := a.operand()+" "+operator.ToString()+" "+b.operand(), call("jsonb_typeof", text, mine.text).text
	if greater {
		return term(compared+" OR "+kind+" = 'string'", boolean)
	}
	return term(compared+" AND "+kind+" <> 'string'", boolean)
}

func comparisonSign(operator sqlparser.ComparisonExprOperator) string {
	if operator == sqlparser.NotEqualOp {
		return "<>"
	}
	return operator.ToString()
}
