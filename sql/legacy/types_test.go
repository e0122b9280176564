package legacy

import (
	"reflect"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	engine "github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/coltype"
)

var stored = []gms.Type{
	types.Int8, types.Int16, types.Int24, types.Int32, types.Int64, types.Uint8, types.Uint16, types.Uint24, types.Uint32, types.Uint64, types.Float32, types.Float64,
	types.MustCreateDecimalType(10, 2), types.MustCreateDecimalType(10, 3), types.MustCreateDecimalType(11, 2),
	types.MustCreateString(engine.Char, 5, gms.Collation_utf8mb4_bin), types.MustCreateString(engine.VarChar, 5, gms.Collation_utf8mb4_bin),
	types.MustCreateString(engine.VarChar, 6, gms.Collation_utf8mb4_bin), types.MustCreateString(engine.VarChar, 5, gms.Collation_utf8mb4_general_ci),
	types.Text, types.LongText, types.MustCreateBinary(engine.VarBinary, 5), types.MustCreateBinary(engine.Binary, 5), types.Blob, types.LongBlob,
	types.Date, types.Datetime, types.DatetimeMaxPrecision, types.Timestamp, types.Time, types.Year, types.MustCreateBitType(1), types.MustCreateBitType(9),
	types.MustCreateEnumType([]string{"a", "b"}, gms.Collation_Default), types.MustCreateEnumType([]string{"a", "c"}, gms.Collation_Default),
	types.MustCreateSetType([]string{"a", "b"}, gms.Collation_Default), types.MustCreateSetType([]string{"a", "b"}, gms.Collation_utf8mb4_bin), types.JSON,
}

// Types are equal where the engine's are, and of a kind.
func TestEqualTypes(t *testing.T) {
	for _, a := range stored {
		x := TypeOf(a)
		if x.Kind == 0 {
			t.Errorf("%s is of no kind", a)
		}
		for _, b := range stored {
			y := TypeOf(b)
			if got, want := x.Equal(&y), types.TypesEqual(a, b); got != want {
				t.Errorf("%s and %s: equal is %t, want %t", a, b, got, want)
			}
		}
	}
}

func TestTypesOfNoColumn(t *testing.T) {
	for _, typ := range []gms.Type{nil, types.Null, types.PointType{}, types.CreateTuple(types.Int8, types.Int8)} {
		if got := TypeOf(typ); got.Kind != 0 {
			t.Errorf("%v is of kind %d", typ, got.Kind)
		}
	}
}

// Values go to the engine and come back.
func TestValues(t *testing.T) {
	for _, v := range []any{nil, int8(1), uint64(2), "x", []byte{1}, coltype.Span(-5), coltype.JSON(`{"a": 1}`)} {
		back, err := FromEngine(ToEngine(v))
		if err != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("%T %v comes back as %T %v (%v)", v, v, back, back, err)
		}
	}
	if _, ours := ToEngine(coltype.Span(1)).(types.Timespan); !ours {
		t.Error("a TIME is not the engine's")
	}
}
