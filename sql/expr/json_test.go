package expr

import (
	"context"
	"strings"
	"testing"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

func init() {
	byDesign = append(byDesign,
		difference{`^JSON_`, `^error (Invalid JSON text|Invalid data type for JSON data|Cannot create a JSON value|Invalid JSON path|In this situation|The oneOrAll|Incorrect type for argument|JSON documents may not contain NULL)`, "what is no document, path or key is an error, where MariaDB returns NULL"},
		difference{`^JSON_.*\b1\.5e3`, `1500\.0`, "a double has a point in a document"},
		difference{`^JSON_.*TIME'-10:11:12'`, `"-10:11:12\.000000"`, "a time has six digits in a document"},
		difference{`^JSON_.*0x6162`, `"base64:type15:YWI="`, "bytes are written in base64"},
		difference{`^JSON_CONTAINS\('[-\d.e]*', '1', '\$\.a'\)`, `^NULL$`, "a path that leads to nothing makes the result NULL"},
		difference{`^JSON_VALID\([-\dT]`, `^0$`, "a number is no document"},
	)
	// MariaDB keeps the spaces and the order of a document's text.
	sameAlso = append(sameAlso, func(a, b string) bool {
		x, faultX := parseJSON(a)
		y, faultY := parseJSON(b)
		return faultX == nil && faultY == nil && string(x.append(nil, 1<<20)) == string(y.append(nil, 1<<20))
	})
}

func TestPathsOfColumns(t *testing.T) {
	c := testContext()
	columns := Columns{Types: []Type{jsonType(nil, c)}, Find: func(*sqlparser.ColName) (int, error) { return 0, nil }}
	for text, want := range map[string]string{
		"c->'$.a'":                             `"x"`,
		"c->>'$.a'":                            "x",
		"c->'$.b[0]' + 1":                      "8",
		"c->'$.b[1]' IS NULL":                  "1",
		"JSON_TYPE(c->'$.b')":                  "ARRAY",
		"JSON_SET(c, '$.a', c->'$.b')":         `{"a": [7], "b": [7]}`,
		"c->>'$.a' = 'X'":                      "0",
		"JSON_CONTAINS(c, '7', '$.b')":         "1",
		"JSON_MERGE_PATCH(c, '{\"a\": null}')": `{"b": [7]}`,
	} {
		e, err := environment.Parser().ParseExpr(text)
		if err != nil {
			t.Fatal(text, err)
		}
		p, err := Compile(c, columns, e)
		if err != nil {
			t.Fatal(text, err)
		}
		p.Begin(c)
		row := []Value{sqltypes.MakeTrusted(sqltypes.TypeJSON, []byte(`{"a": "x", "b": [7]}`))}
		for range 2 { // the arguments are as before
			out, err := p.Run(row, nil)
			if err != nil || out[0].ToString() != want {
				t.Errorf("%s = %v, %v, expected %s", text, out, err, want)
			}
		}
	}
}

func TestBytesInDocuments(t *testing.T) {
	for typ, want := range map[sqltypes.Type]string{
		sqltypes.VarBinary: "15", sqltypes.Binary: "254", sqltypes.Blob: "252", sqltypes.Bit: "16",
	} {
		c := Call{Context: testContext(), Function: jsonArrayFunction, Args: []Value{sqltypes.MakeTrusted(typ, []byte("ab"))}, Types: []Type{binaryType(nil, nil)}}
		got, err := jsonArrayCall(&c)
		if text := `["base64:type` + want + `:YWI="]`; err != nil || got.ToString() != text {
			t.Errorf("%v: %v, %v, expected %s", typ, got, err, text)
		}
	}
}

func TestSizesOfDocuments(t *testing.T) {
	for _, r := range []struct {
		text string
		want int
	}{
		{`[100, "sakila", [1, 3, 5], 425.05]`, 45},
		{`[]`, 5},
		{`{}`, 5},
		{`[70000]`, 12},
		{`"` + strings.Repeat("x", 127) + `"`, 129},
		{`"` + strings.Repeat("x", 128) + `"`, 131},
		{`["` + strings.Repeat("x", 70000) + `", 70000]`, 1 + 8 + 2*5 + 3 + 70000}, // places of four bytes, and the number inside
	} {
		v, fault := parseJSON(r.text)
		if fault != nil {
			t.Fatal(fault)
		}
		if got := 1 + v.size(); got != r.want {
			t.Errorf("%.40s has %d bytes, expected %d", r.text, got, r.want)
		}
	}
}

func TestLongResultsOfDocumentsAreNull(t *testing.T) {
	for _, text := range []string{
		"JSON_EXTRACT(CONCAT(REPEAT('[', 90), '\"', REPEAT('x', 60000), '\"', REPEAT(']', 90)), '$**[0]')",
		"JSON_QUOTE(REPEAT('\"', 600000))",
		"JSON_PRETTY(CONCAT(REPEAT('[', 90), '1', REPEAT(',1', 10000), REPEAT(']', 90)))",
	} {
		if got := answered(text, testContext()); got != "NULL [1301]" {
			t.Errorf("%s = %.60s", text, got)
		}
	}
}

func TestValuesOfACallsDocumentsAreBounded(t *testing.T) {
	half := "[0" + strings.Repeat(",0", maxJSONValues/2-2) + "]" // with the array itself
	n := 0
	for i, want := range []bool{true, true, false} {
		if _, fault := parseCounted(half, &n); (fault == nil) != want {
			t.Fatalf("document %d: %v after %d values", i, fault, n)
		}
	}
	c := testContext()
	columns := Columns{Types: []Type{textType(nil, c)}, Find: func(*sqlparser.ColName) (int, error) { return 0, nil }}
	e, err := environment.Parser().ParseExpr("JSON_OVERLAPS(c, c)")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(c, columns, e)
	if err != nil {
		t.Fatal(err)
	}
	p.Begin(c)
	row := []Value{sqltypes.MakeTrusted(sqltypes.VarChar, []byte("[1, 2]"))}
	for range 3 { // the values of a row are not counted for the next
		if _, err := p.Run(row, nil); err != nil || p.steps[0].call.values != 6 {
			t.Fatal(err, p.steps[0].call.values)
		}
	}
}

func TestJSONFunctionsEndWithTheirStatement(t *testing.T) {
	done, end := context.WithCancel(context.Background())
	end()
	for _, text := range []string{"JSON_TYPE('1')", "JSON_EXTRACT('[1]', '$[0]')"} {
		c := testContext()
		c.Done = done
		if got := answered(text, c); got != "error 1317" {
			t.Errorf("%s = %s", text, got)
		}
	}
	c := testContext()
	c.Done = done
	w := jsonWork{call: &Call{Context: c}}
	for range 1 << 13 {
		if !w.step() {
			return
		}
	}
	t.Error("a search continues after its statement has been ended")
}
