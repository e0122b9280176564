package expr

import (
	"testing"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/vt/sqlparser"
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

var _ = collations.Unknown
