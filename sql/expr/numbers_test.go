package expr

import (
	"fmt"
	"testing"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// ofColumn is the value of an expression over a row of one column, c, or the error of compiling it.
func ofColumn(t *testing.T, typ Type, v Value, text string) (string, *Context) {
	t.Helper()
	c := testContext()
	e, err := environment.Parser().ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(c, Columns{Types: []Type{typ}, Find: firstColumn}, e)
	if err != nil {
		return err.Error(), c
	}
	p.Begin(c)
	out, err := p.Run([]Value{v}, nil)
	if err != nil {
		return err.Error(), c
	}
	if out[0].IsNull() {
		return "NULL", c
	}
	return out[0].ToString(), c
}

func TestColumnsThatAreNumbersOfAnotherForm(t *testing.T) {
	members := &evalengine.EnumSetValues{"'a'", "'b'", "'c'"}
	set := evalengine.NewTypeEx(sqltypes.Set, generalCI, true, 0, 0, members)
	bit := evalengine.NewTypeEx(sqltypes.Bit, collations.CollationBinaryID, true, 8, 0, nil)
	filled := evalengine.NewTypeEx(sqltypes.Uint32, collations.CollationBinaryID, true, 0, 0, nil)
	float := evalengine.NewTypeEx(sqltypes.Float32, collations.CollationBinaryID, true, 0, anyScale, nil)
	big := integerType(nil, nil)
	date := temporalType(sqltypes.Datetime, 0)
	five, moment := sqltypes.MakeTrusted(sqltypes.Bit, []byte{0xff}), sqltypes.MakeTrusted(sqltypes.Datetime, []byte("0000-00-00 00:00:00"))
	for _, r := range []struct {
		typ        Type
		value      Value
		text, want string
	}{
		{set, sqltypes.MakeTrusted(sqltypes.Set, []byte("a,c")), "REPEAT('x', c)", "xxxxx"},
		{set, sqltypes.MakeTrusted(sqltypes.Set, []byte("a,c")), "SUBSTRING('abcdefg', c, c)", "efg"},
		{set, sqltypes.MakeTrusted(sqltypes.Set, []byte("a,c")), "BIT_COUNT(c)", "2"},
		{bit, five, "HEX(c)", "FF"},
		{bit, five, "ASCII(c)", "255"},
		{bit, five, "CONCAT(c, 'a')", "\xffa"},
		{bit, five, "REVERSE(c)", "\xff"},
		{bit, five, "SOUNDEX(c)", ""},
		{filled, sqltypes.MakeTrusted(sqltypes.Uint32, []byte("00042")), "JSON_ARRAY(c)", "[42]"},
		{date, moment, "CEIL(c)", "0"},
		{date, moment, "LAST_DAY(c)", "NULL"},
		{date, moment, "TO_DAYS(c)", "NULL"},
		{set, sqltypes.MakeTrusted(sqltypes.Set, []byte("a,c")), "c BETWEEN 'x' AND DATE'2024-01-01'", "1 [1292 1292]"},
		{bit, five, "COALESCE(c, 'a')", "\xff"},
		{bit, five, "IF(c, c, 1.5)", "255.0"},
		{float, sqltypes.MakeTrusted(sqltypes.Float32, []byte("0.10000000149011612")), "IF(1, c, 'a')", "0.1"},
		{big, Int(9007199254740993), "c = '9007199254740992'", "0"},
		{big, Int(9007199254740993), "c = '9007199254740993'", "1"},
		{big, Int(9007199254740993), "c IN ('9007199254740992', 1)", "0"},
		{big, Int(2), "c > '1.5abc'", "1 [1292]"},
		{big, Int(2), "c = '2024-01-01'", "0 [1292]"},
		{set, sqltypes.MakeTrusted(sqltypes.Set, []byte("a")), "FIELD(c, 'b', 'a')", "2"},
		{unsignedType(nil, nil), Uint(18446744073709551615), "-c", "BIGINT value is out of range in '-18446744073709551615'"},
		{unsignedType(nil, nil), Uint(5), "-c", "-5"},
		{unsignedType(nil, nil), Null, "TRUNCATE(1.999, c) BETWEEN 1.5 AND 3.5", "NULL"},
		{unsignedType(nil, nil), Uint(1), "b'101' * -3 * c", "BIGINT UNSIGNED value is out of range in '(5 * -3)'"},
		{big, Int(-9223372036854775808), "-c", "BIGINT value is out of range in '--9223372036854775808'"},
		{filled, sqltypes.MakeTrusted(sqltypes.Uint32, []byte("00042")), "c REGEXP '^000'", "1"},
		{filled, sqltypes.MakeTrusted(sqltypes.Uint32, []byte("00042")), "REGEXP_INSTR('x00042', c)", "2"},
		{date, moment, "c = 0", "1"},
		{date, moment, "c > 1", "0 [1292]"},
		{date, moment, "c > -1", "1 [1292]"},
		{date, moment, "c < DATE'0001-01-01'", "1"},
		{date, moment, "c BETWEEN 0 AND 20240101", "1"},
		{date, moment, "c <=> TIMESTAMP'2024-01-01 00:00:00'", "0"},
		{date, moment, "(c, 1) < ('2024-01-01', 1)", "1"},
	} {
		got, c := ofColumn(t, r.typ, r.value, r.text)
		var codes []int
		for _, w := range c.warnings {
			codes = append(codes, w.Code)
		}
		if codes != nil {
			got += fmt.Sprint(" ", codes)
		}
		if got != r.want {
			t.Errorf("%s of %s = %q, expected %q", r.text, r.value, got, r.want)
		}
	}
}

func TestTextsOfTwoCollationsThatAreCompared(t *testing.T) {
	unicode, _ := environment.CollationEnv().LookupID("utf8mb4_unicode_ci")
	names := map[string]int{"g": 0, "u": 1, "b": 2, "n": 3}
	bin, _ := environment.CollationEnv().LookupID("utf8mb4_bin")
	text := func(id collations.ID) Type { return evalengine.NewTypeEx(sqltypes.VarChar, id, true, 10, 0, nil) }
	columns := Columns{Types: []Type{text(generalCI), text(unicode), text(bin), integerType(nil, nil)}, Find: func(n *sqlparser.ColName) (int, error) { return names[n.Name.String()], nil }}
	for text, code := range map[string]int{
		"g = u": 1267, "UPPER(u) = g": 1267, "g LIKE u": 1267, "g REGEXP u": 1267, "STRCMP(u, g)": 1267, "g BETWEEN u AND 'a'": 1270,
		"COALESCE(g, u)": 0, "LEAST(g, u)": 1267, "GREATEST(g, b, 'a')": 0, "REGEXP_LIKE(g, b)": 0, "REGEXP_INSTR(u, g)": 1267,
		"COALESCE(g, 'a') = u": 1267, "CASE WHEN n THEN 'a' ELSE g END <=> u": 1267,
		"REPLACE(g, u, 'a')": 1270, "g IN (u, 'a', 'b')": 1271, "u LIKE b": 0, "u = CONCAT(n)": 0, "u = UPPER('a')": 0, "CONCAT(g, u)": 0, "g = u COLLATE utf8mb4_bin": 0,
	} {
		e, err := environment.Parser().ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		if _, err := Compile(testContext(), columns, e); err != nil {
			if own, ok := err.(*Error); ok {
				got = own.Code
			} else {
				t.Errorf("%s: %v", text, err)
			}
		}
		if got != code {
			t.Errorf("%s is error %d, expected %d", text, got, code)
		}
	}
}
