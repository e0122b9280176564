package rowcodec

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cockroachdb/apd/v3"

	"isochron/sql/coltype"
)

// formatVersion opens every value.
const formatVersion = 1

// The forms of a stored value.
const (
	formInt     = 1
	formUint    = 2
	formFloat64 = 3
	formFloat32 = 4
	formBytes   = 5
	formNull    = 6 // written only where absence means Fill
)

// Column is a column's storage. Fill is its value in rows written before the column existed.
type Column struct {
	ID   uint32
	Type *coltype.Type
	Fill any
}

// NewColumn describes a column; the error: its type cannot be stored.
func NewColumn(id uint32, t *coltype.Type) (Column, error) {
	return Column{ID: id, Type: t}, Storable(t)
}

// EncodeRow writes values[i] of cols[i]. A NULL takes no space unless its column
// has a Fill.
func EncodeRow(cols []Column, values []any) ([]byte, error) {
	out := make([]byte, 1, 16+8*len(values))
	out[0] = formatVersion
	for i, c := range cols {
		if values[i] == nil {
			if c.Fill != nil {
				out = append(binary.AppendUvarint(out, uint64(c.ID)), formNull)
			}
			continue
		}
		var err error
		out = binary.AppendUvarint(out, uint64(c.ID))
		if out, err = appendValue(out, c, values[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendValue(out []byte, c Column, v any) ([]byte, error) {
	v = c.Round(v)
	switch c.Type.Kind {
	case coltype.KindInt, coltype.KindYear:
		n, ok := toInt64(v)
		return binary.AppendVarint(append(out, formInt), n), mismatch(ok, c.Type, v)
	case coltype.KindUint, coltype.KindBit, coltype.KindEnum, coltype.KindSet:
		n, ok := toUint64(v)
		return binary.AppendUvarint(append(out, formUint), n), mismatch(ok, c.Type, v)
	case coltype.KindFloat64:
		f, ok := toFloat64(v)
		return binary.BigEndian.AppendUint64(append(out, formFloat64), math.Float64bits(f)), mismatch(ok, c.Type, v)
	case coltype.KindFloat32:
		f, ok := toFloat64(v)
		return binary.BigEndian.AppendUint32(append(out, formFloat32), math.Float32bits(float32(f))), mismatch(ok, c.Type, v)
	case coltype.KindTime:
		at, ok := v.(time.Time)
		return binary.AppendVarint(append(out, formInt), at.UnixMicro()), mismatch(ok, c.Type, v)
	case coltype.KindTimespan:
		s, ok := toMicros(v)
		return binary.AppendVarint(append(out, formInt), s), mismatch(ok, c.Type, v)
	case coltype.KindDecimal:
		d, ok := v.(*apd.Decimal)
		if !ok {
			return nil, mismatch(false, c.Type, v)
		}
		return appendLong(out, d.Text('f')), nil
	case coltype.KindBytes:
		b, ok := toBytes(v)
		return appendLong(out, b), mismatch(ok, c.Type, v)
	case coltype.KindJSON:
		b, ok := v.(coltype.JSON)
		return appendLong(out, b), mismatch(ok, c.Type, v)
	}
	s, ok := toText(v)
	return appendLong(out, s), mismatch(ok, c.Type, v)
}

func appendLong[T ~[]byte | string](out []byte, b T) []byte {
	out = binary.AppendUvarint(append(out, formBytes), uint64(len(b)))
	return append(out, b...)
}

// Layout maps the columns of stored rows to positions in a row.
type Layout struct {
	cols []Column
	at   []int // by column id: 1 + position in the row, 0 if absent
	fill []any
}

// NewLayout places cols[i] at position i of the rows that Decode makes.
func NewLayout(cols []Column) *Layout {
	l := &Layout{cols: cols, fill: make([]any, len(cols))}
	for i, c := range cols {
		l.fill[i] = c.Fill
		for int(c.ID) >= len(l.at) {
			l.at = append(l.at, make([]int, int(c.ID)+1-len(l.at))...)
		}
		l.at[c.ID] = i + 1
	}
	return l
}

// Decode reads what EncodeRow wrote. A damaged value is an error, never a panic.
func (l *Layout) Decode(b []byte) ([]any, error) {
	if len(b) == 0 || b[0] != formatVersion {
		return nil, fmt.Errorf("a stored row has an unknown format; was it written by a newer release?")
	}
	row := slices.Clone(l.fill)
	for b = b[1:]; len(b) > 0; {
		id, n := binary.Uvarint(b)
		if n <= 0 || len(b) == n {
			return nil, errDamaged
		}
		var raw rawValue
		var err error
		if raw, b, err = takeValue(b[n:]); err != nil {
			return nil, err
		}
		if id >= uint64(len(l.at)) || l.at[id] == 0 {
			continue
		}
		i := l.at[id] - 1
		if row[i], err = l.cols[i].value(raw); err != nil {
			return nil, err
		}
	}
	return row, nil
}

var errDamaged = fmt.Errorf("a stored row is damaged and cannot be read")

type rawValue struct {
	form byte
	num  uint64
	long []byte
}

func takeValue(b []byte) (rawValue, []byte, error) {
	v := rawValue{form: b[0]}
	b = b[1:]
	n := 0
	switch v.form {
	case formNull:
		return v, b, nil
	case formInt:
		var i int64
		i, n = binary.Varint(b)
		v.num = uint64(i)
	case formUint:
		v.num, n = binary.Uvarint(b)
	case formFloat64:
		if n = 8; len(b) >= n {
			v.num = binary.BigEndian.Uint64(b)
		}
	case formFloat32:
		if n = 4; len(b) >= n {
			v.num = uint64(binary.BigEndian.Uint32(b))
		}
	case formBytes:
		var size uint64
		if size, n = binary.Uvarint(b); n <= 0 || size > uint64(len(b)-n) {
			return v, nil, errDamaged
		}
		v.long = b[n : n+int(size)]
		n += int(size)
	}
	if n <= 0 || n > len(b) {
		return v, nil, errDamaged
	}
	return v, b[n:], nil
}

func (c Column) value(v rawValue) (any, error) {
	if v.form == formNull {
		return nil, nil
	}
	if v.form != formOf(c.Type.Kind) {
		return nil, errDamaged
	}
	switch c.Type.Kind {
	case coltype.KindInt:
		return c.Type.Int(int64(v.num)), nil
	case coltype.KindUint:
		return c.Type.Uint(v.num), nil
	case coltype.KindYear:
		return int16(v.num), nil
	case coltype.KindEnum:
		return uint16(v.num), nil
	case coltype.KindBit, coltype.KindSet:
		return v.num, nil
	case coltype.KindFloat64:
		return math.Float64frombits(v.num), nil
	case coltype.KindFloat32:
		return math.Float32frombits(uint32(v.num)), nil
	case coltype.KindTime:
		return time.UnixMicro(int64(v.num)).UTC(), nil
	case coltype.KindTimespan:
		return coltype.Span(v.num), nil
	case coltype.KindDecimal:
		d, _, err := apd.NewFromString(string(v.long))
		if err != nil {
			return nil, errDamaged
		}
		return d, nil
	case coltype.KindBytes:
		return append([]byte{}, v.long...), nil
	case coltype.KindJSON:
		return append(coltype.JSON{}, v.long...), nil
	}
	return string(v.long), nil
}

func formOf(k coltype.Kind) byte {
	switch k {
	case coltype.KindInt, coltype.KindYear, coltype.KindTime, coltype.KindTimespan:
		return formInt
	case coltype.KindUint, coltype.KindBit, coltype.KindEnum, coltype.KindSet:
		return formUint
	case coltype.KindFloat64:
		return formFloat64
	case coltype.KindFloat32:
		return formFloat32
	}
	return formBytes
}
