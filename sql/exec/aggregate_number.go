package exec

import (
	"fmt"
	"math"
	"strconv"

	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// numbers reads the values of an argument as numbers.
type numbers struct {
	call    expr.Call
	arg     [1]expr.Value
	ordinal map[string]uint64
	kind    numberKind
	buffer  [32]byte
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

// text is the number of a value as a decimal's text, valid until the next call. Not for isText.
func (n *numbers) text(v expr.Value) []byte {
	buffer := n.buffer[:0]
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
	if v.Type() == sqltypes.Float32 {
		f, _ := strconv.ParseFloat(string(v.Raw()), 32) // the number that is stored, not the one that is written
		return f
	}
	f, _ := strconv.ParseFloat(string(n.text(v)), 64)
	return f
}

// integer is a value as an integer of 64 bits, rounded. Decimals and doubles beyond the signed ones are cut to their ends,
// with warning 1292.
func (n *numbers) integer(v expr.Value) uint64 {
	switch n.kind {
	case isBit:
		return bitsOf(v)
	case isOrdinal:
		return ordinalOf(n.ordinal, v)
	case isTime:
		return n.rounded(parseDecimal(n.text(v)), v)
	case isPlain:
		switch t := v.Type(); {
		case sqltypes.IsUnsigned(t):
			u, _ := v.ToUint64()
			return u
		case sqltypes.IsDecimal(t):
			return n.rounded(parseDecimal(v.Raw()), v)
		case sqltypes.IsFloat(t):
			return n.rounded(decimalOf(math.RoundToEven(n.double(v))), v)
		}
	}
	n.arg[0] = v
	n.call.Args = n.arg[:]
	return uint64(n.call.Integer(0))
}

// rounded is a decimal, which v was read as, as a signed integer.
func (n *numbers) rounded(d decimal.Decimal, v expr.Value) uint64 {
	d = d.Round(0)
	if i, ok := d.Int64(); ok {
		return uint64(i)
	}
	if v.Type() != sqltypes.Float32 { // of which MySQL converts a value without a warning
		n.call.Warn(1292, fmt.Sprintf("Truncated incorrect INTEGER value: '%s'", v.ToString()))
	}
	if d.Sign() < 0 {
		return 1 << 63
	}
	return math.MaxInt64
}
