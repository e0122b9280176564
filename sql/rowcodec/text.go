package rowcodec

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"vitess.io/vitess/go/mysql/format"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
)

// Value is a value of a column in MySQL's text form, with its type.
type Value = sqltypes.Value

// Values reads a stored row as text values: that of the layout's i-th column becomes out[into[i]], unless into[i] is
// below 0. Text and bytes are those of b, not copies. A FLOAT has all digits of its double, for computing with it.
func (l *Layout) Values(b []byte, into []int, out []Value) error {
	for i, at := range into {
		if at < 0 {
			continue
		}
		out[at] = sqltypes.NULL
		if l.cols[i].Fill != nil {
			v, err := l.cols[i].filled()
			if err != nil {
				return err
			}
			out[at] = v
		}
	}
	if len(b) == 0 || b[0] != formatVersion {
		return errDamaged
	}
	for b = b[1:]; len(b) > 0; {
		id, n := binary.Uvarint(b)
		if n <= 0 || len(b) == n {
			return errDamaged
		}
		var raw rawValue
		var err error
		if raw, b, err = takeValue(b[n:]); err != nil {
			return err
		}
		if id >= uint64(len(l.at)) || l.at[id] == 0 {
			continue
		}
		i := l.at[id] - 1
		if into[i] < 0 {
			continue
		}
		if out[into[i]], err = l.cols[i].text(raw); err != nil {
			return err
		}
	}
	return nil
}

// filled is the value of rows that were written before the column existed.
func (c Column) filled() (Value, error) { return c.TextOf(c.Fill) }

// TextOf is a value of the column, as EncodeRow takes it, in MySQL's text form.
func (c Column) TextOf(v any) (Value, error) {
	if v == nil {
		return sqltypes.NULL, nil
	}
	b, err := appendValue(nil, c, v)
	if err != nil {
		return sqltypes.NULL, err
	}
	raw, _, err := takeValue(b)
	if err != nil {
		return sqltypes.NULL, err
	}
	return c.text(raw)
}

// text is a stored value in MySQL's text form.
func (c Column) text(v rawValue) (Value, error) {
	if v.form == formNull {
		return sqltypes.NULL, nil
	}
	if v.form != formOf(c.Type.Kind) {
		return sqltypes.NULL, errDamaged
	}
	var b []byte
	switch t := c.Type; t.Kind {
	case coltype.KindInt:
		b = strconv.AppendInt(make([]byte, 0, 20), int64(v.num), 10)
	case coltype.KindUint:
		b = appendFilled(make([]byte, 0, 20), v.num, c.Type.Shown.Width)
	case coltype.KindYear:
		b = appendPadded(make([]byte, 0, 4), int64(v.num), 4)
	case coltype.KindFloat64:
		if c.Type.Shown.Declared {
			b = strconv.AppendFloat(nil, math.Float64frombits(v.num), 'f', c.Type.Shown.Digits, 64)
			break
		}
		b = format.FormatFloat(math.Float64frombits(v.num))
	case coltype.KindFloat32:
		b = strconv.AppendFloat(nil, float64(math.Float32frombits(uint32(v.num))), 'g', -1, 64)
	case coltype.KindTime:
		b = appendMoment(make([]byte, 0, 26), int64(v.num), t.SQL == sqltypes.Date, t.Fraction)
	case coltype.KindTimespan:
		b = appendTimespan(make([]byte, 0, 17), int64(v.num), c.Type.Shown)
	case coltype.KindBit:
		b = bitBytes(t.Bits, v.num)
	case coltype.KindEnum:
		name, _ := t.Member(v.num)
		b = []byte(name)
	case coltype.KindSet:
		names, ok := t.SetText(v.num)
		if !ok {
			return sqltypes.NULL, errDamaged
		}
		b = []byte(names)
	default: // text, bytes, decimals and JSON are stored as they are shown
		b = v.long
	}
	return sqltypes.MakeTrusted(c.Type.SQL, b), nil
}

// zeroMicros is how '0000-00-00' is stored, in microseconds since 1970.
var zeroMicros = coltype.ZeroTime.UnixMicro()

// appendMoment appends a date, or a date with time, of microseconds since 1970 in UTC.
func appendMoment(b []byte, micros int64, date bool, digits int) []byte {
	var year, month, day int
	at := time.UnixMicro(micros).UTC()
	if micros != zeroMicros {
		y, m, d := at.Date()
		year, month, day = y, int(m), d
	}
	b = appendPadded(b, int64(year), 4)
	b = appendPadded(append(b, '-'), int64(month), 2)
	b = appendPadded(append(b, '-'), int64(day), 2)
	if date {
		return b
	}
	if micros == zeroMicros {
		return append(b, " 00:00:00.000000"[:zeroLength(digits)]...)
	}
	hour, minute, second := at.Clock()
	b = appendPadded(append(b, ' '), int64(hour), 2)
	b = appendPadded(append(b, ':'), int64(minute), 2)
	b = appendPadded(append(b, ':'), int64(second), 2)
	return appendFraction(b, int64(at.Nanosecond()/1000), digits)
}

// zeroLength is the length of a zero time of day with so many digits of a fraction, and the space before it.
func zeroLength(digits int) int {
	if digits <= 0 {
		return len(" 00:00:00")
	}
	return len(" 00:00:00.") + min(digits, 6)
}

// appendTimespan appends a TIME of microseconds. If its digits are not declared, its fraction is shown if it has one.
func appendTimespan(b []byte, micros int64, shown coltype.Shown) []byte {
	if micros < 0 {
		b, micros = append(b, '-'), -micros
	}
	seconds := micros / 1_000_000
	b = appendPadded(b, seconds/3600, 2)
	b = appendPadded(append(b, ':'), seconds/60%60, 2)
	b = appendPadded(append(b, ':'), seconds%60, 2)
	fraction := micros % 1_000_000
	if shown.Declared {
		return appendFraction(b, fraction, shown.Digits)
	}
	if fraction != 0 {
		b = appendFraction(b, fraction, 6)
	}
	return b
}

func appendFraction(b []byte, micros int64, digits int) []byte {
	if digits <= 0 {
		return b
	}
	b = appendPadded(append(b, '.'), micros, 6)
	return b[:len(b)-6+min(digits, 6)]
}

// appendPadded appends a number of at least so many digits, 7 at most.
func appendPadded(b []byte, n int64, digits int) []byte {
	for place := digits - 1; place > 0 && n < pow10[place]; place-- {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, n, 10)
}

var pow10 = [...]int64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000}

// bitBytes are the bytes of a BIT, the highest first.
func bitBytes(bits int, n uint64) []byte {
	size := (bits + 7) / 8
	var all [8]byte
	binary.BigEndian.PutUint64(all[:], n)
	return append([]byte{}, all[8-size:]...)
}
