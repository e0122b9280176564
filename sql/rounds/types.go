package rounds

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/expr"
	"isochron/sql/rowcodec"
)

// TypeOf is a column's type, as expressions know it.
func TypeOf(c *gms.Column, shown rowcodec.Shown) expr.Type {
	t := sqltypes.Type(c.Type.Type())
	collation := collations.ID(collations.CollationBinaryID)
	if text, ok := c.Type.(gms.TypeWithCollation); ok && (sqltypes.IsText(t) || t == sqltypes.Enum || t == sqltypes.Set) {
		collation = collations.ID(text.Collation())
	}
	var size, scale int32
	var values *evalengine.EnumSetValues
	switch t := c.Type.(type) {
	case gms.DecimalType:
		size, scale = int32(t.Precision()), int32(t.Scale())
	case gms.DatetimeType:
		size = int32(t.Precision())
	case gms.StringType:
		size = int32(min(t.MaxCharacterLength(), 1<<31-1))
	case gms.EnumType:
		values = quoted(t.Values())
	case gms.SetType:
		values = quoted(t.Values())
	case types.BitType:
		size = int32(t.NumberOfBits())
	}
	if types.IsFloat(c.Type) {
		if scale = 31; shown.Declared {
			scale = int32(shown.Digits)
		}
	}
	if types.IsTimespan(c.Type) {
		size = 6
		if shown.Declared {
			size = int32(shown.Digits)
		}
	}
	return evalengine.NewTypeEx(t, collation, c.Nullable, size, scale, values)
}

// quoted are the values of an ENUM or SET, as evalengine expects them: quoted.
func quoted(values []string) *evalengine.EnumSetValues {
	out := make(evalengine.EnumSetValues, len(values))
	for i, v := range values {
		out[i] = sqltypes.EncodeStringSQL(v)
	}
	return &out
}

// Supported reports whether expressions can compute with a column: its collation must be known to the engine.
func Supported(c *gms.Column) bool {
	t := TypeOf(c, rowcodec.Shown{})
	return !types.IsGeometry(c.Type) && (t.Collation() == collations.CollationBinaryID || expr.Environment().CollationEnv().IsSupported(t.Collation()))
}
