package rowcodec

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
)

// generators make values of the types that a key can hold.
var generators = []struct {
	t    *coltype.Type
	make func(*rand.Rand) any
}{
	{typed("tinyint"), func(r *rand.Rand) any { return int8(r.Uint32()) }},
	{typed("int"), func(r *rand.Rand) any { return int32(r.Uint32()) }},
	{typed("bigint"), func(r *rand.Rand) any { return int64(r.Uint64()) >> r.IntN(64) }},
	{typed("bigint unsigned"), func(r *rand.Rand) any { return r.Uint64() >> r.IntN(64) }},
	{typed("double"), func(r *rand.Rand) any { return (r.Float64() - 0.5) * float64(int64(1)<<r.IntN(60)) }},
	{typed("float"), func(r *rand.Rand) any { return float32(r.NormFloat64()) }},
	{typed("decimal(20,4)"), func(r *rand.Rand) any {
		return apd.New(int64((r.Float64()-0.5)*float64(int64(1)<<r.IntN(62))), -4)
	}},
	{text(accentlessCI), words},
	{text(codePoints), words},
	{text(generalCI), words},
	{typed("varbinary(20)"), func(r *rand.Rand) any {
		b := make([]byte, r.IntN(5))
		for i := range b {
			b[i] = byte(r.IntN(3) * 127)
		}
		return b
	}},
	{typed("datetime"), func(r *rand.Rand) any {
		return time.UnixMicro(int64(r.Uint64() % (200 * 365 * 86400 * 1e6))).UTC()
	}},
	{typed("time(6)"), func(r *rand.Rand) any { return coltype.Span(int64(r.Uint64()%(838*3600*1e6)) - 419*3600*1e6) }},
	{typed("year"), func(r *rand.Rand) any { return int16(1901 + r.IntN(200)) }},
}

// Numbers of collations.
const (
	swedishCI    = 8
	generalCI    = 45
	bytewise     = 46
	accentlessCI = 255 // utf8mb4_0900_ai_ci
	codePoints   = 309 // utf8mb4_0900_bin
)

// typed is a column's type, by its name in SQL.
func typed(sql string) *coltype.Type { return collated(sql, 0) }

// collated is a text's type with a collation.
func collated(sql string, collation uint16) *coltype.Type {
	t, err := (&legacy.Column{Name: "c", Type: sql, Collation: collation}).CoreType()
	if err != nil {
		panic(err)
	}
	return t
}

func text(collation uint16) *coltype.Type { return collated("varchar(40)", collation) }

// order compares two values of a type.
func order(typ *coltype.Type, a, b any) int {
	switch a := a.(type) {
	case int8:
		return cmp.Compare(a, b.(int8))
	case int16:
		return cmp.Compare(a, b.(int16))
	case int32:
		return cmp.Compare(a, b.(int32))
	case int64:
		return cmp.Compare(a, b.(int64))
	case uint64:
		return cmp.Compare(a, b.(uint64))
	case float32:
		return cmp.Compare(a, b.(float32))
	case float64:
		return cmp.Compare(a, b.(float64))
	case *apd.Decimal:
		return a.Cmp(b.(*apd.Decimal))
	case coltype.Span:
		return cmp.Compare(a, b.(coltype.Span))
	case time.Time:
		return a.Compare(b.(time.Time))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case string:
		if typ.Collation.Binary {
			return cmp.Compare(a, b.(string))
		}
		return slices.Compare(weights(typ, a), weights(typ, b.(string)))
	}
	panic(fmt.Sprintf("%T", a))
}

// weights are those of a text's characters.
func weights(typ *coltype.Type, s string) (out []int32) {
	for _, r := range s {
		out = append(out, typ.Collation.Weight(r))
	}
	return out
}

func words(r *rand.Rand) any {
	var b strings.Builder
	for range r.IntN(5) {
		b.WriteRune([]rune("aAbBzZéÉ01_ \x00\x01ßüñ漢字🙂")[r.IntN(20)])
	}
	return b.String()
}

// Keys sort as their values, and equal keys are equal values.
func TestKeyOrder(t *testing.T) {
	for _, g := range generators {
		t.Run(g.t.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 5000 {
				a, b := g.make(r), g.make(r)
				want := order(g.t, a, b)
				x, y := key(t, g.t, a), key(t, g.t, b)
				if got := bytes.Compare(x, y); got != want {
					t.Fatalf("%v and %v compare as %d, their keys %x and %x as %d", a, b, want, x, y, got)
				}
				if len(x) != len(y) && bytes.HasPrefix(y, x) {
					t.Fatalf("the key %x of %v begins the key %x of %v", x, a, y, b)
				}
				if null := key(t, g.t, nil); bytes.Compare(null, x) >= 0 {
					t.Fatalf("NULL does not sort below %v", a)
				}
			}
		})
	}
}

func key(t *testing.T, typ *coltype.Type, v any) []byte {
	t.Helper()
	k, err := AppendKey(nil, typ, v, 0)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeyOfNegativeZero(t *testing.T) {
	zero := 0.0
	if a, b := key(t, typed("double"), zero), key(t, typed("double"), -zero); !bytes.Equal(a, b) {
		t.Errorf("%x and %x", a, b)
	}
}

func TestPrefixLength(t *testing.T) {
	a, err := AppendKey(nil, text(accentlessCI), "éclair", 2)
	if err != nil {
		t.Fatal(err)
	}
	if b := key(t, text(accentlessCI), "EC"); !bytes.Equal(a, b) {
		t.Errorf("%x and %x", a, b)
	}
}

func TestTypesWithoutKey(t *testing.T) {
	if _, err := AppendKey(nil, typed("json"), coltype.JSON(`1`), 0); err == nil {
		t.Error("JSON became a key")
	}
	if err := Storable(typed("point")); err == nil {
		t.Error("a point can be stored")
	}
	if _, err := AppendKey(nil, typed("int"), "x", 0); err == nil {
		t.Error("a text became the key of a number")
	}
}
