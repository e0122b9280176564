package expr

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// fuzzedCalls are calls of the functions of dates, times and documents over the columns a, b and c.
var fuzzedCalls = func() []string {
	list := []string{
		"ADDTIME(a, b)", "SUBTIME(a, b)", "TIMEDIFF(a, b)", "TIMESTAMP(a)", "TIMESTAMP(a, b)", "DATEDIFF(a, b)", "DATE(a)", "TIME(a)",
		"DAYNAME(a)", "MONTHNAME(a)", "LAST_DAY(a)", "TO_DAYS(a)", "TO_SECONDS(a)", "WEEK(a, b)", "YEARWEEK(a, b)", "DAYOFYEAR(a)",
		"DATE_FORMAT(a, b)", "TIME_FORMAT(a, b)", "STR_TO_DATE(a, b)", "UNIX_TIMESTAMP(a)", "FROM_UNIXTIME(a)", "FROM_UNIXTIME(a, b)",
		"CONVERT_TZ(a, b, c)", "PERIOD_ADD(a, b)", "PERIOD_DIFF(a, b)", "TIME_TO_SEC(a)", "SEC_TO_TIME(a)", "MAKEDATE(a, b)", "FROM_DAYS(a)",
		"MAKETIME(a, b, c)", "MICROSECOND(a)", "GET_FORMAT(DATE, a)", "ADDDATE(a, b)", "TIMESTAMPADD(MONTH, a, b)",
		"JSON_ARRAY(a, b, c)", "JSON_OBJECT(a, b)", "JSON_QUOTE(a)", "JSON_UNQUOTE(a)", "JSON_PRETTY(a)", "JSON_EXTRACT(a, b)", "JSON_EXTRACT(a, b, c)",
		"JSON_KEYS(a, b)", "JSON_CONTAINS(a, b)", "JSON_CONTAINS(a, b, c)", "JSON_CONTAINS_PATH(a, 'all', b, c)", "JSON_OVERLAPS(a, b)",
		"JSON_SEARCH(a, 'all', b)", "JSON_SEARCH(a, 'all', b, NULL, c)", "a MEMBER OF (b)", "JSON_SET(a, b, c)", "JSON_INSERT(a, b, c)",
		"JSON_REPLACE(a, b, c)", "JSON_ARRAY_APPEND(a, b, c)", "JSON_ARRAY_INSERT(a, b, c)", "JSON_REMOVE(a, b, c)", "JSON_MERGE_PRESERVE(a, b, c)",
		"JSON_MERGE_PATCH(a, b, c)", "JSON_DEPTH(a)", "JSON_LENGTH(a, b)", "JSON_TYPE(a)", "JSON_VALID(a)", "JSON_STORAGE_SIZE(a)",
		"JSON_VALUE(a, b)", "JSON_VALUE(a, b RETURNING SIGNED)", "JSON_VALUE(a, b RETURNING DECIMAL(10,2))", "JSON_VALUE(a, b RETURNING DATETIME(3))",
		"JSON_VALUE(a, b RETURNING TIME)", "JSON_SCHEMA_VALID(a, b)", "JSON_SCHEMA_VALIDATION_REPORT(a, b)", "JSON_VALUE(a, b RETURNING JSON)",
	}
	for _, u := range intervalUnits {
		list = append(list, "DATE_ADD(a, INTERVAL b "+u.name+")", "DATE_SUB(a, INTERVAL b "+u.name+")", "EXTRACT("+u.name+" FROM a)")
		if len(u.fields) == 1 {
			list = append(list, "TIMESTAMPDIFF("+u.name+", a, b)")
		}
	}
	return list
}()

// fuzzedValue is a value of a kind that a text gives; the text itself where it is none of that kind.
func fuzzedValue(kind byte, s string) Value {
	n, _ := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	switch kind % 10 {
	case 1:
		return Int(n)
	case 2:
		return Uint(uint64(n))
	case 3:
		if d, err := decimal.NewFromMySQL([]byte(s)); err == nil && len(s) < 66 && !strings.ContainsAny(s, "eE") {
			return sqltypes.MakeTrusted(sqltypes.Decimal, []byte(d.String()))
		}
	case 4:
		if f, err := strconv.ParseFloat(s, 64); err == nil && f-f == 0 {
			return Double(f)
		}
	case 5:
		if p, ok := parseDateTime(s, zeroParts|invalidDays); ok {
			p.kind = aDate
			return sqltypes.MakeTrusted(sqltypes.Date, p.text(0))
		}
	case 6:
		if p, ok := parseDateTime(s, zeroParts|invalidDays); ok {
			p.kind = aDateTime
			return sqltypes.MakeTrusted(sqltypes.Datetime, p.text(6))
		}
	case 7:
		t, _ := timeOf(n)
		return sqltypes.MakeTrusted(sqltypes.Time, t.text(6))
	case 8:
		if v, fault := parseJSON(s); fault == nil {
			return sqltypes.MakeTrusted(sqltypes.TypeJSON, v.append(nil, 1<<30))
		}
	case 9:
		return sqltypes.MakeTrusted(sqltypes.VarBinary, []byte(s))
	}
	return sqltypes.MakeTrusted(sqltypes.VarChar, []byte(strings.ToValidUTF8(s, "?")))
}

func fuzzedType(v Value, c *Context) Type {
	switch t := v.Type(); t {
	case sqltypes.VarChar:
		return textType(nil, c)
	case sqltypes.Decimal:
		_, fraction, _ := strings.Cut(v.ToString(), ".")
		typ := temporalType(sqltypes.Decimal, len(fraction))
		return typ
	case sqltypes.TypeJSON:
		return jsonType(nil, c)
	case sqltypes.Datetime, sqltypes.Time:
		return temporalType(t, 6)
	default:
		return temporalType(t, 0)
	}
}

// FuzzTimeAndJSON computes calls of hostile arguments: none may panic, or return more than a packet, or what is not of
// its type.
func FuzzTimeAndJSON(f *testing.F) {
	for i := range fuzzedCalls {
		f.Add(uint16(i), uint16(0), "2024-02-29 10:11:12.5", "1 2:3:4.5", "+01:00")
		f.Add(uint16(i), uint16(0), `{"a": [1, "x", {"b": null}], "": 1.5e3}`, "$.a[last-1 to last]", "$**.b")
		f.Add(uint16(i), uint16(12345), "-9223372036854775808", "9223372036854775807", "-838:59:59")
		f.Add(uint16(i), uint16(888), `[[["\ud83d\ude00", -0.0, 1e308]]]`, "%Y-%j %X%V %W %r%f%%%", "$[0][*]")
	}
	for i, call := range fuzzedCalls {
		if strings.HasPrefix(call, "JSON_SCHEMA") {
			f.Add(uint16(i), uint16(0), `{"items": {"$ref": "#/definitions/n"}, "definitions": {"n": {"oneOf": [{"enum": [1]}, {"multipleOf": 0.1}]}}}`, `[1, 0.3, "x"]`, "")
			f.Add(uint16(i), uint16(0), `{"properties": {"a": {"pattern": "^.*$"}}, "patternProperties": {"b+": {"not": {}}}, "additionalProperties": {"type": ["null"]}}`, `{"a": "1", "c": null, "bb": [{}]}`, "")
		}
	}
	f.Fuzz(func(t *testing.T, which, kinds uint16, a, b, d string) {
		computeFuzzed(t, fuzzedCalls[int(which)%len(fuzzedCalls)], kinds, a, b, d)
	})
}

// computeFuzzed computes a call of columns a, b and c, whose kinds are the digits of a number.
func computeFuzzed(t *testing.T, call string, kinds uint16, a, b, d string) {
	if len(a)+len(b)+len(d) > 1<<14 {
		return
	}
	c := testContext()
	c.MaxPacket = 1 << 16
	row := []Value{fuzzedValue(byte(kinds%10), a), fuzzedValue(byte(kinds/10%10), b), fuzzedValue(byte(kinds/100%10), d)}
	e, err := environment.Parser().ParseExpr(call)
	if err != nil {
		t.Fatal(call, err)
	}
	columns := Columns{Find: func(n *sqlparser.ColName) (int, error) { return int(n.Name.String()[0] - 'a'), nil }}
	for _, v := range row {
		columns.Types = append(columns.Types, fuzzedType(v, c))
	}
	p, err := Compile(c, columns, e)
	if err != nil {
		return
	}
	p.Begin(c)
	before := fmt.Sprint(row)
	out, err := p.Run(row, nil)
	if failed, ok := err.(*Panic); ok {
		t.Fatalf("%s of %s: %s\n%s", call, before, failed.Reason, failed.Stack)
	}
	if after := fmt.Sprint(row); after != before {
		t.Fatalf("%s of %s has changed its arguments to %s", call, before, after)
	}
	if err == nil {
		checkFuzzed(t, p, out[0], call+" of "+before)
	}
}

// checkFuzzed checks that a result is of its type.
func checkFuzzed(t *testing.T, p *Program, v Value, what string) {
	if len(v.Raw()) > 1<<16 {
		t.Fatalf("%s has %d bytes", what, len(v.Raw()))
	}
	if v.IsNull() {
		return
	}
	s, ok := v.ToString(), true
	typ := p.Type(0)
	switch typ.Type() {
	case sqltypes.TypeJSON:
		doc, fault := parseJSON(s)
		first := doc.append(nil, 1<<20) // a number of more than 64 bits becomes a double
		again, second := parseJSON(string(first))
		ok = fault == nil && second == nil && string(again.append(nil, 1<<20)) == string(first)
	case sqltypes.Date, sqltypes.Datetime:
		var d parsed
		d, ok = parseDateTime(s, zeroParts|invalidDays)
		ok = ok && !d.cut && (d.kind == aDate) == (typ.Type() == sqltypes.Date)
	case sqltypes.Time:
		var d parsed
		d, ok = parseTime(s)
		ok = ok && !d.cut && d.kind == aTime
	case sqltypes.Int64:
		_, err := strconv.ParseInt(s, 10, 64)
		ok = err == nil
	}
	if !ok {
		t.Fatalf("%s = %q is no %v", what, s, typ.Type())
	}
}
