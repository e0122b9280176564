package rowcodec

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
)

// generators make values of the types that a key can hold.
var generators = []struct {
	t    gms.Type
	make func(*rand.Rand) any
}{
	{types.Int8, func(r *rand.Rand) any { return int8(r.Uint32()) }},
	{types.Int32, func(r *rand.Rand) any { return int32(r.Uint32()) }},
	{types.Int64, func(r *rand.Rand) any { return int64(r.Uint64()) >> r.IntN(64) }},
	{types.Uint64, func(r *rand.Rand) any { return r.Uint64() >> r.IntN(64) }},
	{types.Float64, func(r *rand.Rand) any { return (r.Float64() - 0.5) * float64(int64(1)<<r.IntN(60)) }},
	{types.Float32, func(r *rand.Rand) any { return float32(r.NormFloat64()) }},
	{types.MustCreateDecimalType(20, 4), func(r *rand.Rand) any {
		return decimal(types.MustCreateDecimalType(20, 4), (r.Float64()-0.5)*float64(int64(1)<<r.IntN(50)))
	}},
	{text(gms.Collation_utf8mb4_0900_ai_ci), words},
	{text(gms.Collation_utf8mb4_0900_bin), words},
	{text(gms.Collation_utf8mb4_general_ci), words},
	{types.MustCreateBinary(sqltypes.VarBinary, 20), func(r *rand.Rand) any {
		b := make([]byte, r.IntN(5))
		for i := range b {
			b[i] = byte(r.IntN(3) * 127)
		}
		return b
	}},
	{types.Datetime, func(r *rand.Rand) any {
		return time.UnixMicro(int64(r.Uint64() % (200 * 365 * 86400 * 1e6))).UTC()
	}},
	{types.Time, func(r *rand.Rand) any { return types.Timespan(int64(r.Uint64()%(838*3600*1e6)) - 419*3600*1e6) }},
	{types.Year, func(r *rand.Rand) any { return int16(1901 + r.IntN(200)) }},
}

// named is a type of the engine as a column's.
func named(t gms.Type) *coltype.Type {
	out := legacy.TypeOf(t)
	out.Name = t.String()
	return &out
}

func text(c gms.CollationID) gms.Type { return types.MustCreateString(sqltypes.VarChar, 40, c) }

func words(r *rand.Rand) any {
	var b strings.Builder
	for range r.IntN(5) {
		b.WriteRune([]rune("aAbBzZéÉ01_ \x00\x01ßüñ漢字🙂")[r.IntN(20)])
	}
	return b.String()
}

func decimal(t gms.Type, f any) any {
	v, _, err := t.Convert(gms.NewEmptyContext(), f)
	if err != nil {
		panic(err)
	}
	return v
}

// Keys sort as the engine compares their values, and equal keys are equal values.
func TestKeyOrder(t *testing.T) {
	for _, g := range generators {
		t.Run(g.t.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 5000 {
				a, b := g.make(r), g.make(r)
				want, err := g.t.Compare(gms.NewEmptyContext(), a, b)
				if err != nil {
					t.Fatal(err)
				}
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

func key(t *testing.T, typ gms.Type, v any) []byte {
	t.Helper()
	k, err := AppendKey(nil, named(typ), v, 0)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeyOfNegativeZero(t *testing.T) {
	zero := 0.0
	if a, b := key(t, types.Float64, zero), key(t, types.Float64, -zero); !bytes.Equal(a, b) {
		t.Errorf("%x and %x", a, b)
	}
}

func TestPrefixLength(t *testing.T) {
	a, err := AppendKey(nil, named(text(gms.Collation_utf8mb4_0900_ai_ci)), "éclair", 2)
	if err != nil {
		t.Fatal(err)
	}
	if b := key(t, text(gms.Collation_utf8mb4_0900_ai_ci), "EC"); !bytes.Equal(a, b) {
		t.Errorf("%x and %x", a, b)
	}
}

func TestTypesWithoutKey(t *testing.T) {
	if _, err := AppendKey(nil, named(types.JSON), coltype.JSON(`1`), 0); err == nil {
		t.Error("JSON became a key")
	}
	if err := Storable(named(types.PointType{})); err == nil {
		t.Error("a point can be stored")
	}
	if _, err := AppendKey(nil, named(types.Int32), "x", 0); err == nil {
		t.Error("a text became the key of a number")
	}
}
