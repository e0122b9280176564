package expr

import (
	"testing"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
)

// Expressions know of a column what decides their results: digits, lengths, members, collation.
func TestColumnType(t *testing.T) {
	general, unknown := &coltype.Collation{ID: 45}, &coltype.Collation{ID: 999}
	for _, c := range []struct {
		typ         coltype.Type
		size, scale int32
		collation   uint16
		members     string
		computes    bool
	}{
		{coltype.Type{Kind: coltype.KindInt, SQL: sqltypes.Int24}, 0, 0, 63, "", true},
		{coltype.Type{Kind: coltype.KindDecimal, SQL: sqltypes.Decimal, Precision: 10, Scale: 3}, 10, 3, 63, "", true},
		{coltype.Type{Kind: coltype.KindFloat64, SQL: sqltypes.Float64}, 0, 31, 63, "", true},
		{coltype.Type{Kind: coltype.KindFloat64, SQL: sqltypes.Float64, Shown: coltype.Shown{Declared: true, Digits: 2}}, 0, 2, 63, "", true},
		{coltype.Type{Kind: coltype.KindTime, SQL: sqltypes.Datetime, Fraction: 4}, 4, 0, 63, "", true},
		{coltype.Type{Kind: coltype.KindTimespan, SQL: sqltypes.Time}, 6, 0, 63, "", true},
		{coltype.Type{Kind: coltype.KindTimespan, SQL: sqltypes.Time, Shown: coltype.Shown{Declared: true}}, 0, 0, 63, "", true},
		{coltype.Type{Kind: coltype.KindText, SQL: sqltypes.VarChar, Characters: 20, Collation: general}, 20, 0, 45, "", true},
		{coltype.Type{Kind: coltype.KindText, SQL: sqltypes.Text, Characters: 1 << 40, Collation: unknown}, 1<<31 - 1, 0, 999, "", false},
		{coltype.Type{Kind: coltype.KindBytes, SQL: sqltypes.VarBinary, Characters: 9, Collation: general}, 9, 0, 63, "", true},
		{coltype.Type{Kind: coltype.KindBit, SQL: sqltypes.Bit, Bits: 9}, 9, 0, 63, "", true},
		{coltype.Type{Kind: coltype.KindEnum, SQL: sqltypes.Enum, Members: []string{"a", "b'"}, Collation: general}, 0, 0, 45, `'a''b\''`, true},
	} {
		got := ColumnType(&c.typ, true)
		members := ""
		if list := got.Values(); list != nil {
			for _, m := range *list {
				members += m
			}
		}
		if got.Type() != c.typ.SQL || got.Size() != c.size || got.Scale() != c.scale || uint16(got.Collation()) != c.collation || members != c.members || !got.Nullable() {
			t.Errorf("%v: size %d, scale %d, collation %d, members %s", c.typ.SQL, got.Size(), got.Scale(), got.Collation(), members)
		}
		if Computes(&c.typ) != c.computes {
			t.Errorf("%v of collation %d: computes is %t", c.typ.SQL, c.collation, !c.computes)
		}
	}
}
