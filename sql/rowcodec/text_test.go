package rowcodec

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
)

func at(text string) time.Time {
	out, err := time.Parse("2006-01-02 15:04:05.999999", text)
	if err != nil {
		panic(err)
	}
	return out
}

var (
	colours = typed("enum('red','green''s')")
	flags   = typed("set('a','b','c')")
)

// texts are values with the text that MySQL shows for them.
var texts = []struct {
	t    *coltype.Type
	v    any
	want string
}{
	{typed("tinyint"), int8(-128), "-128"},
	{typed("mediumint"), int32(-8388608), "-8388608"},
	{typed("bigint"), int64(math.MinInt64), "-9223372036854775808"},
	{typed("tinyint unsigned"), uint8(255), "255"},
	{typed("bigint unsigned"), uint64(math.MaxUint64), "18446744073709551615"},
	{typed("year"), int16(0), "0000"},
	{typed("year"), int16(2155), "2155"},
	{typed("double"), 0.1, "0.1"},
	{typed("double"), -1e300, "-1e300"},
	{typed("double"), 1e15, "1e15"},
	{typed("double"), math.Copysign(0, -1), "-0"},
	{typed("float"), float32(0.1), "0.10000000149011612"},
	{typed("decimal(20,4)"), apd.New(-5000, -4), "-0.5000"},
	{text(codePoints), "a\x00é", "a\x00é"},
	{typed("varbinary(20)"), []byte{0, 255}, "\x00\xff"},
	{typed("date"), coltype.ZeroTime, "0000-00-00"},
	{typed("date"), at("0001-01-01 00:00:00"), "0001-01-01"},
	{typed("date"), at("9999-12-31 00:00:00"), "9999-12-31"},
	{typed("datetime"), coltype.ZeroTime, "0000-00-00 00:00:00"},
	{typed("datetime(3)"), coltype.ZeroTime, "0000-00-00 00:00:00.000"},
	{typed("datetime(6)"), coltype.ZeroTime, "0000-00-00 00:00:00.000000"},
	{typed("datetime"), at("1969-12-31 23:59:59"), "1969-12-31 23:59:59"},
	{typed("datetime(1)"), at("2024-02-29 10:11:12.9"), "2024-02-29 10:11:12.9"},
	{typed("datetime(6)"), at("1969-12-31 23:59:59.000001"), "1969-12-31 23:59:59.000001"},
	{typed("timestamp(2)"), at("2024-02-29 10:11:12.05"), "2024-02-29 10:11:12.05"},
	{typed("time(6)"), coltype.Span(0), "00:00:00"},
	{typed("time(6)"), coltype.Span(-1), "-00:00:00.000001"},
	{typed("time(6)"), coltype.Span(-((838*3600 + 59*60 + 59) * 1_000_000)), "-838:59:59"},
	{typed("time(6)"), coltype.Span(1_500_000), "00:00:01.500000"},
	{typed("bit(1)"), uint64(1), "\x01"},
	{typed("bit(9)"), uint64(257), "\x01\x01"},
	{typed("bit(64)"), uint64(math.MaxUint64), "\xff\xff\xff\xff\xff\xff\xff\xff"},
	{colours, uint16(2), "green's"},
	{colours, uint16(0), ""},
	{flags, uint64(0), ""},
	{flags, uint64(5), "a,c"},
	{typed("json"), coltype.JSON(`{"a": "é", "b": [1, null]}`), `{"a": "é", "b": [1, null]}`},
}

// textColumns are a column for each of the texts.
func textColumns(t testing.TB) (out []Column, row []any) {
	t.Helper()
	for i, c := range texts {
		column, err := NewColumn(uint32(i+1), c.t)
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
		if got[i].ToString() != c.want || got[i].Type() != c.t.SQL {
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
		got[left] = sqltypes.NewInt64(42)
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
				sameAsDecoded(t, columns[i].Type, got[i], decoded[i])
			}
		}
	}
}

// sameAsDecoded holds a text against a value.
func sameAsDecoded(t *testing.T, c *coltype.Type, got Value, want any) {
	t.Helper()
	if got.IsNull() || want == nil {
		if !got.IsNull() || want != nil {
			t.Fatalf("%s: %v, Decode has %v", c, got, want)
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
	if back := fromText(t, got.ToString(), want); order(c, back, want) != 0 {
		t.Fatalf("%s: %q, Decode has %v", c, got.ToString(), want)
	}
}

// fromText is a text as a value of the type that another has.
func fromText(t *testing.T, s string, as any) any {
	t.Helper()
	whole, _ := strconv.ParseInt(s, 10, 64)
	switch as.(type) {
	case int8:
		return int8(whole)
	case int16:
		return int16(whole)
	case int32:
		return int32(whole)
	case int64:
		return whole
	case uint64:
		n, _ := strconv.ParseUint(s, 10, 64)
		return n
	case float32:
		f, _ := strconv.ParseFloat(s, 64)
		return float32(f)
	case float64:
		f, _ := strconv.ParseFloat(s, 64)
		return f
	case *apd.Decimal:
		d, _, err := apd.NewFromString(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	case []byte:
		return []byte(s)
	case coltype.Span:
		span := int64(0)
		for i, part := range strings.FieldsFunc(strings.TrimPrefix(s, "-")+".0", func(r rune) bool { return r == ':' || r == '.' }) {
			n, err := strconv.ParseInt(part, 10, 64)
			if err != nil {
				t.Fatal(s, err)
			}
			if i < 4 {
				span += n * []int64{3600e6, 60e6, 1e6, 1}[i]
			}
		}
		if strings.HasPrefix(s, "-") {
			span = -span
		}
		return coltype.Span(span)
	}
	return s
}

// A column that an old row does not have has its fill in Values too, of every type.
func TestValuesOfOlderRows(t *testing.T) {
	for _, c := range texts {
		old, _ := NewColumn(1, typed("bigint"))
		added, err := NewColumn(2, c.t)
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
