package exec

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// Keys of integers sort as the numbers do, in both directions, are equal for equal numbers only, and none is the beginning
// of another, so that a second column decides only between equal ones.
func TestKeysOfIntegers(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	numbers := []int64{0, 1, -1, 127, 128, 255, 256, -255, -256, -257, 65535, 65536, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	for range 300 {
		numbers = append(numbers, random.Int64()>>random.IntN(64)-int64(random.IntN(3)))
	}
	for _, descending := range []bool{false, true} {
		e := newEncoder([]Key{{At: 0, Type: bigint, Descending: descending}})
		key := func(n int64) []byte { return e.append(nil, []expr.Value{expr.Int(n)}) }
		for _, a := range numbers {
			for _, b := range numbers {
				want := cmp.Compare(a, b)
				if descending {
					want = -want
				}
				x, y := key(a), key(b)
				if got := bytes.Compare(x, y); got != want || want != 0 && (bytes.HasPrefix(x, y) || bytes.HasPrefix(y, x)) {
					t.Fatalf("%d and %d, descending %v: keys %x and %x", a, b, descending, x, y)
				}
			}
		}
	}
}

// Unsigned integers, those filled with zeros, and what does not belong into a column of integers.
func TestKeysOfOtherIntegers(t *testing.T) {
	unsigned := typeOf(sqltypes.Uint64, true, 0, 0)
	e := newEncoder([]Key{{At: 0, Type: unsigned}})
	key := func(t sqltypes.Type, s string) []byte {
		return e.append(nil, []expr.Value{sqltypes.MakeTrusted(t, []byte(s))})
	}
	if !bytes.Equal(key(sqltypes.Uint64, "0007"), key(sqltypes.Uint64, "7")) {
		t.Error("7 is not 0007")
	}
	if bytes.Compare(key(sqltypes.Uint64, "9223372036854775808"), key(sqltypes.Uint64, "18446744073709551615")) >= 0 {
		t.Error("the largest is not above the others")
	}
	if !bytes.Equal(key(sqltypes.Decimal, "1.50"), key(sqltypes.Decimal, "1.5")) || bytes.Equal(key(sqltypes.Decimal, "1.5"), key(sqltypes.Decimal, "1.6")) {
		t.Error("decimals in a column of integers are not compared as numbers")
	}
}

// A RANGE bound may be of another exact type than the order's key: an integer minus a decimal.
func TestRangeBoundOfAnotherType(t *testing.T) {
	decimal := typeOf(sqltypes.Decimal, true, 10, 1)
	var rows [][]expr.Value
	for i := range 5 {
		rows = append(rows, row(i, sqltypes.MakeTrusted(sqltypes.Decimal, []byte([]string{"-1.5", "-0.5", "0.5", "1.5", "2.5"}[i]))))
	}
	frame := Frame{Unit: ByRange, From: Bound{Kind: Preceding, At: 1, Type: decimal}, To: Bound{Kind: CurrentRow}}
	w := Window{Order: []Key{{At: 0, Type: bigint}}, Functions: []WindowFunction{{Kind: OfAggregate, Aggregate: Aggregate{Kind: CountRows}, Frame: frame}}}
	if got, want := show(read(t, Windowed(session(), Rows(rows), w, nil))), "0 -1.5 1; 1 -0.5 2; 2 0.5 2; 3 1.5 2; 4 2.5 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
