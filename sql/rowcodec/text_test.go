package rowcodec

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	vtsqltypes "vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
)

func at(text string) time.Time {
	out, err := time.Parse("2006-01-02 15:04:05.999999", text)
	if err != nil {
		panic(err)
	}
	return out
}

func bits(n uint8) gms.Type { return types.MustCreateBitType(n) }

var (
	colours = types.MustCreateEnumType([]string{"red", "green's"}, gms.Collation_Default)
	flags   = types.MustCreateSetType([]string{"a", "b", "c"}, gms.Collation_Default)
)

// texts are values with the text that MySQL shows for them.
var texts = []struct {
	t    gms.Type
	v    any
	want string
}{
	{types.Int8, int8(-128), "-128"},
	{types.Int24, int32(-8388608), "-8388608"},
	{types.Int64, int64(math.MinInt64), "-9223372036854775808"},
	{types.Uint8, uint8(255), "255"},
	{types.Uint64, uint64(math.MaxUint64), "18446744073709551615"},
	{types.Year, int16(0), "0000"},
	{types.Year, int16(2155), "2155"},
	{types.Float64, 0.1, "0.1"},
	{types.Float64, -1e300, "-1e300"},
	{types.Float64, 1e15, "1e15"},
	{types.Float64, math.Copysign(0, -1), "-0"},
	{types.Float32, float32(0.1), "0.10000000149011612"},
	{types.MustCreateDecimalType(20, 4), decimal(types.MustCreateDecimalType(20, 4), "-0.5000"), "-0.5000"},
	{text(gms.Collation_Default), "a\x00é", "a\x00é"},
	{types.MustCreateBinary(sqltypes.VarBinary, 20), []byte{0, 255}, "\x00\xff"},
	{types.Date, types.ZeroTime, "0000-00-00"},
	{types.Date, at("0001-01-01 00:00:00"), "0001-01-01"},
	{types.Date, at("9999-12-31 00:00:00"), "9999-12-31"},
	{types.Datetime, types.ZeroTime, "0000-00-00 00:00:00"},
	{types.MustCreateDatetimeType(sqltypes.Datetime, 3), types.ZeroTime, "0000-00-00 00:00:00.000"},
	{types.MustCreateDatetimeType(sqltypes.Datetime, 6), types.ZeroTime, "0000-00-00 00:00:00.000000"},
	{types.Datetime, at("1969-12-31 23:59:59"), "1969-12-31 23:59:59"},
	{types.MustCreateDatetimeType(sqltypes.Datetime, 1), at("2024-02-29 10:11:12.9"), "2024-02-29 10:11:12.9"},
	{types.MustCreateDatetimeType(sqltypes.Datetime, 6), at("1969-12-31 23:59:59.000001"), "1969-12-31 23:59:59.000001"},
	{types.MustCreateDatetimeType(sqltypes.Timestamp, 2), at("2024-02-29 10:11:12.05"), "2024-02-29 10:11:12.05"},
	{types.Time, types.Timespan(0), "00:00:00"},
	{types.Time, types.Timespan(-1), "-00:00:00.000001"},
	{types.Time, types.Timespan(-((838*3600 + 59*60 + 59) * 1_000_000)), "-838:59:59"},
	{types.Time, types.Timespan(1_500_000), "00:00:01.500000"},
	{bits(1), uint64(1), "\x01"},
	{bits(9), uint64(257), "\x01\x01"},
	{bits(64), uint64(math.MaxUint64), "\xff\xff\xff\xff\xff\xff\xff\xff"},
	{colours, uint16(2), "green's"},
	{colours, uint16(0), ""},
	{flags, uint64(0), ""},
	{flags, uint64(5), "a,c"},
	{types.JSON, coltype.JSON(`{"a": "é", "b": [1, null]}`), `{"a": "é", "b": [1, null]}`},
}

// textColumns are a column for each of the texts.
func textColumns(t testing.TB) (out []Column, row []any) {
	t.Helper()
	for i, c := range texts {
		column, err := NewColumn(uint32(i+1), named(c.t))
		if err != nil {
			t.Fatal(err)
		}
		out, row = append(out, column), append(row, c.v)
	}
	return out, row
}

// every is a list of all positions.
func every(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestValuesAreMySQLsTexts(t *testing.T) {
	columns, row := textColumns(t)
	b, err := EncodeRow(columns, row)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]Value, len(columns))
	if err := NewLayout(columns).Values(b, every(len(columns)), got); err != nil {
		t.Fatal(err)
	}
	for i, c := range texts {
		if got[i].ToString() != c.want || got[i].Type() != vtsqltypes.Type(c.t.Type()) {
			t.Errorf("%s %v: %s %q, expected %q", c.t, c.v, got[i].Type(), got[i].ToString(), c.want)
		}
	}
}

// Values reads what Decode reads, of each kind of column, and only what it is asked for.
func TestValuesAreThoseOfDecode(t *testing.T) {
	columns := columns(t)
	layout := NewLayout(columns)
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		row := make([]any, len(columns))
		for i, g := range generators {
			row[i] = draw(r, g.make)
		}
		b, err := EncodeRow(columns, row)
		if err != nil {
			t.Fatal(err)
		}
		into := every(len(columns))
		left := r.IntN(len(columns))
		into[left] = -1
		got := make([]Value, len(columns))
		got[left] = vtsqltypes.NewInt64(42)
		if err := layout.Values(b, into, got); err != nil {
			t.Fatal(err)
		}
		decoded, err := layout.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if got[left].ToString() != "42" {
			t.Fatalf("column %d was read though it is not wanted", left)
		}
		for i := range columns {
			if i != left {
				sameAsDecoded(t, generators[i].t, columns[i].Type, got[i], legacy.ToEngine(decoded[i]))
			}
		}
	}
}

// sameAsDecoded holds a text against the engine's value.
func sameAsDecoded(t *testing.T, typ gms.Type, c *coltype.Type, got Value, want any) {
	t.Helper()
	if got.IsNull() || want == nil {
		if !got.IsNull() || want != nil {
			t.Fatalf("%s: %v, Decode has %v", c, got, want)
		}
		return
	}
	var back any = got.ToString()
	if b, ok := want.([]byte); ok {
		if string(b) != got.ToString() {
			t.Fatalf("%s: %q, Decode has %q", c, got.ToString(), b)
		}
		return
	}
	if c.Kind == coltype.KindTime { // the text has the type's digits, the value all
		want = want.(time.Time).Truncate(time.Duration(math.Pow10(9 - c.Fraction)))
		parsed, err := time.Parse("2006-01-02 15:04:05.999999", got.ToString())
		if err != nil || !parsed.Equal(want.(time.Time)) {
			t.Fatalf("%s: %s, Decode has %v (%v)", c, got.ToString(), want, err)
		}
		return
	}
	back, _, err := typ.Convert(gms.NewEmptyContext(), back)
	if err != nil {
		t.Fatalf("%s: %q: %v", c, got.ToString(), err)
	}
	if same, err := typ.Compare(gms.NewEmptyContext(), back, want); err != nil || same != 0 {
		t.Fatalf("%s: %q, Decode has %v (%v)", c, got.ToString(), want, err)
	}
}

// A column that an old row does not have has its fill in Values too, of every type.
func TestValuesOfOlderRows(t *testing.T) {
	for _, c := range texts {
		old, _ := NewColumn(1, named(types.Int64))
		added, err := NewColumn(2, named(c.t))
		if err != nil {
			t.Fatal(err)
		}
		before, err := EncodeRow([]Column{old}, []any{int64(7)})
		if err != nil {
			t.Fatal(err)
		}
		added.Fill = c.v
		null, err := EncodeRow([]Column{added, old}, []any{nil, int64(7)})
		if err != nil {
			t.Fatal(err)
		}
		layout, got := NewLayout([]Column{added, old}), make([]Value, 2)
		if err := layout.Values(before, []int{1, 0}, got); err != nil || got[1].ToString() != c.want || got[0].ToString() != "7" {
			t.Errorf("%s: %v, expected 7 and %q (%v)", c.t, got, c.want, err)
		}
		if err := layout.Values(null, []int{1, 0}, got); err != nil || !got[1].IsNull() {
			t.Errorf("%s: %v, expected NULL (%v)", c.t, got, err)
		}
		if err := layout.Values(before, []int{-1, 0}, got); err != nil || !got[1].IsNull() {
			t.Errorf("%s: a fill that is not wanted was written: %v (%v)", c.t, got, err)
		}
	}
}

func TestValuesOfDamagedRows(t *testing.T) {
	columns, row := textColumns(t)
	layout, got := NewLayout(columns), make([]Value, len(columns))
	for _, b := range [][]byte{nil, {}, {9}, {formatVersion, 1}, {formatVersion, 1, formBytes, 200}, {formatVersion, 1, formFloat64, 0, 0, 0, 0, 0, 0, 0, 0}} {
		if err := layout.Values(b, every(len(columns)), got); err == nil {
			t.Errorf("%x was read", b)
		}
	}
	b, err := EncodeRow(columns, row)
	if err != nil {
		t.Fatal(err)
	}
	for end := range b {
		_ = layout.Values(b[:end], every(len(columns)), got)
	}
}

// Nothing that may stand on a disk makes Values panic; where Decode reads a row, Values is of one opinion.
func FuzzValues(f *testing.F) {
	columns, row := textColumns(f)
	b, err := EncodeRow(columns, row)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for i := range columns {
		one, err := EncodeRow(columns[i:i+1], row[i:i+1])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(one)
	}
	layout := NewLayout(columns)
	f.Fuzz(func(t *testing.T, b []byte) {
		got := make([]Value, len(columns))
		err := layout.Values(b, every(len(columns)), got)
		decoded, failed := layout.Decode(b)
		if err == nil && failed != nil && !strings.Contains(failed.Error(), "damaged") {
			t.Fatalf("Values reads what Decode does not: %v", failed)
		}
		if err != nil || failed != nil {
			return
		}
		for i := range columns {
			if got[i].IsNull() != (decoded[i] == nil) {
				t.Fatalf("%s: %v, Decode has %v", columns[i].Type, got[i], reflect.ValueOf(decoded[i]))
			}
		}
	})
}
