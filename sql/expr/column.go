package expr

import (
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/coltype"
)

// ColumnType is the type of a column's values to expressions.
func ColumnType(t *coltype.Type, nullable bool) Type {
	var size, scale int32
	switch t.Kind {
	case coltype.KindDecimal:
		size, scale = int32(t.Precision), int32(t.Scale)
	case coltype.KindTime:
		size = int32(t.Fraction)
	case coltype.KindText, coltype.KindBytes:
		size = int32(min(t.Characters, 1<<31-1))
	case coltype.KindBit:
		size = int32(t.Bits)
	case coltype.KindFloat32, coltype.KindFloat64:
		if scale = anyScale; t.Shown.Declared {
			scale = int32(t.Shown.Digits)
		}
	case coltype.KindTimespan:
		if size = 6; t.Shown.Declared {
			size = int32(t.Shown.Digits)
		}
	}
	return evalengine.NewTypeEx(t.SQL, textCollation(t), nullable, size, scale, membersOf(t))
}

// Computes reports whether expressions can compute with a column: its collation must be known to the engine.
func Computes(t *coltype.Type) bool {
	c := textCollation(t)
	return t.Kind != 0 && (c == collations.CollationBinaryID || Environment().CollationEnv().IsSupported(c))
}

func textCollation(t *coltype.Type) collations.ID {
	if t.Collation == nil || t.Kind == coltype.KindBytes || t.Kind == coltype.KindBit {
		return collations.CollationBinaryID
	}
	if t.Collation.ID == 0 { // a column that was added without one
		return collations.CollationUtf8mb4BinID
	}
	return collations.ID(t.Collation.ID)
}

// membersOf are the members of an ENUM or SET, as evalengine expects them: quoted.
func membersOf(t *coltype.Type) *evalengine.EnumSetValues {
	if t.Members == nil {
		return nil
	}
	out := make(evalengine.EnumSetValues, len(t.Members))
	for i, m := range t.Members {
		out[i] = sqltypes.EncodeStringSQL(m)
	}
	return &out
}
