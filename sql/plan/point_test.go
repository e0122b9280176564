package plan

import (
	"math"
	"strings"
	"testing"

	"isochron/sql/legacy"
)

// What is stored without a conversion fits its column in every way; all else is converted elsewhere.
func TestStoredAsIs(t *testing.T) {
	for _, c := range []struct {
		typ       string
		collation uint16
		v, want   any // want nil: it is not stored as it is
	}{
		{"tinyint", 0, int64(-128), int8(-128)}, {"tinyint", 0, int64(128), nil}, {"tinyint", 0, int64(-129), nil}, {"mediumint", 0, int64(8388607), int32(8388607)}, {"mediumint", 0, int64(8388608), nil},
		{"bigint", 0, int64(math.MinInt64), int64(math.MinInt64)}, {"int unsigned", 0, int64(math.MaxUint32), uint32(math.MaxUint32)}, {"int unsigned", 0, int64(-1), nil},
		{"bigint unsigned", 0, int64(math.MaxInt64), uint64(math.MaxInt64)}, {"int", 0, "1", nil}, {"varchar(3)", 0, int64(1), nil},
		{"varchar(3)", 255, "añ", "añ"}, {"varchar(3)", 255, "abcd", nil}, {"varchar(3)", 255, "a ", nil}, {"varchar(3)", 255, "\xff", nil}, {"char(9)", 8, "abc", "abc"}, {"char(9)", 8, "añ", nil}, {"varchar(9)", 33, "é", nil},
		{"tinytext", 255, strings.Repeat("x", 256), nil}, {"decimal(3,1)", 0, int64(1), nil}, {"year", 0, int64(2024), nil}, {"varbinary(3)", 0, "a", nil},
	} {
		typ, err := (&legacy.Column{Name: "c", Type: c.typ, Collation: c.collation}).CoreType()
		if err != nil {
			t.Fatal(c.typ, err)
		}
		if got, ok := storedAsIs(typ, c.v); ok != (c.want != nil) || ok && got != c.want {
			t.Errorf("%v in %s of collation %d: %T %v, %v; want %T %v", c.v, c.typ, c.collation, got, got, ok, c.want, c.want)
		}
	}
}
