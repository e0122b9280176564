package rowcodec

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"isochron/sql/coltype"
)

// edges are the values of each generator's type at which an order breaks first.
var edges = map[reflect.Type][]any{
	reflect.TypeFor[int8]():    {int8(math.MinInt8), int8(-1), int8(0), int8(math.MaxInt8)},
	reflect.TypeFor[int32]():   {int32(math.MinInt32), int32(-1), int32(0), int32(math.MaxInt32)},
	reflect.TypeFor[int64]():   {int64(math.MinInt64), int64(-1), int64(0), int64(math.MaxInt64)},
	reflect.TypeFor[uint64]():  {uint64(0), uint64(1) << 63, uint64(math.MaxUint64)},
	reflect.TypeFor[float64](): {-math.MaxFloat64, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0.0, math.SmallestNonzeroFloat64, math.MaxFloat64},
	reflect.TypeFor[float32](): {float32(-math.MaxFloat32), float32(math.Copysign(0, -1)), float32(0), float32(math.SmallestNonzeroFloat32)},
	reflect.TypeFor[string]():  {"", "\x00", "a", "a\x00", "A", "\U0010ffff"},
	reflect.TypeFor[[]byte]():  {[]byte{}, []byte{0}, []byte{0, 0}, []byte{0, 1}, []byte{0, 255}, []byte{1}, []byte{255}},
}

// draw makes a value of a column, sometimes NULL, sometimes at an edge.
func draw(r *rand.Rand, make func(*rand.Rand) any) any {
	v := make(r)
	switch some := edges[reflect.TypeOf(v)]; {
	case r.IntN(6) == 0:
		return nil
	case len(some) > 0 && r.IntN(3) == 0:
		return some[r.IntN(len(some))]
	}
	return v
}

// compare is the order of a column, NULL below all.
func compare(typ *coltype.Type, a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return order(typ, a, b)
}

// checkOrder draws two tuples of the same columns and holds them against their keys.
func checkOrder(t *testing.T, seed uint64, columns []byte) {
	r := rand.New(rand.NewPCG(seed, 8))
	var x, y []byte
	want, alike := 0, r.IntN(3) == 0
	for _, c := range columns[:min(len(columns), 4)] {
		g := generators[int(c)%len(generators)]
		a, b := draw(r, g.make), draw(r, g.make)
		if alike && r.IntN(2) == 0 {
			b = a // so that later columns decide
		}
		before := len(x)
		x, y = append(x, key(t, g.t, a)...), append(y, key(t, g.t, b)...)
		if want == 0 {
			want = compare(g.t, a, b)
		}
		if want == 0 && !bytes.Equal(x, y) {
			t.Fatalf("%v and %v of %s are equal, their keys %x and %x are not", a, b, g.t, x, y)
		}
		if got := bytes.Compare(x, y); got != want {
			t.Fatalf("after %v and %v of %s tuples compare as %d, their keys %x and %x as %d", a, b, g.t, want, x, y, got)
		}
		if kx, ky := key(t, g.t, a), key(t, g.t, b); len(kx) != len(ky) && (bytes.HasPrefix(kx, ky) || bytes.HasPrefix(ky, kx)) {
			t.Fatalf("the key of one of %v and %v of %s begins the other's", a, b, g.t)
		}
		if len(x) <= before {
			t.Fatalf("%v of %s adds nothing to a key", a, g.t)
		}
	}
}

// checkRoundTrip writes and reads a row of all kinds.
func checkRoundTrip(t *testing.T, seed uint64) {
	r, cols := rand.New(rand.NewPCG(seed, 9)), columns(t)
	row := make([]any, len(cols))
	for i, g := range generators {
		row[i] = draw(r, g.make)
	}
	b, err := EncodeRow(cols, row)
	if err != nil {
		t.Fatal(err)
	}
	got, err := NewLayout(cols).Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cols {
		if reflect.TypeOf(row[i]) != reflect.TypeOf(got[i]) || compare(generators[i].t, row[i], got[i]) != 0 {
			t.Fatalf("%s: wrote %T %v, read %T %v", c.Type, row[i], row[i], got[i], got[i])
		}
	}
	again, err := EncodeRow(cols, got)
	if err != nil || !bytes.Equal(again, b) {
		t.Fatalf("a decoded key is encoded differently: %x, then %x (%v)", b, again, err)
	}
}

// FuzzKeyOrder: keys of several columns sort as their values do, column by column, and rows are
// decoded as they were encoded.
func FuzzKeyOrder(f *testing.F) {
	for i := range generators {
		f.Add(uint64(i), []byte{byte(i), byte(i + 1), byte(i + 2)})
	}
	f.Fuzz(func(t *testing.T, seed uint64, columns []byte) {
		checkOrder(t, seed, columns)
		checkRoundTrip(t, seed)
	})
}

// The same over many tuples, without a fuzzer.
func TestTupleOrder(t *testing.T) {
	for seed := range uint64(4000) {
		checkOrder(t, seed, []byte{byte(seed), byte(seed / 7), byte(seed / 31)})
		checkRoundTrip(t, seed)
	}
}

// Before 1970 and after, dates sort as they follow each other.
func TestOrderOfEarlyDates(t *testing.T) {
	var last []byte
	for _, at := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC),
		time.Unix(0, 0).UTC(), time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC),
	} {
		k := key(t, typed("datetime"), at)
		if bytes.Compare(last, k) >= 0 {
			t.Errorf("%v does not sort above its predecessor", at)
		}
		last = k
	}
}
