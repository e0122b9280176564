package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrMalformed is of a packet that is not what it should be.
var ErrMalformed = errors.New("the packet is cut short, or has bytes that are none of its values")

// Parameter is a value that a client has sent with the execution of a prepared statement.
type Parameter struct {
	ParameterType
	Null bool
	bits uint64 // of a number, as it came
	text []byte // of all others: in MySQL's text form; a text is part of the packet, not a copy
}

// unsignedFlag stands in the second byte of a parameter's type.
const unsignedFlag = 0x80

// ParameterType is the type of a parameter as a client sends it: it holds until it sends others.
type ParameterType struct {
	Type     byte
	Unsigned bool
}

// Parameters reads the values of an execution, which are what stands behind the fixed part of COM_STMT_EXECUTE. types has
// as many elements as the statement has parameters; they are changed if the packet brings types. The values are appended
// to into.
func Parameters(body []byte, types []ParameterType, into []Parameter) ([]Parameter, error) {
	n := len(types)
	if n == 0 {
		return into, nil
	}
	bitmap := (n + 7) / 8
	if len(body) < bitmap+1 {
		return nil, ErrMalformed
	}
	nulls, typed := body[:bitmap], body[bitmap] == 1
	body = body[bitmap+1:]
	if typed {
		if len(body) < 2*n {
			return nil, ErrMalformed
		}
		for i := range types {
			types[i] = ParameterType{body[2*i], body[2*i+1]&unsignedFlag != 0}
		}
		body = body[2*n:]
	}
	for i, t := range types {
		p := Parameter{ParameterType: t}
		var err error
		switch {
		case nulls[i/8]&(1<<(i%8)) != 0 || t.Type == typeNull:
			p.Null = true
		default:
			if body, err = p.take(body); err != nil {
				return nil, err
			}
		}
		into = append(into, p)
	}
	if len(body) != 0 {
		return nil, ErrMalformed
	}
	return into, nil
}

// width is the number of bytes of a type that has a fixed one; 0: it has not.
func width(t byte) int {
	switch t {
	case typeTiny:
		return 1
	case typeShort, typeYear:
		return 2
	case typeLong, typeInt24, typeFloat:
		return 4
	case typeLongLong, typeDouble:
		return 8
	}
	return 0
}

// take takes the value from the beginning of a body.
func (p *Parameter) take(body []byte) (rest []byte, err error) {
	n := width(p.Type)
	if n == 0 {
		if p.text, rest, err = takeText(body); err != nil {
			return nil, err
		}
		switch p.Type {
		case typeDate, typeDatetime, typeTimestamp:
			p.text, err = momentText(p.text, p.Type == typeDate)
		case typeTime:
			p.text, err = timeText(p.text)
		}
		return rest, err
	}
	if len(body) < n {
		return nil, ErrMalformed
	}
	for i := range n {
		p.bits |= uint64(body[i]) << (8 * i)
	}
	if shift := 64 - 8*n; !p.Unsigned && !p.Float() {
		p.bits = uint64(int64(p.bits) << shift >> shift)
	}
	return body[n:], nil
}

// Integer reports whether the value is a whole number. It is int64(n) unless the type is unsigned.
func (p *Parameter) Integer() (n uint64, ok bool) {
	return p.bits, !p.Null && width(p.Type) > 0 && !p.Float()
}

// Float reports whether the type is a floating-point one.
func (t ParameterType) Float() bool { return t.Type == typeFloat || t.Type == typeDouble }

// Decimal reports whether the type is a decimal one.
func (t ParameterType) Decimal() bool { return t.Type == typeDecimal || t.Type == typeNewDecimal }

// Bytes reports whether the type is of bytes without a character set.
func (t ParameterType) Bytes() bool { return t.Type >= typeTinyBlob && t.Type <= typeBlob }

// IsTime reports whether the type is a date or time.
func (t ParameterType) IsTime() bool {
	switch t.Type {
	case typeDate, typeDatetime, typeTimestamp, typeTime:
		return true
	}
	return false
}

// Text is the value in MySQL's text form; it may be part of the packet.
func (p *Parameter) Text() []byte {
	switch {
	case width(p.Type) == 0 || p.Null:
		return p.text
	case p.Type == typeFloat:
		return strconv.AppendFloat(nil, float64(math.Float32frombits(uint32(p.bits))), 'g', -1, 32)
	case p.Type == typeDouble:
		return strconv.AppendFloat(nil, math.Float64frombits(p.bits), 'g', -1, 64)
	case p.Unsigned:
		return strconv.AppendUint(nil, p.bits, 10)
	}
	return strconv.AppendInt(nil, int64(p.bits), 10)
}

// takeText takes a text behind its length.
func takeText(b []byte) (text, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, ErrMalformed
	}
	n, from := uint64(b[0]), 1
	if size := lengthBytes(b[0]); size > 0 {
		if len(b) < 1+size {
			return nil, nil, ErrMalformed
		}
		var raw [8]byte
		copy(raw[:], b[1:1+size])
		n, from = binary.LittleEndian.Uint64(raw[:]), 1+size
	} else if b[0] >= nullText {
		return nil, nil, ErrMalformed
	}
	if n > uint64(len(b)-from) {
		return nil, nil, ErrMalformed
	}
	end := from + int(n)
	return b[from:end:end], b[end:], nil
}

// lengthBytes is how many bytes of a length follow its first; 0: none.
func lengthBytes(first byte) int {
	switch first {
	case 0xfc:
		return 2
	case 0xfd:
		return 3
	case 0xfe:
		return 8
	}
	return 0
}

// momentText is the text of a date with or without a time.
func momentText(b []byte, date bool) ([]byte, error) {
	var out [11]byte
	switch len(b) {
	case 0, 4, 7, 11:
		copy(out[:], b)
	default:
		return nil, ErrMalformed
	}
	text := fmt.Appendf(nil, "%04d-%02d-%02d", binary.LittleEndian.Uint16(out[:]), out[2], out[3])
	if date && len(b) <= 4 {
		return text, nil
	}
	text = fmt.Appendf(text, " %02d:%02d:%02d", out[4], out[5], out[6])
	if len(b) == 11 {
		text = fmt.Appendf(text, ".%06d", binary.LittleEndian.Uint32(out[7:]))
	}
	return text, nil
}

// timeText is the text of a time.
func timeText(b []byte) ([]byte, error) {
	var out [12]byte
	switch len(b) {
	case 0, 8, 12:
		copy(out[:], b)
	default:
		return nil, ErrMalformed
	}
	var text []byte
	if out[0] != 0 {
		text = append(text, '-')
	}
	text = fmt.Appendf(text, "%02d:%02d:%02d", uint64(binary.LittleEndian.Uint32(out[1:]))*24+uint64(out[5]), out[6], out[7])
	if len(b) == 12 {
		text = fmt.Appendf(text, ".%06d", binary.LittleEndian.Uint32(out[8:]))
	}
	return text, nil
}
