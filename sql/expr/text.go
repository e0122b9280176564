package expr

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/charset"
	"vitess.io/vitess/go/mysql/collations/colldata"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
)

// measure counts and cuts: text in characters, bytes in bytes.
type measure struct{ bytes bool }

// measure is that of the i-th argument.
func (c *Call) measure(i int) measure { return measure{c.isBinary(i)} }

func (m measure) count(b []byte) int {
	if m.bytes {
		return len(b)
	}
	return utf8.RuneCount(b)
}

// offset is where character n begins, counted from 0; len(b) if there are fewer.
func (m measure) offset(b []byte, n int) int {
	if n <= 0 {
		return 0
	}
	if m.bytes || n >= len(b) {
		return min(n, len(b))
	}
	at := 0
	for ; n > 0 && at < len(b); n-- {
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return at
}

// isBinary reports whether the i-th argument are bytes without a character set.
func (c *Call) isBinary(i int) bool {
	t := c.Types[i]
	return t.Collation() == collations.CollationBinaryID && (c.Args[i].IsQuoted() || t.Type() == sqltypes.Bit) && !isTemporal(c.Args[i])
}

// Native are the bytes of the i-th argument in the character set of its type; other methods have them in the
// connection's.
func (c *Call) Native(i int) []byte {
	b, t := c.Raw(i), c.Types[i]
	if !sqltypes.IsText(t.Type()) || c.isBinary(i) || c.sameCharset(t.Collation()) {
		return b
	}
	to := colldata.Lookup(t.Collation())
	if to == nil {
		return b
	}
	out, err := charset.Convert(nil, to.Charset(), b, charset.Charset_utf8mb4{})
	if err != nil {
		return b
	}
	return out
}

// comparison is the collation by which texts of these types are compared.
func (c *Call) comparison(types ...Type) colldata.Collation {
	t := likeAll(types, c.Context)
	if out := colldata.Lookup(t.Collation()); out != nil {
		return out
	}
	return colldata.Lookup(collations.CollationBinaryID)
}

// equal compares texts of a collation; those of Unicode 9 and bytes tell 'a ' from 'a', the others do not.
func equal(by colldata.Collation, a, b []byte) bool {
	if by.ID() != collations.CollationBinaryID && !strings.Contains(by.Name(), "_0900_") {
		a, b = bytes.TrimRight(a, " "), bytes.TrimRight(b, " ")
	}
	return by.Collate(a, b, false) == 0
}

// Bits is the i-th argument as 64 bits: a negative number is its complement, and what is too large has all bits.
func (c *Call) Bits(i int) uint64 {
	v := c.moment(i)
	if k := v.Type(); k == sqltypes.Enum || k == sqltypes.Set || i < len(c.Number) && c.Number[i] {
		v = c.numeric(i)
	}
	switch t := v.Type(); {
	case sqltypes.IsUnsigned(t):
		n, _ := v.ToUint64()
		return n
	case sqltypes.IsDecimal(t):
		return decimalBits(v.Raw())
	case sqltypes.IsText(t) || sqltypes.IsBinary(t):
		return c.leading(v.ToString())
	}
	return uint64(c.Integer(i))
}

// roundedBits are the 64 bits of a number; a text is rounded.
func (c *Call) roundedBits(i int) uint64 {
	v := c.moment(i)
	if t := v.Type(); !sqltypes.IsText(t) && !sqltypes.IsBinary(t) || i < len(c.Number) && c.Number[i] {
		return c.Bits(i)
	}
	n, negative := c.whole(v)
	if negative {
		return -n
	}
	return n
}

func decimalBits(text []byte) uint64 {
	d, err := decimal.NewFromMySQL(text)
	if err != nil {
		return 0
	}
	d = d.Round(0)
	switch {
	case d.Cmp(decimal.NewFromUint(math.MaxUint64)) > 0:
		return math.MaxUint64
	case d.Cmp(decimal.NewFromInt(math.MinInt64)) < 0:
		return 1 << 63
	}
	if n, err := strconv.ParseUint(d.String(), 10, 64); err == nil {
		return n
	}
	n, _ := d.Int64()
	return uint64(n)
}
