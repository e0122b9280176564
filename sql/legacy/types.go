package legacy

import (
	"sync/atomic"
	"unicode/utf8"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"
	"github.com/dolthub/go-mysql-server/sql/types"
	engine "github.com/dolthub/vitess/go/sqltypes"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
)

// TypeOf is a type of the engine as ours. It has neither a name nor what the catalogue alone knows: Shown, and the digits of
// a DOUBLE(m,d).
func TypeOf(t gms.Type) coltype.Type {
	if t == nil {
		return coltype.Type{}
	}
	if system, ok := t.(gms.SystemVariableType); ok {
		return ofVariable(system)
	}
	out := coltype.Type{Kind: kindOf(t), SQL: sqltypes.Type(t.Type())}
	switch t := t.(type) {
	case gms.DecimalType:
		out.Precision, out.Scale = int(t.Precision()), int(t.Scale())
	case gms.StringType:
		out.Characters, out.Bytes, out.Collation = t.MaxCharacterLength(), t.MaxByteLength(), CollationOf(t.Collation())
	case gms.DatetimeType:
		out.Fraction = t.Precision()
	case gms.EnumType:
		out.Members, out.Collation = t.Values(), CollationOf(t.Collation())
	case gms.SetType:
		out.Members, out.Collation = t.Values(), CollationOf(t.Collation())
	case types.BitType:
		out.Bits = int(t.NumberOfBits())
	}
	return out
}

// ofVariable is the type of a system variable: a whole number, a list of names, or text. Others are of kind 0.
func ofVariable(t gms.SystemVariableType) coltype.Type {
	switch out := TypeOf(t.UnderlyingType()); out.Kind {
	case coltype.KindInt, coltype.KindUint, coltype.KindEnum, coltype.KindSet:
		return out
	}
	out := coltype.Type{SQL: sqltypes.Type(t.Type())}
	if t.Type() == engine.VarChar {
		out.Kind = coltype.KindText
	}
	return out
}

// kindOf is the kind of a type that columns have, 0 of others.
func kindOf(t gms.Type) coltype.Kind {
	switch t.Type() {
	case engine.Int8, engine.Int16, engine.Int24, engine.Int32, engine.Int64:
		return coltype.KindInt
	case engine.Uint8, engine.Uint16, engine.Uint24, engine.Uint32, engine.Uint64:
		return coltype.KindUint
	case engine.Float32:
		return coltype.KindFloat32
	case engine.Float64:
		return coltype.KindFloat64
	case engine.Decimal:
		return coltype.KindDecimal
	case engine.Char, engine.VarChar, engine.Text:
		return coltype.KindText
	case engine.Binary, engine.VarBinary, engine.Blob:
		return coltype.KindBytes
	case engine.Date, engine.Datetime, engine.Timestamp:
		return coltype.KindTime
	case engine.Time:
		return coltype.KindTimespan
	case engine.Year:
		return coltype.KindYear
	case engine.Bit:
		return coltype.KindBit
	case engine.Enum:
		return coltype.KindEnum
	case engine.Set:
		return coltype.KindSet
	case engine.TypeJSON:
		return coltype.KindJSON
	}
	return 0
}

// CollationNamed is the number of a collation of which the engine knows the weights.
func CollationNamed(name string) (uint16, bool) {
	id, err := gms.ParseCollation("", name, false)
	return uint16(id), err == nil && id.Sorter() != nil
}

// charset is a character set of the engine.
type charset struct{ of encodings.Encoder }

// Size implements coltype.Charset.
func (c charset) Size(r rune) int {
	var room [utf8.UTFMax]byte
	b, ok := c.of.EncodeRune(room[:utf8.EncodeRune(room[:], r)])
	if !ok {
		return 0
	}
	return len(b)
}

// Text implements coltype.Charset.
func (c charset) Text(b []byte) (string, bool) {
	out, ok := c.of.Decode(b)
	return string(out), ok
}

// collations are those that were asked for, by their numbers.
var collations [512]atomic.Pointer[coltype.Collation]

// CollationOf is a collation of the engine as ours.
func CollationOf(id gms.CollationID) *coltype.Collation {
	if int(id) >= len(collations) {
		id = gms.Collation_Default
	}
	if c := collations[id].Load(); c != nil {
		return c
	}
	c := &coltype.Collation{ID: uint16(id), Binary: id == gms.Collation_binary, CharacterBytes: 4}
	switch set := id.CharacterSet(); set {
	case gms.CharacterSet_utf8mb4, gms.CharacterSet_binary:
	case gms.CharacterSet_utf8mb3:
		c.CharacterBytes = 3
	default:
		if encoder := set.Encoder(); encoder != nil {
			c.Charset = charset{encoder}
		}
	}
	if !c.Binary {
		c.Weight, c.Pads = id.Sorter(), id.PadAttribute() == "PAD SPACE"
	}
	collations[id].CompareAndSwap(nil, c)
	return collations[id].Load()
}
