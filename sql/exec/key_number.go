package exec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// Signs of a number, in the order of the numbers.
const (
	signNegative = iota + 1
	signZero
	signPositive
)

// exponentBias makes exponents positive: the largest are those of doubles.
const exponentBias = 1 << 15

// integerZero is the first byte of 0; of other integers it is so many more as the number has bytes, or less if it is negative.
const integerZero = 0x80

// encodeInteger encodes the values of a column of integers: their number of bytes, then those, the highest first; of
// negative ones inverted. What is no integer sorts behind all.
func encodeInteger(e *encoder, c *column, dst []byte, v expr.Value) []byte {
	text := v.Raw()
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return encodeNumber(e, c, append(dst, 255), v)
	}
	size := (bits.Len64(n) + 7) / 8
	if !negative {
		dst = append(dst, byte(integerZero+size))
	} else {
		dst = append(dst, byte(integerZero-size))
		n = ^n
	}
	for i := size - 1; i >= 0; i-- {
		dst = append(dst, byte(n>>(8*i)))
	}
	return dst
}

// encodeNumber encodes integers and decimals exactly, by their text: sign, exponent, digits without zeros at their ends.
// The number is 0.DIGITS times ten to the exponent; of negative ones all bytes behind the sign are inverted.
func encodeNumber(_ *encoder, _ *column, dst []byte, v expr.Value) []byte {
	if sqltypes.IsIntegral(v.Type()) || sqltypes.IsDecimal(v.Type()) {
		return appendNumber(dst, v.Raw())
	}
	f, _ := strconv.ParseFloat(string(v.Raw()), 64)
	var buffer [32]byte
	return appendNumber(dst, strconv.AppendFloat(buffer[:0], f, 'e', -1, 64))
}

func appendNumber(dst, text []byte) []byte {
	negative := len(text) > 0 && text[0] == '-'
	if negative || len(text) > 0 && text[0] == '+' {
		text = text[1:]
	}
	exponent := 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(string(text[i+1:]))
		text = text[:i]
	}
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	whole = bytes.TrimLeft(whole, "0")
	fraction = bytes.TrimRight(fraction, "0")
	if len(fraction) == 0 {
		exponent += len(whole)
		whole = bytes.TrimRight(whole, "0")
	} else if len(whole) == 0 {
		n := len(fraction)
		fraction = bytes.TrimLeft(fraction, "0")
		exponent -= n - len(fraction)
	} else {
		exponent += len(whole)
	}
	if len(whole)+len(fraction) == 0 {
		return append(dst, signZero)
	}
	if negative {
		dst = append(dst, signNegative)
	} else {
		dst = append(dst, signPositive)
	}
	from := len(dst)
	dst = binary.BigEndian.AppendUint16(dst, uint16(exponent+exponentBias))
	dst = append(dst, whole...)
	dst = append(dst, fraction...)
	dst = append(dst, 0)
	if negative {
		for i := from; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}
