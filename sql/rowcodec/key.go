package rowcodec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"isochron/sql/coltype"
)

// The first byte of each column in a key: NULL sorts below every value.
const (
	markNull  = 0x05
	markValue = 0x06
)

// AppendKey appends the key form of one value of a column. prefixLength, if not
// 0, is the number of characters (or bytes) of it that the index holds. The form
// is self-delimiting: no value's form is a prefix of another's.
func AppendKey(dst []byte, t *coltype.Type, v any, prefixLength int) ([]byte, error) {
	if v == nil {
		return append(dst, markNull), nil
	}
	if err := Indexable(t); err != nil {
		return nil, err
	}
	dst = append(dst, markValue)
	switch t.Kind {
	case coltype.KindInt, coltype.KindYear:
		n, ok := toInt64(v)
		return appendInt(dst, n), mismatch(ok, t, v)
	case coltype.KindUint, coltype.KindBit, coltype.KindEnum, coltype.KindSet:
		n, ok := toUint64(v)
		return binary.BigEndian.AppendUint64(dst, n), mismatch(ok, t, v)
	case coltype.KindFloat32, coltype.KindFloat64:
		f, ok := toFloat64(v)
		return appendFloat(dst, f), mismatch(ok, t, v)
	case coltype.KindDecimal:
		d, ok := v.(*apd.Decimal)
		if !ok {
			return nil, mismatch(false, t, v)
		}
		return appendDecimal(dst, d, t.Scale)
	case coltype.KindTime:
		at, ok := v.(time.Time)
		return appendInt(dst, at.UnixMicro()), mismatch(ok, t, v)
	case coltype.KindTimespan:
		span, ok := toMicros(v)
		return appendInt(dst, span), mismatch(ok, t, v)
	case coltype.KindBytes:
		b, ok := toBytes(v)
		if prefixLength > 0 && len(b) > prefixLength {
			b = b[:prefixLength]
		}
		return appendBytes(dst, b), mismatch(ok, t, v)
	}
	s, ok := toText(v)
	return appendText(dst, s, t.Collation, prefixLength), mismatch(ok, t, v)
}

func mismatch(ok bool, t *coltype.Type, v any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("a %T does not belong in a column of type %s", v, t)
}

func appendInt(dst []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(n)^1<<63)
}

// appendFloat maps the order of numbers to the order of bits: negative numbers
// inverted, the others above them. Both zeros are one.
func appendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		f = 0
	}
	bits := math.Float64bits(f)
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(dst, bits)
}

// appendDecimal writes the number scaled to an integer: a length that grows
// with the magnitude (mirrored below zero), then the magnitude.
func appendDecimal(dst []byte, d *apd.Decimal, scale int) ([]byte, error) {
	if d.Form != apd.Finite {
		return nil, fmt.Errorf("%s is not a number that a key can hold", d)
	}
	n := d.Coeff.MathBigInt()
	if shift := int64(d.Exponent) + int64(scale); shift >= 0 {
		n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), nil))
	} else {
		n.Quo(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(-shift), nil))
	}
	b := n.Bytes()
	if len(b) > 120 {
		return nil, fmt.Errorf("%s is too long for a key", d)
	}
	if !d.Negative || len(b) == 0 {
		return append(append(dst, 0x80+byte(len(b))), b...), nil
	}
	dst = append(dst, 0x80-byte(len(b)))
	for _, c := range b {
		dst = append(dst, ^c)
	}
	return dst, nil
}

// appendBytes escapes zero bytes so that the end mark sorts below everything.
func appendBytes(dst, b []byte) []byte {
	for _, c := range b {
		if c == 0 {
			dst = append(dst, 0, 0xff)
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, 0, 1)
}

// AppendText appends a text as one of a collation: texts that are alike to it have one form, padded if it pads.
func AppendText(dst []byte, s string, collation *coltype.Collation) []byte {
	if collation.Pads {
		return appendPaddedText(dst, s, collation.Weight, 0)
	}
	return appendText(dst, s, collation, 0)
}

// appendText writes one weight a character, as the collation compares them.
// Weights are written in a form of growing length, like UTF-8, plus one so that
// zero is left for the end mark.
func appendText(dst []byte, s string, collation *coltype.Collation, prefixLength int) []byte {
	if collation.Binary {
		return appendBytes(dst, []byte(s))
	}
	return append(appendCharacters(dst, s, collation.Weight, prefixLength), 0)
}

func appendCharacters(dst []byte, s string, weight func(rune) int32, prefixLength int) []byte {
	for n := 0; len(s) > 0 && (prefixLength == 0 || n < prefixLength); n++ {
		r, size := utf8.DecodeRuneInString(s)
		dst = appendWeight(dst, uint32(weight(r))+1)
		s = s[size:]
	}
	return dst
}

// Alike reports whether two texts are one to a collation.
func Alike(collation *coltype.Collation, a, b string) bool {
	if collation.Binary {
		return a == b
	}
	weight := collation.Weight
	for len(a) > 0 && len(b) > 0 {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y && weight(x) != weight(y) {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return len(a) == len(b)
}

func appendWeight(dst []byte, w uint32) []byte {
	switch {
	case w < 1<<7:
		return append(dst, byte(w))
	case w < 1<<14:
		return append(dst, 0x80|byte(w>>8), byte(w))
	case w < 1<<21:
		return append(dst, 0xc0|byte(w>>16), byte(w>>8), byte(w))
	case w < 1<<28:
		return append(dst, 0xe0|byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
	}
	return append(dst, 0xf0, byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
}
