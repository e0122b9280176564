package dialect

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

func u64(n uint64) string { return strconv.FormatUint(n, 10) }

// ofText is a function of one text that has a function of PostgreSQL.
func ofText(name string, k kind) writer {
	return writer{1, 1, func(e *emitter, a []frag) frag {
		return surely(call(name, k, asText(a[0])), a[0])
	}}
}

// textFunctions are about text.
var textFunctions = map[string]writer{
	"upper": ofText("upper", text), "ucase": ofText("upper", text),
	"lower": ofText("lower", text), "lcase": ofText("lower", text),
	"char_length": ofText("char_length", integer), "character_length": ofText("char_length", integer),
	"length": {1, 1, octets}, "octet_length": {1, 1, octets},
	"bit_length": ofText("bit_length", integer),
	"reverse":    ofText("reverse", text),
	"md5":        ofText("md5", text),
	"ltrim":      ofText("ltrim", text),
	"rtrim":      ofText("rtrim", text),
	"concat":     {1, 1000, concat},
	"concat_ws": {2, 1000, func(e *emitter, a []frag) frag {
		args := make([]string, len(a))
		for i, f := range a {
			args[i] = asText(finished(f))
		}
		return surely(call("concat_ws", text, args...), a[0])
	}},
	"replace": {3, 3, func(e *emitter, a []frag) frag {
		return surely(call("replace", text, asText(a[0]), asText(a[1]), asText(a[2])), a...)
	}},
	"repeat": {2, 2, func(e *emitter, a []frag) frag {
		return surely(call("repeat", text, asText(a[0]), whole(a[1])), a...)
	}},
	"space": {1, 1, func(e *emitter, a []frag) frag { return surely(call("repeat", text, "' '", whole(a[0])), a...) }},
	"left": {2, 2, func(e *emitter, a []frag) frag {
		return surely(call("left", text, asText(a[0]), notNegative(a[1])), a...)
	}},
	"right": {2, 2, func(e *emitter, a []frag) frag {
		return surely(call("right", text, asText(a[0]), notNegative(a[1])), a...)
	}},
	"lpad":      {3, 3, func(e *emitter, a []frag) frag { return padded("lpad", a) }},
	"rpad":      {3, 3, func(e *emitter, a []frag) frag { return padded("rpad", a) }},
	"substring": {2, 3, func(e *emitter, a []frag) frag { return substring(a) }},
	"substr":    {2, 3, func(e *emitter, a []frag) frag { return substring(a) }},
	"mid":       {2, 3, func(e *emitter, a []frag) frag { return substring(a) }},
	"instr": {2, 2, func(e *emitter, a []frag) frag {
		e.remark(caseRemark)
		return surely(call("strpos", integer, asText(a[0]), asText(a[1])), a...)
	}},
	"locate": {2, 3, func(e *emitter, a []frag) frag { return located(e, a) }},
	"strcmp": {2, 2, func(e *emitter, a []frag) frag {
		e.remark(caseRemark)
		l, r := asText(a[0]), asText(a[1])
		return atom("CASE WHEN "+l+" = "+r+" THEN 0 WHEN "+l+" < "+r+" THEN -1 WHEN "+l+" > "+r+" THEN 1 END", integer)
	}},
	"find_in_set": {2, 2, func(e *emitter, a []frag) frag {
		e.remark(caseRemark)
		l, r := asText(a[0]), asText(a[1])
		return atom("CASE WHEN "+l+" IS NOT NULL AND "+r+" IS NOT NULL THEN COALESCE(pg_catalog.array_position(pg_catalog.string_to_array("+r+", ','), "+l+"), 0) END", integer)
	}},
	"substring_index": {3, 3, func(e *emitter, a []frag) frag { return substringIndex(a) }},
	"hex":             {1, 1, func(e *emitter, a []frag) frag { return hexed(a[0]) }},
	"unhex":           {1, 1, func(e *emitter, a []frag) frag { return surely(call("decode", binary, asText(a[0]), "'hex'"), a...) }},
	"sha2": {2, 2, func(e *emitter, a []frag) frag {
		name := map[string]string{"0": "sha256", "256": "sha256", "224": "sha224", "384": "sha384", "512": "sha512"}[a[1].value]
		if !a[1].literal || name == "" {
			refuse("SHA2() of this length", "the lengths are 224, 256, 384 and 512, written out", "")
		}
		return surely(call("encode", text, catalog+name+"("+asBytes(a[0])+")", "'hex'"), a[0])
	}},
	"uuid": {0, 0, func(e *emitter, a []frag) frag {
		return surely(atom("CAST(pg_catalog.gen_random_uuid() AS text)", text))
	}},
	"quote": {1, 1, func(e *emitter, a []frag) frag {
		refuse("QUOTE()", "the dialects quote differently", "Use placeholders")
		return frag{}
	}},
}

const caseRemark = "the search and comparison of text regards case, as this source does"

// octets counts bytes, of text or of bytes.
func octets(_ *emitter, a []frag) frag {
	if a[0].kind == binary {
		return surely(call("octet_length", integer, a[0].text), a[0])
	}
	return surely(call("octet_length", integer, asText(a[0])), a[0])
}

// concat writes CONCAT, which is NULL if anything is: PostgreSQL's || is, its concat is not.
func concat(_ *emitter, a []frag) frag {
	parts := make([]string, len(a))
	for i, f := range a {
		parts[i] = asText(finished(f))
	}
	if len(a) == 1 {
		return surely(atom(parts[0], text), a...)
	}
	return surely(term(strings.Join(parts, " || "), text), a...)
}

// whole writes a number that a function takes as an integer.
func whole(f frag) string {
	f = asNumber(f, "the count")
	if f.literal && f.kind == integer {
		return f.text
	}
	return cast(f, "integer")
}

// notNegative writes a length: for one below 0 MySQL gives the empty text.
func notNegative(f frag) string {
	w := whole(f)
	if f.literal && !strings.HasPrefix(f.value, "-") {
		return w
	}
	return "GREATEST(" + w + ", 0)"
}

func padded(name string, a []frag) frag {
	return atom("CASE WHEN "+whole(a[1])+" >= 0 THEN "+catalog+name+"("+asText(a[0])+", "+whole(a[1])+", "+asText(a[2])+") END", text)
}

// substring counts from the end if it starts below 0, and is empty if it starts at 0.
func substring(a []frag) frag {
	s := asText(a[0])
	length := ""
	if len(a) == 3 {
		length = notNegative(a[2])
	}
	from := whole(a[1])
	cut := func(start string) string {
		if length == "" {
			return "pg_catalog.substr(" + s + ", " + start + ")"
		}
		return "pg_catalog.substr(" + s + ", " + start + ", " + length + ")"
	}
	fromEnd := "CASE WHEN pg_catalog.char_length(" + s + ") + " + a[1].operand() + " < 0 THEN '' ELSE " + cut("pg_catalog.char_length("+s+") + "+a[1].operand()+" + 1") + " END"
	switch {
	case a[1].literal && a[1].value == "0":
		return surely(call("left", text, s, "0"), a...)
	case a[1].literal && strings.HasPrefix(a[1].value, "-"):
		return surely(atom(fromEnd, text), a...)
	case a[1].literal:
		return surely(atom(cut(from), text), a...)
	}
	return atom("CASE WHEN "+from+" > 0 THEN "+cut(from)+" WHEN "+from+" < 0 AND pg_catalog.char_length("+s+") + "+from+" >= 0 THEN "+
		cut("pg_catalog.char_length("+s+") + "+from+" + 1")+" WHEN "+from+" IS NOT NULL THEN pg_catalog.left("+s+", 0) END", text)
}

// located writes LOCATE(part, text, from).
func located(e *emitter, a []frag) frag {
	e.remark(caseRemark)
	part, s := asText(a[0]), asText(a[1])
	if len(a) == 2 {
		return surely(call("strpos", integer, s, part), a...)
	}
	from := whole(a[2])
	return atom("CASE WHEN "+from+" < 1 OR pg_catalog.strpos(pg_catalog.substr("+s+", GREATEST("+from+", 1)), "+part+") = 0 THEN 0 ELSE pg_catalog.strpos(pg_catalog.substr("+s+", GREATEST("+from+", 1)), "+part+") + "+from+" - 1 END", integer)
}

// trim writes TRIM. MySQL takes away a text, PostgreSQL a set of characters: of one character
// they are the same.
func (e *emitter) trim(x *sqlparser.TrimFuncExpr) frag {
	s, pattern := e.textual(x.StringArg), frag{text: "' '", literal: true, value: " "}
	if x.TrimArg != nil {
		pattern = e.textual(x.TrimArg)
	}
	if !pattern.literal || len([]rune(pattern.value)) != 1 {
		refuse("TRIM of more than one character", "PostgreSQL takes away a set of characters, not a text", "Use REPLACE, or trim one character")
	}
	name := "btrim"
	switch x.Type {
	case sqlparser.LeadingTrimType:
		name = "ltrim"
	case sqlparser.TrailingTrimType:
		name = "rtrim"
	}
	return surely(call(name, text, s.text, pattern.text), s)
}

// substringIndex writes SUBSTRING_INDEX for a count that is written out.
func substringIndex(a []frag) frag {
	n, err := strconv.Atoi(a[2].value)
	if !a[2].literal || err != nil {
		refuse("SUBSTRING_INDEX with a count that is reckoned", "its sign decides the way", "Write the count")
	}
	parts := "pg_catalog.string_to_array(" + asText(a[0]) + ", " + asText(a[1]) + ")"
	switch {
	case n == 0:
		return surely(call("left", text, asText(a[0]), "0"), a...)
	case n > 0:
		return atom("pg_catalog.array_to_string(("+parts+")[1:"+itoa(n)+"], "+asText(a[1])+")", text)
	}
	return atom("pg_catalog.array_to_string(("+parts+")[GREATEST(pg_catalog.cardinality("+parts+") - "+itoa(-n-1)+", 1):], "+asText(a[1])+")", text)
}

// asBytes is a text in UTF-8, or bytes.
func asBytes(f frag) string {
	if f.kind == binary {
		return f.operand()
	}
	return "pg_catalog.convert_to(" + asText(f) + ", 'UTF8')"
}

func hexed(f frag) frag {
	if f.kind.number() {
		return surely(call("upper", text, "pg_catalog.to_hex("+cast(f, "bigint")+")"), f)
	}
	return surely(call("upper", text, "pg_catalog.encode("+asBytes(f)+", 'hex')"), f)
}

// types are what CAST makes of a value, by MySQL's word.
func castType(t *sqlparser.ConvertType) (string, typed) {
	n, m := number0(t.Length), number0(t.Scale)
	switch strings.ToLower(t.Type) {
	case "signed", "signed integer", "signed int", "integer", "int", "unsigned", "unsigned integer", "unsigned int":
		return "bigint", typed{kind: integer, wide: true}
	case "char", "nchar", "varchar":
		if n != "" {
			return "varchar(" + n + ")", typed{kind: text}
		}
		return "text", typed{kind: text}
	case "decimal", "dec", "numeric":
		if n == "" {
			n = "10"
		}
		if m == "" {
			m = "0"
		}
		return "numeric(" + n + "," + m + ")", typed{kind: decimal, scale: digits(m)}
	case "double", "real", "double precision":
		return "double precision", typed{kind: float}
	case "float":
		return "real", typed{kind: float}
	case "date":
		return "date", typed{kind: date}
	case "datetime":
		return "timestamp(" + n0(n) + ")", typed{kind: datetime}
	case "time":
		return "time(" + n0(n) + ")", typed{kind: clock}
	case "json":
		return "jsonb", typed{kind: document}
	case "binary", "varbinary":
		if n == "" {
			return "bytea", typed{kind: binary}
		}
	}
	refuse("CAST(... AS "+strings.ToUpper(t.Type)+")", "PostgreSQL has no such type", "")
	return "", typed{}
}

// number0 is a number of a type; empty: it has none.
func number0(n *int) string {
	if n == nil {
		return ""
	}
	return itoa(*n)
}

func n0(n string) string {
	if n == "" {
		return "0"
	}
	return n
}

func digits(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// convert writes CAST and CONVERT.
func (e *emitter) convert(x sqlparser.Expr, as *sqlparser.ConvertType) frag {
	to, t := castType(as)
	f := e.value(x)
	if strings.HasPrefix(strings.ToLower(as.Type), "unsigned") {
		e.remark("CAST(... AS UNSIGNED) is a 64-bit integer with a sign at this source")
	}
	var out frag
	switch {
	case t.kind == text:
		out = atom(cast(frag{text: asText(finished(f))}, to), text)
	case t.kind == binary:
		out = atom(asBytes(f), binary)
	case t.kind.number() && f.kind == text && !f.literal:
		e.remark("a text that is no number is an error in CAST, not the digits at its start")
		out = atom(cast(frag{text: cast(f, "numeric")}, to), t.kind)
	case t.kind.number():
		out = atom(cast(frag{text: asNumber(f, "CAST").text}, to), t.kind)
	default:
		out = atom(cast(f, to), t.kind)
	}
	out.typed = t
	return surely(out, f)
}

func (e *emitter) convertUsing(x *sqlparser.ConvertUsingExpr) frag {
	switch strings.ToLower(x.Type) {
	case "utf8mb4", "utf8", "utf8mb3":
	default:
		refuse("CONVERT(... USING "+x.Type+")", "PostgreSQL's text has one character set", "")
	}
	f := e.value(x.Expr)
	if f.kind == binary {
		return surely(call("convert_from", text, f.text, "'UTF8'"), f)
	}
	return surely(atom(asText(f), text), f)
}
