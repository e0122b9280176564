package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// present is the statement's time in the session's zone, with so many digits of a second. What
// PostgreSQL calls now() is the transaction's time.
func present(digits string) string {
	switch digits {
	case "", "0":
		return "CAST(pg_catalog.date_trunc('second', pg_catalog.statement_timestamp()) AS timestamp)"
	case "3":
		return "CAST(pg_catalog.date_trunc('milliseconds', pg_catalog.statement_timestamp()) AS timestamp)"
	case "6":
		return "CAST(pg_catalog.statement_timestamp() AS timestamp)"
	}
	refuse("a time with "+digits+" digits of a second", "the writer knows 0, 3 and 6", "")
	return ""
}

func precision(a []frag) string {
	if len(a) == 0 {
		return ""
	}
	if !a[0].literal {
		refuse("a time with a reckoned precision", "it must be written out", "")
	}
	return a[0].value
}

func instant(k kind, write func(digits string) string) writer {
	return writer{0, 1, func(e *emitter, a []frag) frag { return surely(atom(write(precision(a)), k)) }}
}

var (
	nowWriter  = instant(datetime, present)
	dateWriter = instant(date, func(string) string { return "CAST(pg_catalog.statement_timestamp() AS date)" })
	timeWriter = instant(clock, func(d string) string { return "CAST(" + present(d) + " AS time)" })
)

func inUTC(s string) string {
	return strings.Replace(s, "pg_catalog.statement_timestamp()", "pg_catalog.statement_timestamp() AT TIME ZONE 'UTC'", 1)
}

// timeFunctions are about dates and times.
var timeFunctions = map[string]writer{
	"now": nowWriter, "current_timestamp": nowWriter, "localtime": nowWriter, "localtimestamp": nowWriter,
	"sysdate": instant(datetime, func(d string) string {
		return strings.Replace(present(d), "statement_timestamp", "clock_timestamp", 1)
	}),
	"curdate": dateWriter, "current_date": dateWriter,
	"curtime": timeWriter, "current_time": timeWriter,
	"utc_timestamp": instant(datetime, func(d string) string { return inUTC(present(d)) }),
	"utc_date":      instant(date, func(string) string { return "CAST(pg_catalog.statement_timestamp() AT TIME ZONE 'UTC' AS date)" }),
	"utc_time":      instant(clock, func(d string) string { return "CAST(" + inUTC(present(d)) + " AS time)" }),
	"date":          {1, 1, func(e *emitter, a []frag) frag { return surely(atom(cast(a[0], "date"), date), a...) }},
	"time":          {1, 1, func(e *emitter, a []frag) frag { return surely(atom(cast(a[0], "time"), clock), a...) }},
	"timestamp":     {1, 1, func(e *emitter, a []frag) frag { return surely(atom(cast(a[0], "timestamp"), datetime), a...) }},
	"year":          part("year"), "month": part("month"), "quarter": part("quarter"), "day": part("day"), "dayofmonth": part("day"),
	"hour": part("hour"), "minute": part("minute"), "second": part("second"), "microsecond": part("microsecond"),
	"dayofyear": part("doy"), "weekofyear": part("week"),
	"dayofweek": {1, 1, func(e *emitter, a []frag) frag { return plusOne(field("dow", a[0]), 1) }},
	"weekday":   {1, 1, func(e *emitter, a []frag) frag { return plusOne(field("isodow", a[0]), -1) }},
	"dayname":   {1, 1, func(e *emitter, a []frag) frag { return surely(call("to_char", text, moment(a[0]), "'FMDay'"), a...) }},
	"monthname": {1, 1, func(e *emitter, a []frag) frag { return surely(call("to_char", text, moment(a[0]), "'FMMonth'"), a...) }},
	"week": {1, 2, func(e *emitter, a []frag) frag {
		if len(a) == 2 && a[1].literal && a[1].value == "3" {
			return field("week", a[0])
		}
		refuse("WEEK() in a mode other than 3", "PostgreSQL counts weeks as ISO 8601 does", "Use WEEK(x, 3)")
		return frag{}
	}},
	"last_day": {1, 1, func(e *emitter, a []frag) frag {
		return surely(atom("CAST(pg_catalog.date_trunc('month', "+moment(a[0])+") + INTERVAL '1 month - 1 day' AS date)", date), a...)
	}},
	"datediff": {2, 2, func(e *emitter, a []frag) frag {
		return surely(term(cast(a[0], "date")+" - "+cast(a[1], "date"), integer), a...)
	}},
	"date_format": {2, 2, func(e *emitter, a []frag) frag {
		if !a[1].literal {
			refuse("DATE_FORMAT with a format that is reckoned", "it must be read to be translated", "Write the format")
		}
		return surely(call("to_char", text, moment(a[0]), quote(dateFormat(a[1].value))), a...)
	}},
	"str_to_date": {2, 2, func(e *emitter, a []frag) frag {
		if !a[1].literal {
			refuse("STR_TO_DATE with a format that is reckoned", "it must be read to be translated", "Write the format")
		}
		f := "pg_catalog.to_timestamp(" + asText(a[0]) + ", " + quote(dateFormat(a[1].value)) + ")"
		if strings.ContainsAny(withoutSigns(a[1].value, "%H %h %I %i %s %S %T %r %k %l %p %f"), "\x00") {
			return surely(atom("CAST("+f+" AS timestamp)", datetime), a...)
		}
		return surely(atom("CAST("+f+" AS date)", date), a...)
	}},
	"unix_timestamp": {0, 1, func(e *emitter, a []frag) frag {
		if len(a) == 0 {
			return surely(atom("CAST(pg_catalog.floor(extract(epoch FROM pg_catalog.statement_timestamp())) AS bigint)", integer))
		}
		return surely(atom("CAST(pg_catalog.floor(extract(epoch FROM "+cast(a[0], "timestamptz")+")) AS bigint)", integer), a...)
	}},
	"from_unixtime": {1, 2, func(e *emitter, a []frag) frag {
		f := surely(atom("CAST(pg_catalog.to_timestamp("+double(a[0])+") AS timestamp)", datetime), a[0])
		if len(a) == 1 {
			return f
		}
		return functions["date_format"].write(e, []frag{f, a[1]})
	}},
	"makedate": {2, 2, func(e *emitter, a []frag) frag {
		return surely(atom("pg_catalog.make_date("+whole(a[0])+", 1, 1) + "+whole(a[1])+" - 1", date), a...)
	}},
	"time_to_sec": {1, 1, func(e *emitter, a []frag) frag {
		return surely(atom("CAST(pg_catalog.floor(extract(epoch FROM "+cast(a[0], "time")+")) AS integer)", integer), a...)
	}},
}

// withoutSigns puts a mark for each of the signs that a format has.
func withoutSigns(format, signs string) string {
	for _, s := range strings.Fields(signs) {
		format = strings.ReplaceAll(format, s, "\x00")
	}
	return format
}

func part(name string) writer {
	return writer{1, 1, func(e *emitter, a []frag) frag { return field(name, a[0]) }}
}

// moment is an expression as a point in time.
func moment(f frag) string {
	if f.kind == datetime || f.kind == date {
		return f.operand()
	}
	return cast(f, "timestamp")
}

func field(name string, f frag) frag {
	m := moment(f)
	if f.kind == clock {
		m = f.operand()
	}
	switch name {
	case "second":
		return surely(atom("CAST(pg_catalog.floor(extract(second FROM "+m+")) AS integer)", integer), f)
	case "microsecond":
		return surely(atom("CAST(extract(microseconds FROM "+m+") AS integer) % 1000000", integer), f)
	}
	return surely(atom("CAST(extract("+name+" FROM "+m+") AS integer)", integer), f)
}

func plusOne(f frag, n int) frag {
	if n < 0 {
		return surely(term(f.operand()+" - "+itoa(-n), integer), f)
	}
	return surely(term(f.operand()+" + "+itoa(n), integer), f)
}

// extract writes EXTRACT.
func (e *emitter) extract(unit string, f frag) frag {
	switch u := strings.ToLower(unit); u {
	case "year", "month", "day", "hour", "minute", "second", "microsecond", "quarter":
		return field(u, f)
	}
	refuse("EXTRACT("+strings.ToUpper(unit)+" ...)", "PostgreSQL has no such unit", "Extract one unit at a time")
	return frag{}
}

// interval writes an INTERVAL, and reports whether it consists of whole days.
func (e *emitter) interval(x *sqlparser.IntervalDateExpr) (sql string, days bool) {
	unit := x.Unit.ToString()
	if x.Unit == sqlparser.IntervalNone { // ADDDATE(x, 3)
		unit = "day"
	}
	if strings.Contains(unit, "_") {
		refuse("INTERVAL ... "+strings.ToUpper(unit), "PostgreSQL has no such unit", "Add one unit at a time")
	}
	n := e.number(x.Interval)
	field := map[string]string{"year": "years", "month": "months", "week": "weeks", "day": "days", "hour": "hours", "minute": "mins"}[unit]
	switch {
	case field != "":
		return "pg_catalog.make_interval(" + field + " => " + whole(n) + ")", unit != "hour" && unit != "minute"
	case unit == "quarter":
		return "pg_catalog.make_interval(months => 3 * " + whole(n) + ")", true
	case unit == "second":
		return "pg_catalog.make_interval(secs => " + double(n) + ")", false
	}
	return "pg_catalog.make_interval(secs => " + double(n) + " / 1000000)", false // of microseconds
}

// shifted writes a time plus or minus an interval: +, -, DATE_ADD, DATE_SUB and their synonyms, and
// TIMESTAMPADD. A date stays one if the interval consists of whole days.
func (e *emitter) shifted(x *sqlparser.IntervalDateExpr) frag {
	f := e.value(x.Date)
	by, days := e.interval(x)
	sign := "+"
	switch x.Syntax {
	case sqlparser.IntervalDateExprDateSub, sqlparser.IntervalDateExprSubdate, sqlparser.IntervalDateExprBinarySub:
		sign = "-"
	}
	if f.kind == text && f.literal {
		f.kind = datetime
		if len(f.value) == len("2006-01-02") {
			f.kind = date
		}
		f.text, f.literal = cast(f, map[kind]string{date: "date", datetime: "timestamp"}[f.kind]), false
	}
	switch f.kind {
	case untyped:
		return atom("CAST("+cast(f, "timestamp")+" "+sign+" "+by+" AS timestamp)", datetime)
	case text, integer, decimal, float, binary, document:
		refuse("an INTERVAL beside a value that is no date", "MySQL would read a date from it", "Convert it with CAST(... AS DATETIME)")
	case date:
		if days {
			return surely(atom("CAST("+f.operand()+" "+sign+" "+by+" AS date)", date), f)
		}
		return surely(term(f.operand()+" "+sign+" "+by, datetime), f)
	}
	return surely(term(f.operand()+" "+sign+" "+by, f.kind), f)
}

// timestampDiff writes TIMESTAMPDIFF.
func (e *emitter) timestampDiff(x *sqlparser.TimestampDiffExpr) frag {
	from, to := e.value(x.Expr1), e.value(x.Expr2)
	a, b := cast(from, "timestamp"), cast(to, "timestamp")
	seconds := "extract(epoch FROM " + b + " - " + a + ")"
	months := "extract(year FROM pg_catalog.age(" + b + ", " + a + ")) * 12 + extract(month FROM pg_catalog.age(" + b + ", " + a + "))"
	each := map[string]string{"minute": "60", "hour": "3600", "day": "86400", "week": "604800"}
	var sql string
	switch unit := x.Unit.ToString(); unit {
	case "microsecond":
		sql = seconds + " * 1000000"
	case "second":
		sql = seconds
	case "month":
		sql = months
	case "quarter":
		sql = "(" + months + ") / 3"
	case "year":
		sql = "(" + months + ") / 12"
	default:
		if each[unit] == "" {
			refuse("TIMESTAMPDIFF("+strings.ToUpper(unit)+", ...)", "PostgreSQL has no such unit", "")
		}
		sql = seconds + " / " + each[unit]
	}
	return surely(atom("CAST(pg_catalog.trunc("+sql+") AS bigint)", integer), from, to)
}

// formats are PostgreSQL's words for the signs of DATE_FORMAT.
var formats = map[byte]string{
	'Y': "YYYY", 'y': "YY", 'm': "MM", 'd': "DD", 'H': "HH24", 'i': "MI", 's': "SS", 'S': "SS",
	'e': "FMDD", 'c': "FMMM", 'M': "FMMonth", 'b': "Mon", 'W': "FMDay", 'a': "Dy",
	'h': "HH12", 'I': "HH12", 'p': "AM", 'j': "DDD", 'f': "US", 'T': "HH24:MI:SS", 'r': "HH12:MI:SS AM",
	'k': "FMHH24", 'l': "FMHH12", 'D': "FMDDth", 'v': "IW", 'x': "IYYY",
}

// dateFormat translates a format of DATE_FORMAT for to_char. Text between the format's signs is
// quoted.
func dateFormat(f string) string {
	var b, plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(plain.String()) + `"`)
			plain.Reset()
		}
	}
	for i := 0; i < len(f); i++ {
		if f[i] != '%' || i+1 == len(f) {
			plain.WriteByte(f[i])
			continue
		}
		i++
		word, ok := formats[f[i]]
		switch {
		case f[i] == '%':
			plain.WriteByte('%')
		case !ok && strings.IndexByte("wuUVX", f[i]) >= 0:
			refuse("DATE_FORMAT with %"+string(f[i]), "PostgreSQL has no such sign", "")
		case !ok:
			plain.WriteByte(f[i])
		default:
			flush()
			b.WriteString(word)
		}
	}
	flush()
	return b.String()
}
