package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// binary writes an operator between two values.
func (e *emitter) binary(x *sqlparser.BinaryExpr) frag {
	switch x.Operator {
	case sqlparser.PlusOp, sqlparser.MinusOp, sqlparser.MultOp:
		return e.plain(x)
	}
	l, r := e.number(x.Left), e.number(x.Right)
	switch x.Operator {
	case sqlparser.DivOp:
		return divided(l, r)
	case sqlparser.IntDivOp:
		return wholes(l, r)
	case sqlparser.ModOp:
		return remainder(l, r)
	case sqlparser.BitAndOp, sqlparser.BitOrOp, sqlparser.ShiftLeftOp, sqlparser.ShiftRightOp, sqlparser.BitXorOp:
		return bits(l, r, x.Operator.ToString())
	}
	refuse("the operator "+x.Operator.ToString(), "the writer does not know it", "")
	return frag{}
}

// number writes an operand of arithmetic.
func (e *emitter) number(x sqlparser.Expr) frag {
	f := e.any(x)
	return asNumber(beside(f, integer), "arithmetic")
}

// plain writes +, - and *. MySQL reckons in 64 bits, PostgreSQL in those of the operands: a
// product of two short integers is widened, which costs nothing where it matters.
func (e *emitter) plain(x *sqlparser.BinaryExpr) frag {
	l, r := e.number(x.Left), e.number(x.Right)
	t := wider(l.typed, r.typed)
	if t.kind == decimal {
		t.scale = scaleAfter(l, r, x.Operator == sqlparser.MultOp)
	}
	if l.kind == unknown || r.kind == unknown || l.kind == untyped && r.kind == untyped {
		t = typed{}
	}
	left := l.operand()
	if l.kind == untyped && r.kind == untyped {
		left = cast(l, "numeric")
	}
	if x.Operator == sqlparser.MultOp && l.kind == integer && r.kind == integer && !l.wide && !r.wide && !(l.literal && r.literal) {
		left = cast(l, "bigint")
		t.wide = true
	}
	out := surely(term(left+" "+x.Operator.ToString()+" "+r.operand(), t.kind), l, r)
	out.typed, out.quotient = t, l.quotient || r.quotient
	return out
}

// scaleAfter is the scale that MySQL gives the result of an operator, -1 if it is not known.
func scaleAfter(l, r frag, product bool) int {
	a, b := scaleIn(l), scaleIn(r)
	if a < 0 || b < 0 {
		return -1
	}
	if product {
		return min(a+b, 30)
	}
	return max(a, b)
}

func scaleIn(f frag) int {
	switch f.kind {
	case integer:
		return 0
	case decimal:
		return f.scale
	}
	return -1
}

// guarded is a divisor that is NULL instead of 0: in MySQL a division by 0 is NULL.
func guarded(r frag) string {
	if r.literal && strings.Trim(r.value, "-0.") != "" {
		return r.operand()
	}
	return call("NULLIF", r.kind, r.text, "0").text
}

// divided writes /. Of integers MySQL makes a decimal with four more digits.
func divided(l, r frag) frag {
	left := l.operand()
	t := typed{kind: float}
	if l.kind != float && r.kind != float {
		if l.kind != decimal {
			left = cast(l, "numeric")
		}
		t = typed{kind: decimal, scale: -1}
		if s := scaleIn(l); s >= 0 {
			t.scale = min(s+4, 30)
		}
	}
	out := frag{typed: t, text: left + " / " + guarded(r), quotient: true}
	if t.kind == decimal {
		out.hidden = hiddenDigits(scaleIn(l), scaleIn(r))
	}
	out.sure = l.sure && r.sure && r.literal && guarded(r) == r.operand()
	return out
}

// hiddenDigits returns how many digits after the point MySQL keeps of a quotient of numbers with so
// many: it stores nine in a word, and keeps whole words. Beyond the first word PostgreSQL's
// quotient has no more digits than MySQL's.
func hiddenDigits(f, g int) int {
	if f < 0 || g < 0 {
		return 0
	}
	words := func(n int) int { return (n + 8) / 9 * 9 }
	more := max(0, 4-(words(f)-f)-(words(g)-g))
	if n := words(words(f) + words(g) + more); n == 9 {
		return n
	}
	return 0
}

// wholes writes DIV.
func wholes(l, r frag) frag {
	if l.kind == integer && r.kind == integer {
		out := term(l.operand()+" / "+guarded(r), integer)
		out.wide = true
		return out
	}
	out := atom("CAST(pg_catalog.trunc("+cast(l, "numeric")+" / "+guarded(r)+") AS bigint)", integer)
	out.wide = true
	return out
}

// remainder writes %, whose sign is its left side's in both.
func remainder(l, r frag) frag {
	if l.kind == integer && r.kind == integer {
		out := term(l.operand()+" % "+guarded(r), integer)
		out.wide = l.wide || r.wide
		return out
	}
	if l.kind == float || r.kind == float {
		return atom("CAST("+cast(l, "numeric")+" % "+call("NULLIF", decimal, cast(r, "numeric"), "0").text+" AS double precision)", float)
	}
	left := l.operand()
	if l.kind == untyped {
		left = cast(l, "numeric")
	}
	out := term(left+" % "+guarded(r), wider(l.typed, r.typed).kind)
	if out.kind == decimal {
		out.scale = scaleAfter(l, r, false)
		out.quotient = l.quotient || r.quotient
	}
	return out
}

// bits writes an operator on bits, for integers: MySQL's are 64 bits without a sign, which are
// the same as long as the highest is not set.
func bits(l, r frag, op string) frag {
	for _, f := range []frag{l, r} {
		if f.kind == decimal || f.kind == float {
			refuse("the operator "+op+" on a number with a point", "PostgreSQL has it for integers only", "Round the number with CAST(... AS SIGNED)")
		}
	}
	sign := map[string]string{"^": "#"}[op]
	if sign == "" {
		sign = op
	}
	right := cast(r, "bigint")
	if op == sqlparser.ShiftLeftStr || op == sqlparser.ShiftRightStr {
		right = cast(r, "integer")
	}
	out := surely(term(cast(l, "bigint")+" "+sign+" "+right, integer), l, r)
	out.wide = true
	return out
}
