package exec

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/expr"
)

// keyOf is the key of a value of a type.
func keyOf(t expr.Type, v expr.Value) []byte {
	return newEncoder([]Key{{Type: t}}).append(nil, []expr.Value{v})
}

func plainType(t sqltypes.Type) expr.Type { return typeOf(t, true, 0, 0) }

func textType(id collations.ID) expr.Type {
	return evalengine.NewTypeEx(sqltypes.VarChar, id, true, 0, 0, nil)
}

// Keys must compare as the values do; lists are in MySQL's order, values that are equal stand in one entry.
func TestOrderOfKeys(t *testing.T) {
	values := evalengine.EnumSetValues{"'z'", "'a'", "'it''s'"}
	cases := []struct {
		name string
		typ  expr.Type
		of   sqltypes.Type
		list [][]string
	}{
		{"integers", plainType(sqltypes.Int64), sqltypes.Int64, [][]string{{"-9223372036854775808"}, {"-100"}, {"-99"}, {"-1"}, {"0", "-0", "000"}, {"1", "01"}, {"2"}, {"10", "010"}, {"11"}, {"100"}, {"9223372036854775807"}}},
		{"unsigned", plainType(sqltypes.Uint64), sqltypes.Uint64, [][]string{{"0"}, {"9"}, {"10"}, {"9223372036854775808"}, {"18446744073709551615"}}},
		{"decimals", plainType(sqltypes.Decimal), sqltypes.Decimal, [][]string{{"-100.5"}, {"-100", "-100.0"}, {"-0.01", "-.010"}, {"-0.001"}, {"0", "0.00", "-0.0", ""}, {"0.0010"}, {"0.01"}, {"0.1", ".10"}, {"1", "1.0", "01.00", "+1"}, {"1.05"}, {"10"}, {"10.5"}, {"99999999999999999999999999999999999"}}},
		{"doubles among decimals", plainType(sqltypes.Decimal), sqltypes.Float64, [][]string{{"-1e300"}, {"-2"}, {"1e-300"}, {"0.5"}, {"1e15", "1000000000000000"}, {"1e300"}}},
		{"doubles", plainType(sqltypes.Float64), sqltypes.Float64, [][]string{{"-1.7e308"}, {"-1"}, {"-1e-300"}, {"0", "-0", "0.0"}, {"5e-324"}, {"1"}, {"1e10", "10000000000"}, {"1.7e308"}}},
		{"times", plainType(sqltypes.Time), sqltypes.Time, [][]string{{"-838:59:59"}, {"-00:00:01"}, {"-00:00:00.5"}, {"00:00:00", "-00:00:00", "00:00:00.000"}, {"00:00:00.000001"}, {"09:00:00"}, {"24:00:00"}, {"101:00:00"}, {"838:59:59"}}},
		{"dates and times", plainType(sqltypes.Datetime), sqltypes.Datetime, [][]string{{"0000-00-00 00:00:00"}, {"2023-12-31 23:59:59.999999"}, {"2024-01-01 00:00:00", "2024-01-01", "2024-01-01 00:00:00.000"}, {"2024-01-01 00:00:00.1", "2024-01-01 00:00:00.100"}, {"2024-01-01 00:00:01"}}},
		{"years", plainType(sqltypes.Year), sqltypes.Year, [][]string{{"0000"}, {"1999"}, {"2000"}}},
		{"ENUM", evalengine.NewTypeEx(sqltypes.Enum, generalCI, true, 0, 0, &values), sqltypes.Enum, [][]string{{"", "none of them"}, {"z"}, {"a"}, {"it's"}}},
		{"SET", evalengine.NewTypeEx(sqltypes.Set, generalCI, true, 0, 0, &values), sqltypes.Set, [][]string{{""}, {"z"}, {"a"}, {"z,a"}, {"it's"}, {"z,it's"}, {"z,a,it's"}}},
		{"BIT", plainType(sqltypes.Bit), sqltypes.Bit, [][]string{{"", "\x00", "\x00\x00"}, {"\x01", "\x00\x01"}, {"\xff"}, {"\x01\x00"}}},
		{"bytes", plainType(sqltypes.VarBinary), sqltypes.VarBinary, [][]string{{""}, {"\x00"}, {"\x00\x00"}, {"\x00\xff"}, {"A"}, {"A\x00"}, {"A "}, {"a"}, {"\xff"}}},
		{"JSON", plainType(sqltypes.TypeJSON), sqltypes.TypeJSON, [][]string{{"null"}, {"-1e5"}, {"-1", "-1.0"}, {"0"}, {"1", "1.0", "1e0"}, {"2"}, {"10"}, {`""`}, {`"A"`}, {`"a"`, `"\u0061"`}, {`"aa"`}, {"{}"}, {`{"a": 1}`, `{"a":1.0}`}, {`{"a": 2}`}, {`{"b": 1}`}, {`{"a": 0, "b": 1}`, `{"b": 1, "a": 0}`}, {"[]"}, {"[1]", "[1.0]"}, {"[1, 2]"}, {"[1, [2]]"}, {"[2]"}, {"false"}, {"true"}, {"no JSON"}}},
	}
	for _, c := range cases {
		var keys [][]byte
		var texts []string
		var rank []int
		for i, same := range c.list {
			for _, s := range same {
				keys = append(keys, keyOf(c.typ, sqltypes.MakeTrusted(c.of, []byte(s))))
				texts, rank = append(texts, s), append(rank, i)
			}
		}
		null := keyOf(c.typ, expr.Null)
		for i := range keys {
			if bytes.Compare(null, keys[i]) >= 0 {
				t.Errorf("%s: NULL is not before %q", c.name, texts[i])
			}
			for j := range keys {
				checkPair(t, c.name, texts[i], texts[j], keys[i], keys[j], cmp.Compare(rank[i], rank[j]))
			}
		}
	}
}

// checkPair compares two keys, and checks that neither begins with the other unless they are equal.
func checkPair(t *testing.T, name, a, b string, x, y []byte, want int) {
	t.Helper()
	if got := bytes.Compare(x, y); got != want {
		t.Errorf("%s: %q and %q compare as %d, expected %d", name, a, b, got, want)
	}
	if want != 0 && bytes.HasPrefix(x, y) {
		t.Errorf("%s: the key of %q begins with that of %q", name, a, b)
	}
}

func TestKeysOfRandomNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() string {
		s := fmt.Sprint(r.Int64N(3000) - 1500)
		if r.IntN(2) == 0 {
			s += "." + fmt.Sprintf("%0*d", 1+r.IntN(4), r.IntN(100))
		}
		return s
	}
	typ := plainType(sqltypes.Decimal)
	for range 20_000 {
		a, b := draw(), draw()
		want := parseDecimal([]byte(a)).Cmp(parseDecimal([]byte(b)))
		x, y := keyOf(typ, sqltypes.MakeTrusted(sqltypes.Decimal, []byte(a))), keyOf(typ, sqltypes.MakeTrusted(sqltypes.Decimal, []byte(b)))
		checkPair(t, "decimals", a, b, x, y, want)
	}
}

// Texts must compare as the collation does; those of collations that pad, as if both ended with spaces.
func TestKeysOfRandomTexts(t *testing.T) {
	letters := []string{"a", "A", "b", "é", "ß", "ss", " ", " ", "\t", "\x00", "\u00a0", "z", "😀", "中"}
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() string {
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	for _, name := range []string{"utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs", "utf8mb4_0900_as_ci", "utf8mb4_0900_bin", "utf8mb4_general_ci", "utf8mb4_bin", "binary"} {
		id := collations.MySQL8().LookupByName(name)
		collation := colldata.Lookup(id)
		pads := !strings.Contains(name, "0900") && name != "binary"
		typ := textType(id)
		for range 20_000 {
			a, b := draw(), draw()
			x, y := a, b
			if pads { // one weight a character, so equally many characters are equally many weights
				n := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
				x += strings.Repeat(" ", n-utf8.RuneCountInString(a))
				y += strings.Repeat(" ", n-utf8.RuneCountInString(b))
			}
			want := cmp.Compare(collation.Collate([]byte(x), []byte(y), false), 0)
			checkPair(t, name, a, b, keyOf(typ, sqltypes.NewVarChar(a)), keyOf(typ, sqltypes.NewVarChar(b)), want)
		}
	}
}

// Every collation that the engine knows must have an order, and know whether spaces at the end count.
func TestSpacesAtTheEndByCollation(t *testing.T) {
	n := 0
	for id := collations.ID(1); id < 400; id++ {
		c := colldata.Lookup(id)
		if c == nil || !strings.HasPrefix(c.Name(), "utf8mb4_") {
			continue
		}
		n++
		typ := textType(id)
		one, two := keyOf(typ, sqltypes.NewVarChar("b")), keyOf(typ, sqltypes.NewVarChar("b  "))
		if pads := !strings.Contains(c.Name(), "_0900_"); bytes.Equal(one, two) != pads {
			t.Errorf("%s: 'b' = 'b  ' is not %v", c.Name(), pads)
		}
		if bytes.Compare(one, keyOf(typ, sqltypes.NewVarChar("a c"))) <= 0 {
			t.Errorf("%s: 'b' is not behind 'a c'", c.Name())
		}
	}
	if n < 20 {
		t.Errorf("only %d collations", n)
	}
}

// Rows must compare column by column, whatever the texts contain, ascending and descending.
func TestKeysOfRows(t *testing.T) {
	keys := []Key{{At: 0, Type: text}, {At: 1, Type: bigint, Descending: true}, {At: 2, Type: plainType(sqltypes.VarBinary), Descending: true}, {At: 3, Type: textType(collations.MySQL8().LookupByName("utf8mb4_0900_ai_ci"))}}
	e := newEncoder(keys)
	r := rand.New(rand.NewPCG(5, 6))
	texts := []any{"", "a", "A", "a ", "ab", "a\x00", nil, "\x00", "b"}
	for range 20_000 {
		a := row(texts[r.IntN(9)], r.IntN(3), texts[r.IntN(9)], texts[r.IntN(9)])
		b := row(texts[r.IntN(9)], r.IntN(3), texts[r.IntN(9)], texts[r.IntN(9)])
		want := 0
		for i, k := range keys {
			one := newEncoder([]Key{{At: i, Type: k.Type}})
			c := bytes.Compare(one.append(nil, a), one.append(nil, b))
			if k.Descending {
				c = -c
			}
			if want = cmp.Or(want, c); want != 0 {
				break
			}
		}
		if got := bytes.Compare(e.append(nil, a), e.append(nil, b)); got != want {
			t.Fatalf("%s and %s compare as %d, expected %d", show([][]expr.Value{a}), show([][]expr.Value{b}), got, want)
		}
	}
}

// A set must tell long keys apart although it holds digests of them.
func TestSetOfLongKeys(t *testing.T) {
	s, m := newSet([]Key{{Type: text}}), &meter{}
	a := account{memory: m}
	long := strings.Repeat("x", 10_000)
	for _, c := range []struct {
		text string
		new  bool
	}{{long, true}, {strings.ToUpper(long), false}, {long + "y", true}, {long + "  ", false}, {"x", true}} {
		isNew, err := s.add(row(c.text), &a)
		if err != nil || isNew != c.new {
			t.Errorf("%.5s of %d bytes: new is %v, %v", c.text, len(c.text), isNew, err)
		}
	}
	if a.due > 500 {
		t.Errorf("%d bytes for three keys", a.due)
	}
}

// Hostile values must neither panic nor take long, of whatever type they are said to be.
func FuzzKeys(f *testing.F) {
	types := []sqltypes.Type{sqltypes.Int64, sqltypes.Uint8, sqltypes.Decimal, sqltypes.Float64, sqltypes.VarChar, sqltypes.VarBinary, sqltypes.Date, sqltypes.Datetime, sqltypes.Time, sqltypes.Year, sqltypes.TypeJSON, sqltypes.Enum, sqltypes.Set, sqltypes.Bit, sqltypes.Geometry, sqltypes.Null}
	f.Add([]byte("1e99999999"), uint8(2), uint8(3))
	f.Add([]byte("-"), uint8(2), uint8(2))
	f.Add([]byte("1e700"), uint8(3), uint8(2))
	f.Add([]byte("1e99999999"), uint8(2), uint8(2))
	f.Add([]byte("12:34:56:78.9"), uint8(8), uint8(8))
	f.Add([]byte("[[[[{}]]]]"), uint8(10), uint8(10))
	values := evalengine.EnumSetValues{"'a'", "'b'"}
	f.Fuzz(func(t *testing.T, b []byte, of, as uint8) {
		typ := evalengine.NewTypeEx(types[int(as)%len(types)], generalCI, true, 0, 0, &values)
		v := sqltypes.MakeTrusted(types[int(of)%len(types)], b)
		one := keyOf(typ, v)
		if again := keyOf(typ, v); !bytes.Equal(one, again) {
			t.Errorf("two keys of %q", b)
		}
		for kind := Count; kind <= AnyValue; kind++ {
			a := Aggregate{Kind: kind, Args: []int{0, 0}, Types: []expr.Type{typ, typ}}
			rows := [][]expr.Value{{v}, {expr.Null}, {v}}
			if kind == JSONObject {
				rows = rows[:1]
			}
			g := Group(session(), Rows(rows), nil, []Aggregate{a}, false, nil)
			if _, err := readAll(g); err != nil && kind != JSONObject && kind < BitAnd {
				t.Errorf("aggregate %d of %q: %v", kind, b, err)
			}
		}
	})
}

func TestScaled(t *testing.T) {
	for _, c := range []struct {
		text  string
		scale int32
		want  string // "": not read
	}{
		{"0", 0, "0"}, {"-1", 0, "-1"}, {"12.30", 2, "12.30"}, {"12.3", 2, "12.30"}, {"-0.05", 2, "-0.05"}, {"5", 3, "5.000"}, {"1.234", 2, ""},
		{"1.5", 0, ""}, {"1e3", 0, ""}, {"999999999999999999", 0, "999999999999999999"}, {"9999999999999999999", 0, ""}, {"", 0, "0"}, {"1.2.3", 4, ""},
		{"1", 18, ""}, {".5", 1, "0.5"}, {"-", 0, "0"},
	} {
		n, ok := scaled([]byte(c.text), c.scale)
		if got := string(appendScaled(nil, n, int(c.scale))); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q with %d decimals: %s, %v", c.text, c.scale, got, ok)
		}
	}
	if got := string(appendScaled(nil, -1<<63, 2)); got != "-92233720368547758.08" {
		t.Error(got)
	}
}
