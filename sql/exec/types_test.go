package exec

import (
	"fmt"
	"testing"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/expr"
)

// Types of aggregates are seen by clients, and by the columns of CREATE TABLE ... SELECT. They are MariaDB's where it has
// MySQL 8's; those of STD, of ENUM, of GROUP_CONCAT and of JSON are MySQL's own.
func TestTypes(t *testing.T) {
	sized := func(t sqltypes.Type, size, scale int32) expr.Type { return typeOf(t, false, size, scale) }
	values := &evalengine.EnumSetValues{"'a'"}
	enum := evalengine.NewTypeEx(sqltypes.Enum, generalCI, false, 1, 0, values)
	for _, c := range []struct {
		kind Kind
		arg  expr.Type
		want string
	}{
		{Count, text, "INT64(21,0) NOT NULL"}, {CountRows, text, "INT64(21,0) NOT NULL"},
		{BitAnd, bigint, "UINT64(21,0) NOT NULL"}, {BitXor, text, "UINT64(21,0) NOT NULL"},
		{BitOr, sized(sqltypes.VarBinary, 5, 0), "VARBINARY(5,0)"},
		{Sum, sized(sqltypes.Int8, 0, 0), "DECIMAL(25,0)"}, {Sum, sized(sqltypes.Int16, 0, 0), "DECIMAL(27,0)"},
		{Sum, sized(sqltypes.Int24, 0, 0), "DECIMAL(30,0)"}, {Sum, sized(sqltypes.Int32, 0, 0), "DECIMAL(32,0)"},
		{Sum, bigint, "DECIMAL(41,0)"}, {Sum, sized(sqltypes.Uint64, 0, 0), "DECIMAL(42,0)"}, {Sum, sized(sqltypes.Year, 0, 0), "DECIMAL(26,0)"},
		{Sum, sized(sqltypes.Decimal, 10, 2), "DECIMAL(32,2)"}, {Sum, sized(sqltypes.Decimal, 65, 0), "DECIMAL(65,0)"},
		{Sum, sized(sqltypes.Date, 0, 0), "DECIMAL(30,0)"}, {Sum, sized(sqltypes.Time, 0, 0), "DECIMAL(29,0)"},
		{Sum, sized(sqltypes.Datetime, 0, 0), "DECIMAL(36,0)"}, {Sum, sized(sqltypes.Datetime, 3, 0), "DECIMAL(39,3)"},
		{Sum, sized(sqltypes.Bit, 10, 0), "DECIMAL(32,0)"}, {Sum, sized(sqltypes.Float32, 0, 0), "FLOAT64(0,31)"},
		{Sum, text, "FLOAT64(0,31)"}, {Sum, enum, "FLOAT64(0,31)"},
		{Avg, sized(sqltypes.Int8, 0, 0), "DECIMAL(7,4)"}, {Avg, sized(sqltypes.Int32, 0, 0), "DECIMAL(14,4)"}, {Avg, bigint, "DECIMAL(23,4)"},
		{Avg, sized(sqltypes.Decimal, 10, 2), "DECIMAL(14,6)"}, {Avg, sized(sqltypes.Decimal, 40, 30), "DECIMAL(44,30)"},
		{Avg, sized(sqltypes.Date, 0, 0), "DECIMAL(12,4)"}, {Avg, sized(sqltypes.Bit, 10, 0), "DECIMAL(14,4)"}, {Avg, text, "FLOAT64(0,31)"},
		{Min, sized(sqltypes.Int32, 0, 0), "INT32(0,0)"}, {Max, text, "VARCHAR(20,0) 45"}, {Min, enum, "CHAR(1,0) 45"},
		{AnyValue, enum, "ENUM(1,0) 45"}, {StdPop, bigint, "FLOAT64(0,31)"}, {VarSamp, sized(sqltypes.Decimal, 10, 2), "FLOAT64(0,31)"},
		{GroupConcat, text, "TEXT(1024,0) 45"}, {GroupConcat, bigint, "TEXT(1024,0) 45"}, {GroupConcat, sized(sqltypes.Blob, 0, 0), "BLOB(1024,0)"},
		{JSONArray, text, "JSON(0,0) 46"}, {JSONObject, text, "JSON(0,0) 46"},
	} {
		typ := Aggregate{Kind: c.kind, Types: []expr.Type{c.arg, c.arg}}.Type(session())
		got := fmt.Sprintf("%v(%d,%d)", typ.Type(), typ.Size(), typ.Scale())
		if typ.Collation() != 63 {
			got += fmt.Sprintf(" %d", typ.Collation())
		}
		if !typ.Nullable() {
			got += " NOT NULL"
		}
		if got != c.want {
			t.Errorf("aggregate %d of %v: %s, expected %s", c.kind, c.arg.Type(), got, c.want)
		}
	}
}
