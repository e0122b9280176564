package expr

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"math"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Texts that are codes of numbers and bytes: hexadecimal, other bases, base 64, weights, checksums.

var weightString = &Function{Name: "WEIGHT_STRING", Min: 1, Max: 2, Type: binaryType, Ask: evalWeightString}

func init() {
	register(
		&Function{Name: "HEX", Min: 1, Max: 1, Type: textType, Eval: evalHex},
		&Function{Name: "CONV", Min: 3, Max: 3, Convert: toInteger, Type: textType, Eval: func(c *Call) (Value, error) { return c.convert(c.Integer(1), c.Integer(2)), nil }},
		&Function{Name: "BIN", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) { return c.convert(10, 2), nil }},
		&Function{Name: "OCT", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) { return c.convert(10, 8), nil }},
		&Function{Name: "TO_BASE64", Min: 1, Max: 1, Type: textType, Eval: toBase64},
		&Function{Name: "UNHEX", Min: 1, Max: 1, Type: binaryType, Eval: unhex},
		&Function{Name: "FROM_BASE64", Min: 1, Max: 1, Type: binaryType, Eval: fromBase64},
		&Function{Name: "CRC32", Min: 1, Max: 1, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(uint64(crc32.ChecksumIEEE(c.Native(0)))), nil }},
	)
	registerNode(func(e *sqlparser.WeightStringFuncExpr) (node, bool) {
		n := node{function: weightString, args: []sqlparser.Expr{e.Expr}}
		if e.As != nil && e.As.Length != nil {
			n.option = strings.ToUpper(e.As.Type)
			n.args = append(n.args, sqlparser.NewIntLiteral(strconv.Itoa(*e.As.Length)))
		}
		return n, true
	})
}

// evalHex is HEX: the digits of a number's bits, or those of a text's bytes.
func evalHex(c *Call) (Value, error) {
	switch t := c.Args[0].Type(); {
	case sqltypes.IsIntegral(t), c.Types[0].Type() == sqltypes.Bit:
		return c.Text(strings.ToUpper(strconv.FormatUint(c.Bits(0), 16))), nil
	case sqltypes.IsFloat(t), sqltypes.IsDecimal(t):
		return c.Text(strings.ToUpper(strconv.FormatUint(doubleBits(c.Float(0)), 16))), nil
	}
	b := c.Native(0)
	if c.TooLong(2 * len(b)) {
		return Null, nil
	}
	return c.Bytes(bytes.ToUpper(hex.AppendEncode(nil, b))), nil
}

// doubleBits are the bits of the nearest integer; all of them beyond 64 bits.
func doubleBits(f float64) uint64 {
	switch {
	case f <= math.MinInt64 || f >= math.MaxUint64 || math.IsNaN(f):
		return math.MaxUint64
	case f < 0:
		return uint64(int64(f - 0.5))
	}
	return uint64(f + 0.5)
}

// convert is CONV: a number of one base written in another; a base below 0 has signed numbers.
func (c *Call) convert(from, to int64) Value {
	valid := func(base int64) bool { return base >= 2 && base <= 36 || base >= -36 && base <= -2 }
	if !valid(from) || !valid(to) || len(c.Raw(0)) == 0 {
		return Null
	}
	var n uint64
	if c.Types[0].Type() == sqltypes.Bit {
		n = c.Bits(0)
	} else { // a literal x'61' is a text, too
		n = parseBase(c.Str(0), from)
	}
	if to < 0 {
		return c.Text(strings.ToUpper(strconv.FormatInt(int64(n), int(-to))))
	}
	return c.Text(strings.ToUpper(strconv.FormatUint(n, int(to))))
}

// parseBase reads the number that a text begins with, cut at the ends of its range.
func parseBase(s string, base int64) uint64 {
	signed := base < 0
	base = max(base, -base)
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	rest, negative := strings.CutPrefix(s, "-")
	if !negative {
		rest = strings.TrimPrefix(s, "+")
	}
	n, over := uint64(0), false
	for i := range len(rest) {
		digit := digitOf(rest[i])
		if digit >= base {
			break
		}
		next := n*uint64(base) + uint64(digit)
		over = over || n > math.MaxUint64/uint64(base) || next < n*uint64(base)
		n = next
	}
	switch {
	case signed && negative && (over || n > 1<<63):
		return 1 << 63
	case signed && !negative && (over || n > math.MaxInt64):
		return math.MaxInt64
	case over:
		return math.MaxUint64
	case negative:
		return -n
	}
	return n
}

// digitOf is the value of a digit; one that is none is larger than all bases.
func digitOf(b byte) int64 {
	switch {
	case b >= '0' && b <= '9':
		return int64(b - '0')
	case b >= 'a' && b <= 'z':
		return int64(b-'a') + 10
	case b >= 'A' && b <= 'Z':
		return int64(b-'A') + 10
	}
	return 99
}

// toBase64 is TO_BASE64, in lines of 76 characters.
func toBase64(c *Call) (Value, error) {
	const line = 76
	b := c.Native(0)
	size := base64.StdEncoding.EncodedLen(len(b))
	if c.TooLong(size + size/line) {
		return Null, nil
	}
	text := base64.StdEncoding.EncodeToString(b)
	var out strings.Builder
	for len(text) > line {
		out.WriteString(text[:line])
		out.WriteByte('\n')
		text = text[line:]
	}
	out.WriteString(text)
	return c.Text(out.String()), nil
}

// unhex is UNHEX; an odd digit is that of the first byte.
func unhex(c *Call) (Value, error) {
	digits := c.Str(0)
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	out, err := hex.DecodeString(digits)
	if err != nil {
		return Null, nil
	}
	return c.Bytes(out), nil
}

// fromBase64 is FROM_BASE64; white space is left out.
func fromBase64(c *Call) (Value, error) {
	text := make([]byte, 0, len(c.Raw(0)))
	for _, b := range c.Raw(0) {
		if strings.IndexByte(" \t\n\v\f\r", b) < 0 {
			text = append(text, b)
		}
	}
	out, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return Null, nil
	}
	return c.Bytes(out), nil
}

// evalWeightString is WEIGHT_STRING: the bytes by which a text sorts. Option is CHAR or BINARY, with a length as argument.
func evalWeightString(c *Call, need func(i int) error) (Value, error) {
	t := c.Types[0]
	if sqltypes.IsNumber(t.Type()) || sqltypes.IsNull(t.Type()) {
		return Null, nil
	}
	for i := range c.Args {
		if err := need(i); err != nil || c.IsNull(i) {
			return Null, err
		}
	}
	b, points := c.Raw(0), 0
	by := c.comparison(t)
	if c.isBinary(0) || c.Option == "BINARY" || !c.Args[0].IsQuoted() || isTemporal(c.Args[0]) {
		by = colldata.Lookup(collations.CollationBinaryID)
	}
	if len(c.Args) == 2 {
		points = int(c.Integer(1))
		b = b[:measure{by.ID() == collations.CollationBinaryID}.offset(b, points)]
	}
	if c.TooLong(by.WeightStringLen((max(len(b), points) + 3) / 4 * 4)) { // some take the bytes of whole characters
		return Null, nil
	}
	weights := by.WeightString(nil, b, points)
	if c.Option == "BINARY" && len(weights) < points {
		weights = append(weights, make([]byte, points-len(weights))...)
	}
	return c.Bytes(weights), nil
}
