package store

import (
	"math"
	"testing"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// A text of a set other than UTF-8 has ? in the place of characters that the set lacks, or is an error; bytes are in the set.
func TestTextsOfOtherCharacterSets(t *testing.T) {
	const latin1, ascii, utf16 = 8, 11, 54
	text := func(s string) expr.Value { return sqltypes.NewVarChar(s) }
	for _, w := range []struct {
		collation   uint16
		typ         string
		value       expr.Value
		strict, lax string
	}{
		{latin1, "varchar(5)", text("é€x"), "'é€x'", "'é€x'"},
		{latin1, "varchar(5)", text("a日b"), "error 1366", "'a?b' [1366]"},
		{latin1, "varchar(2)", text("ééé"), "error 1406", "'éé' [1265]"},
		{latin1, "char(3)", text("é  "), "'é'", "'é'"},
		{latin1, "varchar(5)", sqltypes.MakeTrusted(sqltypes.HexVal, []byte("\xe9")), "'é'", "'é'"},
		{latin1, "varchar(5)", sqltypes.NewVarBinary("\xe9\xe8"), "'éè'", "'éè'"},
		{ascii, "varchar(5)", text("ab"), "'ab'", "'ab'"},
		{ascii, "varchar(5)", text("é"), "error 1366", "'?' [1366]"},
		{utf16, "varchar(5)", text("日本"), "'日本'", "'日本'"},
		{utf16, "varchar(5)", sqltypes.NewVarBinary("\x65\xe5"), "'日'", "'日'"},
	} {
		record := &catalog.Record{Name: "t", Columns: []catalog.Column{{ID: 1, Name: "c", Type: w.typ, Collation: w.collation, Nullable: true}}}
		d, err := catalog.NewDescriptor(record)
		if err != nil {
			t.Fatal(err)
		}
		col, ok := NewColumn(d, 0)
		if !ok {
			t.Fatalf("%s of %d is not stored", w.typ, w.collation)
		}
		for strict, want := range map[bool]string{true: w.strict, false: w.lax} {
			if got := storedAs(t, context(""), col, strict, w.value); got != want {
				t.Errorf("%v in %s of %d, strict %v: %s, expected %s", w.value, w.typ, w.collation, strict, got, want)
			}
		}
	}
	// A TEXT is bounded in bytes of its set.
	for _, w := range []struct {
		collation uint16
		want      int
	}{{latin1, 255}, {utf16, 127}} {
		record := &catalog.Record{Name: "t", Columns: []catalog.Column{{ID: 1, Name: "c", Type: "tinytext", Collation: w.collation, Nullable: true}}}
		d, err := catalog.NewDescriptor(record)
		if err != nil {
			t.Fatal(err)
		}
		col, _ := NewColumn(d, 0)
		long := make([]rune, 300)
		for i := range long {
			long[i] = 'é'
		}
		out, err := (&Target{Context: context(""), Row: 1}).Store(col, text(string(long)))
		if s, _ := out.(string); err != nil || len([]rune(s)) != w.want {
			t.Errorf("%d: %d characters are stored, %v; expected %d", w.collation, len([]rune(s)), err, w.want)
		}
	}
}

// A double has no negative zero as a text; a text keeps its sign.
func TestNegativeZero(t *testing.T) {
	for _, tc := range []struct {
		value expr.Value
		want  string
	}{{expr.Double(math.Copysign(0, -1)), "0"}, {sqltypes.NewVarChar("-0"), "-0"}} {
		if got, lost := textOf(tc.value, 10); got != tc.want || lost {
			t.Errorf("%s is stored as %q", tc.value, got)
		}
	}
}
