package rowcodec

import (
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Kind is the family a column type belongs to: what Go type its values have and
// how they are ordered.
type Kind uint8

// The kinds of column.
const (
	KindInt      Kind = iota + 1 // int8 .. int64
	KindUint                     // uint8 .. uint64
	KindFloat32                  // float32
	KindFloat64                  // float64
	KindDecimal                  // *apd.Decimal
	KindText                     // string, ordered by collation
	KindBytes                    // []byte
	KindTime                     // time.Time: date, datetime, timestamp
	KindTimespan                 // types.Timespan
	KindYear                     // int16
	KindBit                      // uint64
	KindEnum                     // uint16
	KindSet                      // uint64
	KindJSON                     // a JSON document
)

// KindOf is the kind of a column type.
func KindOf(t gms.Type) (Kind, error) {
	switch t.Type() {
	case sqltypes.Int8, sqltypes.Int16, sqltypes.Int24, sqltypes.Int32, sqltypes.Int64:
		return KindInt, nil
	case sqltypes.Uint8, sqltypes.Uint16, sqltypes.Uint24, sqltypes.Uint32, sqltypes.Uint64:
		return KindUint, nil
	case sqltypes.Float32:
		return KindFloat32, nil
	case sqltypes.Float64:
		return KindFloat64, nil
	case sqltypes.Decimal:
		return KindDecimal, nil
	case sqltypes.Char, sqltypes.VarChar, sqltypes.Text:
		return KindText, nil
	case sqltypes.Binary, sqltypes.VarBinary, sqltypes.Blob:
		return KindBytes, nil
	case sqltypes.Date, sqltypes.Datetime, sqltypes.Timestamp:
		return KindTime, nil
	case sqltypes.Time:
		return KindTimespan, nil
	case sqltypes.Year:
		return KindYear, nil
	case sqltypes.Bit:
		return KindBit, nil
	case sqltypes.Enum:
		return KindEnum, nil
	case sqltypes.Set:
		return KindSet, nil
	case sqltypes.TypeJSON:
		return KindJSON, nil
	}
	return 0, fmt.Errorf("columns of type %s cannot be stored; use another type", t)
}

// KeyKind is KindOf for a column of a key; the error: the type cannot be indexed.
func KeyKind(t gms.Type) (Kind, error) {
	k, err := KindOf(t)
	if err == nil && k == KindJSON {
		err = fmt.Errorf("a column of type %s cannot be part of a key; index a generated column instead", t)
	}
	return k, err
}
