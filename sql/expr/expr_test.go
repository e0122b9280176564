package expr

import (
	"testing"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// evaluated is the value of an expression without columns, as the tests write it.
func evaluated(t testing.TB, text string) (string, *Context) {
	t.Helper()
	c := testContext()
	e, err := environment.Parser().ParseExpr(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p, err := Compile(c, Columns{}, e)
	if err != nil {
		return "error: " + err.Error(), c
	}
	p.Begin(c)
	out, err := p.Run(nil, nil)
	if err != nil {
		return "error: " + err.Error(), c
	}
	if out[0].IsNull() {
		return "NULL", c
	}
	return out[0].ToString(), c
}

func firstColumn(*sqlparser.ColName) (int, error) { return 0, nil }

// testContext is that of the tests' statements.
func testContext() *Context {
	return &Context{
		Now: time.Date(2024, 2, 29, 10, 11, 12, 500000000, time.UTC), Collation: generalCI, MaxPacket: 1 << 20,
		SQLMode: defaultMode,
	}
}

var generalCI, _ = environment.CollationEnv().LookupID("utf8mb4_general_ci")

func TestFunctionsWithinTheEnginesExpressions(t *testing.T) {
	for text, want := range map[string]string{
		"1+1":                                 "2",
		"UPPER('aäb')":                        "AÄB",
		"CONCAT(UPPER('a'), LOWER('B'))":      "Ab",
		"TRIM(BOTH 'x' FROM 'xxaxx')":         "a",
		"TRIM(LEADING 'x' FROM UPPER('xxa'))": "XXA",
		"FIND_IN_SET('B', 'a,b,c') + 1":       "3",
		"FIND_IN_SET(NULL, 'a,b,c')":          "NULL",
		"IF(1, UPPER('a'), UPPER(NULL))":      "A",
		"FIND_IN_SET('a')":                    "error: Incorrect parameter count in the call to native function 'find_in_set'",
	} {
		if got, _ := evaluated(t, text); got != want {
			t.Errorf("%s = %s, expected %s", text, got, want)
		}
	}
}

func TestColumnsAndSlotsOfARow(t *testing.T) {
	c := &Context{Collation: generalCI}
	e, err := environment.Parser().ParseExpr("UPPER(c) = 'AB' and k + 1 > 2")
	if err != nil {
		t.Fatal(err)
	}
	columns := Columns{Types: []Type{integerType(nil, c), textType(nil, c)}, Find: func(n *sqlparser.ColName) (int, error) {
		return map[string]int{"k": 0, "c": 1}[n.Name.String()], nil
	}}
	p, err := Compile(c, columns, e)
	if err != nil {
		t.Fatal(err)
	}
	p.Begin(c)
	for _, r := range []struct {
		k    int64
		c    string
		want bool
	}{{2, "ab", true}, {1, "ab", false}, {2, "x", false}} {
		text := Call{Context: c, Out: textType(nil, c)}
		if got, err := p.True([]Value{Int(r.k), text.Text(r.c)}); err != nil || got != r.want {
			t.Errorf("%v: %v, %v", r, got, err)
		}
	}
}

// Literals take the collation of the columns that they are compared with, each side of AND by itself.
func TestLiteralsTakeTheColumnsCollation(t *testing.T) {
	bin, _ := environment.CollationEnv().LookupID("utf8mb4_0900_bin")
	c := &Context{Collation: bin}
	text := func(collation collations.ID) Type {
		return evalengine.NewTypeEx(sqltypes.VarChar, collation, true, 10, 0, nil)
	}
	columns := Columns{Types: []Type{text(generalCI), text(bin)}, Find: func(n *sqlparser.ColName) (int, error) {
		return map[string]int{"ci": 0, "cs": 1}[n.Name.String()], nil
	}}
	row := []Value{sqltypes.NewVarChar("a"), sqltypes.NewVarChar("a")}
	for condition, want := range map[string]bool{
		"ci = 'A'": true, "cs = 'A'": false, "concat(ci, '') = 'A'": true, "ci = 'A' AND 1 = 1": true, "ci = 'A' AND cs = 'a'": true,
		"ci = 'A' AND cs = 'A'": false, "cs = 'A' OR ci IN ('B', 'A')": true, "NOT (cs = 'A' OR ci = 'B')": true, "ci = 'A' COLLATE utf8mb4_0900_bin": false,
		"'a' = 'A'": false,
		"('12' > cs OR (RIGHT(ci, cs)) IS NOT TRUE) AND (cs LIKE '%' AND ci NOT IN ('x'))":        true,
		"(NULL = SUBSTRING(ci, 1) OR cs >= 'A') AND ((FALSE AND ci) LIKE '%b%' XOR cs LIKE 'a%')": true,
	} {
		e, err := environment.Parser().ParseExpr(condition)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(c, columns, e)
		if err != nil {
			t.Fatalf("%s: %v", condition, err)
		}
		p.Begin(c)
		if got, err := p.True(row); err != nil || got != want {
			t.Errorf("%s: %v, %v", condition, got, err)
		}
	}
}

// A text where a number is needed is converted with MySQL's warning, once for a constant.
func TestTextsAsNumbersWarn(t *testing.T) {
	for text, want := range map[string]int{
		"1 + '5x'": 1, "1 + '5'": 0, "'a' = 1": 1, "'a' = 'b'": 0, "-'x'": 1, "'x' AND 1": 1, "NOT 'x'": 1, "1 < concat('a', 'b')": 1, "'1' + '2x' * '3y'": 2, "1 IN (2, 'x')": 1, "1 BETWEEN '0x' AND '2'": 1, "'a' IN ('b', 'c')": 0,
	} {
		_, c := evaluated(t, text)
		list, _ := c.Warnings()
		if len(list) != want {
			t.Errorf("%s: %v, expected %d", text, list, want)
		}
		for _, w := range list {
			if w.Code != 1292 {
				t.Errorf("%s: %v", text, w)
			}
		}
	}
}

func TestLike(t *testing.T) {
	for text, want := range map[string]string{
		"'abc' LIKE 'A%'": "1", "'abc' LIKE '_B_'": "1", "'abc' LIKE 'ab'": "0", "'a%c' LIKE 'a\\\\%c'": "1", "'abc' LIKE 'a\\\\%c'": "0",
		"'a%c' LIKE 'a|%c' ESCAPE '|'": "1", "'abc' LIKE 'a|%c' ESCAPE '|'": "0", "'' LIKE '%'": "1", "'' LIKE '_'": "0", "'ä' LIKE 'A'": "1",
		"'abc' NOT LIKE 'x%'": "1", "NULL LIKE 'a'": "NULL", "'a ' LIKE 'a'": "0", "_binary'a' LIKE 'A'": "0", "12 LIKE '1%'": "1",
		"'aab' LIKE '%a%b'": "1", "'aaaa' LIKE '%a%a%a%a%a'": "0", "'日本' LIKE '日_'": "1",
		"concat(repeat('a', 5000), 'b') LIKE concat(repeat('%a', 40), '%b')": "1", "repeat('a', 50000) LIKE concat(repeat('%a', 40), '%b')": "0",
	} {
		if got, _ := evaluated(t, text); got != want {
			t.Errorf("%s = %s, expected %s", text, got, want)
		}
	}
}

func TestBitsBesideNumbers(t *testing.T) {
	for text, want := range map[string]string{"1 = X'31'": "0", "49 = X'31'": "1", "1 = X'31' OR 1 = 2": "0", "49 = X'31' OR 1 = 2": "1"} {
		if got, _ := evaluated(t, text); got != want {
			t.Errorf("%s = %s, expected %s", text, got, want)
		}
	}
}

// A BIT is a number where a function takes one.
func TestBitColumnsAsNumbers(t *testing.T) {
	c := &Context{Collation: generalCI}
	columns := Columns{Types: []Type{evalengine.NewTypeEx(sqltypes.Bit, collations.CollationBinaryID, true, 8, 0, nil)}, Find: func(*sqlparser.ColName) (int, error) { return 0, nil }}
	for text, want := range map[string]string{"bin(b)": "101", "oct(b)": "5", "conv(b, 10, 2)": "101", "format(b, 1)": "5.0"} {
		e, err := environment.Parser().ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(c, columns, e)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p.Begin(c)
		out, err := p.Run([]Value{sqltypes.MakeTrusted(sqltypes.Bit, []byte{5})}, nil)
		if err != nil || out[0].ToString() != want {
			t.Errorf("%s: %v, %v; expected %s", text, out, err, want)
		}
	}
}

// A number beside a date that is none is no fault of a strict change: MySQL compares numbers.
func TestNumbersBesideDatesInAStrictChange(t *testing.T) {
	for strict, want := range map[bool]int{false: 1, true: 0} {
		c := &Context{Collation: generalCI, Strict: strict}
		e, err := environment.Parser().ParseExpr("DATE'2024-01-01' IN (1, 20240101)")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(c, Columns{}, e)
		if err != nil {
			t.Fatal(err)
		}
		p.Begin(c)
		out, err := p.Run(nil, nil)
		if list, _ := c.Warnings(); err != nil || out[0].ToString() != "1" || len(list) != want {
			t.Errorf("strict %t: %v, %v, %v", strict, out, err, list)
		}
	}
}
