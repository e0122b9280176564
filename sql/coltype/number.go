package coltype

import (
	"math"

	"vitess.io/vitess/go/sqltypes"
)

// Limits are the least and the greatest value of a whole number.
func (t *Type) Limits() (least int64, most uint64) {
	switch t.SQL {
	case sqltypes.Int8:
		return math.MinInt8, math.MaxInt8
	case sqltypes.Int16:
		return math.MinInt16, math.MaxInt16
	case sqltypes.Int24:
		return -1 << 23, 1<<23 - 1
	case sqltypes.Int32:
		return math.MinInt32, math.MaxInt32
	case sqltypes.Int64:
		return math.MinInt64, math.MaxInt64
	case sqltypes.Uint8:
		return 0, math.MaxUint8
	case sqltypes.Uint16:
		return 0, math.MaxUint16
	case sqltypes.Uint24:
		return 0, 1<<24 - 1
	case sqltypes.Uint32:
		return 0, math.MaxUint32
	case sqltypes.Bit:
		if t.Bits < 64 {
			return 0, 1<<t.Bits - 1
		}
	}
	return 0, math.MaxUint64
}

// Int is a number within the limits of a type with a sign, as the type's values are.
func (t *Type) Int(n int64) any {
	switch t.SQL {
	case sqltypes.Int8:
		return int8(n)
	case sqltypes.Int16:
		return int16(n)
	case sqltypes.Int24, sqltypes.Int32:
		return int32(n)
	}
	return n
}

// Uint is a number within the limits of a type without a sign, as the type's values are.
func (t *Type) Uint(n uint64) any {
	switch t.SQL {
	case sqltypes.Uint8:
		return uint8(n)
	case sqltypes.Uint16:
		return uint16(n)
	case sqltypes.Uint24, sqltypes.Uint32:
		return uint32(n)
	}
	return n
}
