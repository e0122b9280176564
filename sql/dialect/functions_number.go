package dialect

import "strings"

// ofNumber is a function of one number that has one in PostgreSQL, on doubles.
func ofDouble(name string) writer {
	return writer{1, 1, func(e *emitter, a []frag) frag {
		return surely(call(name, float, double(a[0])), a...)
	}}
}

func double(f frag) string {
	f = asNumber(f, "arithmetic")
	if f.kind == float {
		return f.text
	}
	return cast(f, "double precision")
}

// within bounds: outside MySQL gives NULL, where PostgreSQL gives an error.
func ofDoubleIf(name, condition string) writer {
	return writer{1, 1, func(e *emitter, a []frag) frag {
		d := double(a[0])
		return atom("CASE WHEN "+d+" "+condition+" THEN "+catalog+name+"("+d+") END", float)
	}}
}

// numberFunctions are about numbers.
var numberFunctions = map[string]writer{
	"abs":     {1, 1, func(e *emitter, a []frag) frag { return likewise("abs", a[0]) }},
	"ceil":    {1, 1, func(e *emitter, a []frag) frag { return ceiled("ceil", a[0]) }},
	"ceiling": {1, 1, func(e *emitter, a []frag) frag { return ceiled("ceil", a[0]) }},
	"floor":   {1, 1, func(e *emitter, a []frag) frag { return ceiled("floor", a[0]) }},
	"sign": {1, 1, func(e *emitter, a []frag) frag {
		f := asNumber(a[0], "the sign")
		return surely(atom("CAST(pg_catalog.sign("+f.text+") AS integer)", integer), a...)
	}},
	"round":    {1, 2, func(e *emitter, a []frag) frag { return rounded("round", a) }},
	"truncate": {2, 2, func(e *emitter, a []frag) frag { return rounded("trunc", a) }},
	"mod": {2, 2, func(e *emitter, a []frag) frag {
		return remainder(asNumber(a[0], "arithmetic"), asNumber(a[1], "arithmetic"))
	}},
	"pow": {2, 2, power}, "power": {2, 2, power},
	"sqrt":  ofDoubleIf("sqrt", ">= 0"),
	"exp":   ofDouble("exp"),
	"ln":    ofDoubleIf("ln", "> 0"),
	"log10": ofDoubleIf("log", "> 0"),
	"log2": {1, 1, func(e *emitter, a []frag) frag {
		d := double(a[0])
		return atom("CASE WHEN "+d+" > 0 THEN pg_catalog.ln("+d+") / pg_catalog.ln(CAST(2 AS double precision)) END", float)
	}},
	"log": {1, 2, func(e *emitter, a []frag) frag {
		d := double(a[0])
		if len(a) == 1 {
			return atom("CASE WHEN "+d+" > 0 THEN pg_catalog.ln("+d+") END", float)
		}
		n := double(a[1])
		return atom("CASE WHEN "+d+" > 0 AND "+d+" <> 1 AND "+n+" > 0 THEN pg_catalog.ln("+n+") / pg_catalog.ln("+d+") END", float)
	}},
	"pi": {0, 0, func(e *emitter, a []frag) frag {
		return surely(atom("pg_catalog.round(CAST(pg_catalog.pi() AS numeric), 6)", decimal))
	}},
	"radians": ofDouble("radians"), "degrees": ofDouble("degrees"),
	"sin": ofDouble("sin"), "cos": ofDouble("cos"), "tan": ofDouble("tan"), "cot": ofDouble("cot"),
	"asin": ofDoubleIf("asin", "BETWEEN -1 AND 1"), "acos": ofDoubleIf("acos", "BETWEEN -1 AND 1"), "atan": ofDouble("atan"),
	"rand": {0, 1, func(e *emitter, a []frag) frag {
		if len(a) > 0 {
			refuse("RAND() with a seed", "PostgreSQL's numbers from a seed are others", "Draw the numbers in the application")
		}
		return surely(atom("pg_catalog.random()", float))
	}},
}

// likewise is a function whose result has the type of its argument.
func likewise(name string, f frag) frag {
	g := asNumber(f, "arithmetic")
	out := surely(call(name, g.kind, g.text), f)
	out.typed, out.quotient = g.typed, g.quotient
	return out
}

func ceiled(name string, f frag) frag {
	g := asNumber(f, "arithmetic")
	out := surely(call(name, g.kind, g.text), f)
	if g.kind == integer {
		out.text = g.text
		out.atom = g.atom
	}
	if g.kind == decimal {
		out = surely(atom(cast(out, "bigint"), integer), f) // MySQL's is an integer too
		out.wide = true
	}
	if g.kind == float && name == "ceil" {
		out.text, out.atom = out.text+" + 0", false // -0 is written as 0
	}
	return out
}

// rounded writes ROUND and TRUNCATE. PostgreSQL has them with digits for decimals only.
func rounded(name string, a []frag) frag {
	f := asNumber(a[0], "arithmetic")
	if len(a) == 1 && f.kind == integer {
		return f
	}
	if len(a) == 1 {
		out := surely(call(name, f.kind, f.text), a...)
		if f.kind == decimal {
			out.typed = typed{kind: decimal}
		} else {
			out.typed = f.typed
		}
		return out
	}
	if f.kind == float && a[1].literal && a[1].kind == integer {
		return roundedFloat(name, f, a[1])
	}
	out := surely(call(name, decimal, cast(f, "numeric"), whole(a[1])), a...)
	out.scale = -1
	if a[1].literal {
		out.scale = max(digits(a[1].value), 0)
	}
	switch {
	case f.kind == float:
		return surely(atom(cast(out, "double precision"), float), a...)
	case f.kind == integer && a[1].literal:
		return surely(atom(cast(out, "bigint"), integer), a...)
	}
	return out
}

func power(_ *emitter, a []frag) frag {
	return surely(call("power", float, double(a[0]), double(a[1])), a...)
}

// roundedFloat rounds a double as MySQL does: it is scaled, and halves go to the even neighbour.
func roundedFloat(name string, f, digit frag) frag {
	n := digits(strings.TrimPrefix(digit.value, "-"))
	if n < 0 || n > 30 {
		refuse("rounding to "+digit.value+" digits", "doubles have fewer", "")
	}
	scale := "CAST('1e" + itoa(n) + "' AS double precision)"
	first, then := " * ", " / "
	if strings.HasPrefix(digit.value, "-") {
		first, then = then, first
	}
	return surely(term(catalog+name+"("+f.operand()+first+scale+")"+then+scale, float), f)
}
