package exec

import (
	"strconv"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// numbers reads the values of an argument as numbers.
type numbers struct {
	call    expr.Call
	arg     [1]expr.Value
	ordinal map[string]uint64
	kind    numberKind
}

type numberKind uint8

const (
	isPlain   numberKind = iota // an integer, decimal or double: its text is the number
	isTime                      // a date or time: its digits are the number
	isBit                       // a BIT: its bytes are the number
	isOrdinal                   // ENUM, SET: its index or bits are the number
	isText                      // the number that it begins with; warning 1292 if there is more
)

func newNumbers(c *expr.Context, t expr.Type) *numbers {
	n := &numbers{call: expr.Call{Context: c}}
	switch s := t.Type(); {
	case s == sqltypes.Bit:
		n.kind = isBit
	case sqltypes.IsIntegral(s), sqltypes.IsDecimal(s), sqltypes.IsFloat(s), sqltypes.IsNull(s):
	case s == sqltypes.Date, s == sqltypes.Datetime, s == sqltypes.Timestamp, s == sqltypes.Time:
		n.kind = isTime
	case (s == sqltypes.Enum || s == sqltypes.Set) && t.Values() != nil:
		n.kind, n.ordinal = isOrdinal, ordinals(t)
	default:
		n.kind = isText
	}
	return n
}

// text is the number of a value as a decimal's text, in buffer if it is made here. Not for isText.
func (n *numbers) text(buffer []byte, v expr.Value) []byte {
	switch n.kind {
	case isTime:
		for i, ch := range v.Raw() {
			if ch >= '0' && ch <= '9' || ch == '.' || ch == '-' && i == 0 {
				buffer = append(buffer, ch)
			}
		}
		return buffer
	case isBit:
		return strconv.AppendUint(buffer, bitsOf(v), 10)
	case isOrdinal:
		return strconv.AppendUint(buffer, ordinalOf(n.ordinal, v), 10)
	}
	return v.Raw()
}

// double is a value as a double.
func (n *numbers) double(v expr.Value) float64 {
	if n.kind == isText {
		n.arg[0] = v
		n.call.Args = n.arg[:]
		return n.call.Float(0)
	}
	var buffer [32]byte
	f, _ := strconv.ParseFloat(string(n.text(buffer[:0], v)), 64)
	return f
}

// integer is a value as an integer of 64 bits, rounded.
func (n *numbers) integer(v expr.Value) uint64 {
	switch n.kind {
	case isBit:
		return bitsOf(v)
	case isOrdinal:
		return ordinalOf(n.ordinal, v)
	case isTime:
		var buffer [32]byte
		v = sqltypes.MakeTrusted(sqltypes.Decimal, n.text(buffer[:0], v))
	case isPlain:
		if sqltypes.IsUnsigned(v.Type()) {
			u, _ := v.ToUint64()
			return u
		}
		if sqltypes.IsDecimal(v.Type()) {
			return roundedBits(v.Raw())
		}
	}
	n.arg[0] = v
	n.call.Args = n.arg[:]
	return uint64(n.call.Integer(0))
}

// roundedBits is a decimal as an integer: those above the largest signed one are unsigned.
func roundedBits(text []byte) uint64 {
	d := parseDecimal(text).Round(0)
	if u, ok := d.Uint64(); ok && d.Sign() >= 0 {
		return u
	}
	if i, ok := d.Int64(); ok {
		return uint64(i)
	}
	if d.Sign() < 0 {
		return 1 << 63
	}
	return 1<<64 - 1
}
