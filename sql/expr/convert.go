package expr

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/mysql/fastparse"
	"vitess.io/vitess/go/sqltypes"
)

// Conversions of arguments, as MySQL does them where an argument is not of the type that a function takes. What is cut
// off is a warning 1292.

// IsNull reports whether the i-th argument is NULL.
func (c *Call) IsNull(i int) bool { return c.Args[i].IsNull() }

// Str is the i-th argument as text.
func (c *Call) Str(i int) string { return c.text(i).ToString() }

// Raw are the bytes of the i-th argument, not to be changed.
func (c *Call) Raw(i int) []byte { return c.text(i).Raw() }

// text is the i-th argument where it becomes a text: a double has the decimals of its type, and no negative zero.
func (c *Call) text(i int) Value {
	v := c.Args[i]
	if sqltypes.IsDecimal(v.Type()) && i < len(c.Types) {
		return rounded(v, c.Types[i])
	}
	if v.Type() != sqltypes.Float64 {
		return Text(v)
	}
	if v.ToString() == "-0" {
		v = Double(0)
	}
	if i < len(c.Types) && sqltypes.IsFloat(c.Types[i].Type()) {
		return Display(v, c.Types[i])
	}
	return v
}

// numeric is the i-th argument where a number is expected: a literal such as 0x61 is one, dates and times are those of
// their digits, and an ENUM or SET is its number.
func (c *Call) numeric(i int) Value {
	v := c.moment(i)
	if k := v.Type(); k == sqltypes.Enum || k == sqltypes.Set {
		return Uint(numberOf(v, c.Types[i]))
	}
	if isTemporal(v) {
		return temporalNumber(v)
	}
	if i >= len(c.Number) || !c.Number[i] || v.IsNull() {
		return v
	}
	n := uint64(0)
	for _, b := range v.Raw()[max(0, len(v.Raw())-8):] {
		n = n<<8 | uint64(b)
	}
	return Uint(n)
}

// moment returns the i-th argument; a text that is a date or time has the type of one.
func (c *Call) moment(i int) Value {
	v := c.Args[i]
	if i >= len(c.Moment) || !c.Moment[i] || !sqltypes.IsText(v.Type()) {
		return v
	}
	t := sqltypes.Time
	if b := v.Raw(); len(b) >= len("2024-02-29") && b[4] == '-' {
		if t = sqltypes.Datetime; len(b) == len("2024-02-29") {
			t = sqltypes.Date
		}
	}
	return sqltypes.MakeTrusted(t, v.Raw())
}

// jsonNumber is a JSON value as a number: the scalar that it is, or the number that its text begins with, and 0 for others;
// what is cut off is a warning.
func (c *Call) jsonNumber(kind string, v Value) Value {
	out := jsonScalar(v)
	if !sqltypes.IsText(out.Type()) {
		return out
	}
	n := 0.0
	if s := v.ToString(); s != "" && s[0] == '"' {
		whole := false
		if n, whole = leadingDouble(out.ToString()); whole {
			return Double(n)
		}
	}
	name := ""
	if c.Function != nil && c.Function.Name[0] != 0 {
		name = strings.ToLower(c.Function.Name)
	}
	c.Warn(3156, fmt.Sprintf("Invalid JSON value for CAST to %s from column %s at row 1", kind, name))
	return Double(n)
}

// Integer is the i-th argument as a signed integer: rounded, cut at the ends of its range.
func (c *Call) Integer(i int) int64 {
	if v := c.moment(i); isTemporal(v) {
		return temporalInteger(v)
	}
	v := c.numeric(i)
	if v.Type() == sqltypes.TypeJSON {
		v = c.jsonNumber("INTEGER", v)
	}
	switch t := v.Type(); {
	case sqltypes.IsSigned(t):
		n, _ := v.ToInt64()
		return n
	case sqltypes.IsUnsigned(t):
		n, _ := v.ToUint64()
		return int64(min(n, math.MaxInt64))
	case sqltypes.IsFloat(t):
		f, _ := v.ToFloat64()
		return toInt64(math.RoundToEven(f))
	case sqltypes.IsDecimal(t):
		d, err := decimal.NewFromMySQL(v.Raw())
		if err != nil {
			return 0
		}
		n, _ := d.Round(0).Int64()
		if over := d.Cmp(decimal.NewFromInt(math.MaxInt64)); over > 0 {
			return math.MaxInt64
		} else if d.Cmp(decimal.NewFromInt(math.MinInt64)) < 0 {
			return math.MinInt64
		}
		return n
	case sqltypes.IsText(t) || sqltypes.IsBinary(t):
		return int64(c.leading(v.ToString()))
	}
	n, _ := fastparse.ParseInt64(v.ToString(), 10)
	return n
}

// cut warns of what stands behind the number that a text begins with; spaces are only a note.
func (c *Call) cut(kind, text string, more bool) {
	switch {
	case more:
		c.Warn(1292, fmt.Sprintf("Truncated incorrect %s value: '%s'", kind, shorten(text)))
	case strings.HasSuffix(text, " "):
		c.Note(1292, fmt.Sprintf("Truncated incorrect %s value: '%s'", kind, shorten(text)))
	}
}

// leading is the whole number that a text begins with, of 64 bits; a negative one is its complement, and what is too large
// has all bits. What is behind it is a warning.
func (c *Call) leading(s string) uint64 {
	n, _, _ := c.castText(s)
	return n
}

// whole is the number that a text begins with, without its sign, rounded to a whole one and cut at 64 bits. What is behind
// it is a warning.
func (c *Call) whole(v Value) (n uint64, negative bool) {
	text := strings.TrimSpace(v.ToString())
	end := numberLength(text)
	negative = strings.HasPrefix(text, "-")
	d, over := parseDecimal(text[:end])
	d = d.Round(0).Abs()
	limit := decimal.NewFromUint(math.MaxUint64)
	if negative {
		limit = decimal.NewFromUint(1 << 63)
	}
	if over = over || d.Cmp(limit) > 0; over {
		d = limit
	}
	c.cut("DECIMAL", v.ToString(), over || end == 0 || end < len(text))
	n, _ = d.Uint64()
	return n, negative
}

func toInt64(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// leadingDouble is the number that a text begins with; whole: nothing but spaces is behind it, and it is no larger than a
// double can be.
func leadingDouble(s string) (f float64, whole bool) {
	s = strings.Trim(s, " \t\n\v\f\r")
	n := numberLength(s)
	f, err := strconv.ParseFloat(s[:n], 64)
	return max(-math.MaxFloat64, min(f, math.MaxFloat64)), err == nil && n == len(s)
}

// Float is the i-th argument as a double.
func (c *Call) Float(i int) float64 {
	v := c.numeric(i)
	if v.Type() == sqltypes.TypeJSON {
		v = c.jsonNumber("DOUBLE", v)
	}
	switch t := v.Type(); {
	case sqltypes.IsText(t) || sqltypes.IsBinary(t):
		f, whole := leadingDouble(v.ToString())
		c.cut("DOUBLE", v.ToString(), !whole)
		return f
	}
	f, err := strconv.ParseFloat(v.ToString(), 64)
	if err != nil && math.IsInf(f, 0) {
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// Decimal is the i-th argument as an exact number.
func (c *Call) Decimal(i int) decimal.Decimal {
	v := c.numeric(i)
	if t := v.Type(); sqltypes.IsIntegral(t) || sqltypes.IsDecimal(t) {
		d, _ := decimal.NewFromMySQL(v.Raw())
		return d
	}
	return decimal.NewFromFloat(c.Float(i))
}

// Conversions for Function.Convert.

// asItIs converts nothing: the argument is only computed.
func asItIs(*Call, int) {}

func toDouble(c *Call, i int) { c.Float(i) }

func toIntegers(c *Call, i int) { c.Integer(i) }

// toInteger converts arguments behind the first.
func toInteger(c *Call, i int) {
	if i > 0 {
		c.Integer(i)
	}
}

// toCount converts the count of SUBSTRING_INDEX.
func toCount(c *Call, i int) {
	if i == 2 {
		c.Integer(i)
	}
}

// toLength converts the length of LPAD.
func toLength(c *Call, i int) {
	if i == 1 {
		c.Integer(i)
	}
}

// toBits converts the numbers of EXPORT_SET.
func toBits(c *Call, i int) {
	if i == 0 || i == 4 {
		c.Bits(i)
	}
}

func toDate(c *Call, i int) { c.date(i, realRules) }

// shorten bounds a value shown in a message.
func shorten(s string) string {
	const most = 128
	if len(s) > most {
		return s[:most]
	}
	return s
}
