package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"vitess.io/vitess/go/sqltypes"
)

// The protocol's types whose binary form is not a text.
const (
	typeDecimal    = 0
	typeTiny       = 1
	typeShort      = 2
	typeLong       = 3
	typeFloat      = 4
	typeDouble     = 5
	typeNull       = 6
	typeTimestamp  = 7
	typeLongLong   = 8
	typeInt24      = 9
	typeDate       = 10
	typeTime       = 11
	typeDatetime   = 12
	typeYear       = 13
	typeNewDecimal = 246
	typeTinyBlob   = 249
	typeBlob       = 252
	typeVarString  = 253
)

// Value is a value in MySQL's text form; NULL is the zero one.
type Value = sqltypes.Value

// TextRow appends a row in the text form. shown is the text of a value that is not NULL.
func (w *Writer) TextRow(row []Value, shown func(i int, v Value) []byte) {
	w.begin()
	for i, v := range row {
		if v.IsNull() {
			w.buf = append(w.buf, nullText)
			continue
		}
		w.buf = appendText(w.buf, shown(i, v))
	}
	w.end()
}

// BinaryRow appends a row in the binary form of the columns' types.
func (w *Writer) BinaryRow(c *Columns, row []Value, shown func(i int, v Value) []byte) {
	const skipped = 2 // bits before those of the first column
	w.begin()
	w.buf = append(w.buf, okPacket)
	nulls := len(w.buf)
	for range (len(row) + skipped + 7) / 8 {
		w.buf = append(w.buf, 0)
	}
	for i, v := range row {
		if v.IsNull() {
			at := i + skipped
			w.buf[nulls+at/8] |= 1 << (at % 8)
			continue
		}
		w.buf = appendBinary(w.buf, c.Types[i], shown(i, v))
	}
	w.end()
}

// appendBinary appends the binary form of a text of a type. A number that the text is not is sent as 0.
func appendBinary(b []byte, t byte, text []byte) []byte {
	switch t {
	case typeTiny:
		return append(b, byte(integer(text)))
	case typeShort, typeYear:
		return binary.LittleEndian.AppendUint16(b, uint16(integer(text)))
	case typeLong, typeInt24:
		return binary.LittleEndian.AppendUint32(b, uint32(integer(text)))
	case typeLongLong:
		return binary.LittleEndian.AppendUint64(b, integer(text))
	case typeFloat:
		f, _ := strconv.ParseFloat(string(text), 32)
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(f)))
	case typeDouble:
		f, _ := strconv.ParseFloat(string(text), 64)
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	case typeDate, typeDatetime, typeTimestamp:
		return appendMoment(b, text)
	case typeTime:
		return appendTime(b, text)
	}
	return appendText(b, text)
}

// integer is a whole number, signed or not, in two's complement.
func integer(text []byte) (n uint64) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + uint64(c-'0')
	}
	if negative {
		return -n
	}
	return n
}

// numbers reads the numbers of a date or time into list: digits between other characters. The last, if it stands behind a
// point, is of microseconds.
func numbers(text []byte, list []uint32) (n int) {
	for len(text) > 0 && n < len(list) {
		digits, value := 0, uint32(0)
		for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
			value = 10*value + uint32(text[digits]-'0')
			digits++
		}
		list[n], n = value, n+1
		if text = text[digits:]; len(text) == 0 {
			break
		}
		if text[0] == '.' && n < len(list) {
			list[len(list)-1] = micros(text[1:])
			return len(list)
		}
		text = text[1:]
	}
	return n
}

// micros are the microseconds of a fraction's digits.
func micros(digits []byte) (n uint32) {
	for i := range 6 {
		n *= 10
		if i < len(digits) && digits[i] >= '0' && digits[i] <= '9' {
			n += uint32(digits[i] - '0')
		}
	}
	return n
}

// appendMoment appends a date with or without a time; zeros at its end are left out.
func appendMoment(b, text []byte) []byte {
	var n [7]uint32 // year, month, day, hour, minute, second, microsecond
	numbers(text, n[:])
	length := 0
	switch {
	case n[6] != 0:
		length = 11
	case n[3] != 0 || n[4] != 0 || n[5] != 0:
		length = 7
	case n[0] != 0 || n[1] != 0 || n[2] != 0:
		length = 4
	}
	var out [11]byte
	binary.LittleEndian.PutUint16(out[:], uint16(n[0]))
	for i := 1; i < 6; i++ {
		out[i+1] = byte(n[i])
	}
	binary.LittleEndian.PutUint32(out[7:], n[6])
	return append(append(b, byte(length)), out[:length]...)
}

// appendTime appends a time, which may be negative and have more than 24 hours.
func appendTime(b, text []byte) []byte {
	var n [4]uint32 // hour, minute, second, microsecond
	rest, negative := bytes.CutPrefix(text, []byte("-"))
	numbers(rest, n[:])
	length := 0
	switch {
	case n[3] != 0:
		length = 12
	case n[0] != 0 || n[1] != 0 || n[2] != 0:
		length = 8
	}
	var out [12]byte
	if negative {
		out[0] = 1
	}
	binary.LittleEndian.PutUint32(out[1:], n[0]/24)
	out[5], out[6], out[7] = byte(n[0]%24), byte(n[1]), byte(n[2])
	binary.LittleEndian.PutUint32(out[8:], n[3])
	return append(append(b, byte(length)), out[:length]...)
}
