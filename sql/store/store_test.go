package store

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/format"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/expr"
	"isochron/sql/rowcodec"
)

const (
	strictMode = "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO"
	generalCI  = 45 // utf8mb4_general_ci
)

// column makes a column of a type.
func column(t testing.TB, typ string) *Column {
	t.Helper()
	declared := typ == "TIME" || typ == "TIME(3)" || typ == "DOUBLE(8,2)"
	record := &catalog.Record{Name: "t", Columns: []catalog.Column{{ID: 1, Name: "c", Type: strings.ToLower(typ), Collation: generalCI, Nullable: true, Declared: declared}}}
	d, err := catalog.NewDescriptor(record)
	if err != nil {
		t.Fatal(err)
	}
	c, ok := NewColumn(d, 0)
	if !ok {
		t.Fatalf("%s is not stored", typ)
	}
	return c
}

func context(mode string) *expr.Context {
	id, _ := expr.Environment().CollationEnv().LookupID("utf8mb4_general_ci")
	return &expr.Context{SQLMode: mode, Collation: id, Now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), Zone: time.UTC}
}

// compute is the value of an expression.
func compute(t testing.TB, c *expr.Context, text string) expr.Value {
	t.Helper()
	e, err := expr.Environment().Parser().ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := expr.Compile(c, expr.Columns{}, e)
	if err != nil {
		t.Fatal(text, err)
	}
	p.Begin(c)
	out, err := p.Run(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := e.(*sqlparser.Literal); ok && (l.Type == sqlparser.HexNum || l.Type == sqlparser.HexVal || l.Type == sqlparser.BitNum) {
		return sqltypes.MakeTrusted(sqltypes.HexVal, out[0].Raw())
	}
	return out[0]
}

// outcome stores a value and shows what came of it.
func outcome(t testing.TB, col *Column, mode string, strict bool, text string) string {
	t.Helper()
	c := context(mode)
	v := compute(t, c, text)
	c.Forget()
	if v.IsNull() {
		return "NULL"
	}
	return storedAs(t, c, col, strict, v)
}

// storedAs stores a value, and shows it as it is stored with the numbers of the warnings.
func storedAs(t testing.TB, c *expr.Context, col *Column, strict bool, v expr.Value) string {
	t.Helper()
	target := &Target{Context: c, Strict: strict, Row: 1}
	stored, err := target.Store(col, v)
	var e *expr.Error
	if errors.As(err, &e) {
		return fmt.Sprintf("error %d", e.Code)
	}
	if err != nil {
		return err.Error()
	}
	out := textual(t, col, stored)
	if list, _ := c.Warnings(); len(list) > 0 {
		var codes []string
		for _, w := range list {
			codes = append(codes, fmt.Sprint(w.Code))
		}
		out += " [" + strings.Join(codes, " ") + "]"
	}
	return out
}

// written is a stored value as it is read again.
func written(t testing.TB, col *Column, stored any) rowcodec.Value {
	t.Helper()
	k, err := rowcodec.NewColumn(1, col.Type)
	if err != nil {
		t.Fatal(err)
	}
	if col.kind == coltype.KindTimespan {
		typ := *col.Type
		typ.Shown = coltype.Shown{Digits: col.digits, Declared: true}
		k.Type = &typ
	}
	b, err := rowcodec.EncodeRow([]rowcodec.Column{k}, []any{stored})
	if err != nil {
		t.Fatalf("%s: %v", col.Type, err)
	}
	out := make([]rowcodec.Value, 1)
	if err := rowcodec.NewLayout([]rowcodec.Column{k}).Values(b, []int{0}, out); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// textual shows a stored value.
func textual(t testing.TB, col *Column, stored any) string {
	t.Helper()
	v := written(t, col, stored)
	if v.Type() == sqltypes.Float32 {
		f, _ := strconv.ParseFloat(v.ToString(), 64)
		short, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 6, 64), 64)
		v = sqltypes.MakeTrusted(sqltypes.Float32, format.FormatFloat(short))
	}
	s := v.ToString()
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Sprintf("x'%x'", s)
	}
	return "'" + s + "'"
}

func TestStoredValues(t *testing.T) {
	f, err := os.Open("testdata/stored.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	columns, tried := map[string]*Column{}, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		for len(fields) < 5 {
			fields = append(fields, fields[len(fields)-1])
		}
		col := columns[fields[0]]
		if col == nil {
			col = column(t, fields[0])
			columns[fields[0]] = col
		}
		for i, how := range []struct {
			name, mode string
			strict     bool
		}{{"strict", strictMode, true}, {"IGNORE", strictMode, false}, {"no mode", "", false}} {
			if got := outcome(t, col, how.mode, how.strict, fields[1]); got != fields[2+i] {
				t.Errorf("%s, %s, %s: %s, expected %s", fields[0], fields[1], how.name, got, fields[2+i])
			}
			tried++
		}
	}
	if tried < 100 {
		t.Errorf("only %d were tried", tried)
	}
}
