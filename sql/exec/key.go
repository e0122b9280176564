package exec

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// Key is a column by which rows are sorted or grouped.
type Key struct {
	At         int // position in the row
	Type       expr.Type
	Descending bool
}

// encoder makes the key of a row: a byte string. Keys of two rows are equal where MySQL takes the columns for equal, NULL
// like NULL, and bytes.Compare gives ORDER BY's order. No key is the beginning of another.
type encoder struct {
	columns []column
	scratch []byte
}

// column encodes one column.
type column struct {
	at      int
	invert  bool // descending
	encode  func(e *encoder, c *column, dst []byte, v expr.Value) []byte
	text    textOrder
	ordinal map[string]uint64 // of ENUM's values from 1, of SET's the bits
}

func newEncoder(keys []Key) *encoder {
	e := &encoder{columns: make([]column, len(keys))}
	for i, k := range keys {
		e.columns[i] = newColumn(k)
	}
	return e
}

// typesAt are keys of columns, ascending.
func typesAt(at []int, types []expr.Type) []Key {
	keys := make([]Key, len(types))
	for i := range types {
		keys[i] = Key{At: i, Type: types[i]}
		if at != nil {
			keys[i].At = at[i]
		}
	}
	return keys
}

func newColumn(k Key) column {
	c := column{at: k.At, invert: k.Descending}
	switch t := k.Type.Type(); {
	case t == sqltypes.Enum && k.Type.Values() != nil, t == sqltypes.Set && k.Type.Values() != nil:
		c.ordinal, c.encode = ordinals(k.Type), encodeOrdinal
	case t == sqltypes.Bit:
		c.encode = encodeBit
	case sqltypes.IsIntegral(t):
		c.encode = encodeInteger
	case sqltypes.IsDecimal(t):
		c.encode = encodeNumber
	case sqltypes.IsFloat(t):
		c.encode = encodeFloat
	case t == sqltypes.Date, t == sqltypes.Datetime, t == sqltypes.Timestamp:
		c.encode = encodeDate
	case t == sqltypes.Time:
		c.encode = encodeTime
	case t == sqltypes.TypeJSON:
		c.encode = encodeDocument
	case sqltypes.IsText(t), t == sqltypes.Enum, t == sqltypes.Set:
		c.text, c.encode = orderOf(k.Type.Collation()), encodeText
	default:
		c.encode = encodeBytes
	}
	return c
}

// Lead bytes of a column's key.
const (
	leadNull = iota
	leadValue
)

// append appends the key of a row.
func (e *encoder) append(dst []byte, row []expr.Value) []byte {
	for i := range e.columns {
		c := &e.columns[i]
		dst = e.value(dst, c, row[c.at])
	}
	return dst
}

// value appends the key of a column's value.
func (e *encoder) value(dst []byte, c *column, v expr.Value) []byte {
	from := len(dst)
	if v.IsNull() {
		dst = append(dst, leadNull)
	} else {
		dst = c.encode(e, c, append(dst, leadValue), v)
	}
	if c.invert {
		for i := from; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

func encodeBytes(_ *encoder, _ *column, dst []byte, v expr.Value) []byte {
	return appendEscaped(dst, v.Raw())
}

// appendEscaped appends bytes so that none is the beginning of another: 0 becomes 0 255, the end is 0 0.
func appendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			return append(append(dst, b...), 0, 0)
		}
		dst, b = append(append(dst, b[:i]...), 0, 255), b[i+1:]
	}
}

func encodeFloat(_ *encoder, _ *column, dst []byte, v expr.Value) []byte {
	f, _ := strconv.ParseFloat(string(v.Raw()), 64) // beyond the range: an infinity, which sorts right
	return appendFloat(dst, f)
}

func appendFloat(dst []byte, f float64) []byte {
	bits := math.Float64bits(f + 0) // -0 + 0 = 0
	if bits>>63 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(dst, bits)
}

// encodeBit encodes a BIT by its number: its bytes are the number's, the highest first.
func encodeBit(_ *encoder, _ *column, dst []byte, v expr.Value) []byte {
	return binary.BigEndian.AppendUint64(dst, bitsOf(v))
}

// bitsOf is the number of a BIT.
func bitsOf(v expr.Value) (n uint64) {
	if sqltypes.IsIntegral(v.Type()) {
		n, _ = v.ToUint64()
		return n
	}
	for _, ch := range v.Raw() {
		n = n<<8 | uint64(ch)
	}
	return n
}

// encodeOrdinal encodes an ENUM by its index, a SET by its bits; a text that is none of the values is 0.
func encodeOrdinal(_ *encoder, c *column, dst []byte, v expr.Value) []byte {
	return binary.BigEndian.AppendUint64(dst, ordinalOf(c.ordinal, v))
}
