package expr

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/datetime"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/mysql/fastparse"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Conversions of arguments, as MySQL does them where an argument is not of the type that a function takes. What is cut
// off is a warning 1292.

// IsNull reports whether the i-th argument is NULL.
func (c *Call) IsNull(i int) bool { return c.Args[i].IsNull() }

// Str is the i-th argument as text.
func (c *Call) Str(i int) string { return c.Args[i].ToString() }

// Raw are the bytes of the i-th argument, not to be changed.
func (c *Call) Raw(i int) []byte { return c.Args[i].Raw() }

// numeric is the i-th argument where a number is expected: a literal such as 0x61 is one.
func (c *Call) numeric(i int) Value {
	v := c.Args[i]
	if i >= len(c.Number) || !c.Number[i] || v.IsNull() {
		return v
	}
	n := uint64(0)
	for _, b := range v.Raw()[max(0, len(v.Raw())-8):] {
		n = n<<8 | uint64(b)
	}
	return Uint(n)
}

// Integer is the i-th argument as a signed integer: rounded, cut at the ends of its range.
func (c *Call) Integer(i int) int64 {
	v := c.numeric(i)
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
		n, err := fastparse.ParseInt64(v.ToString(), 10)
		if err != nil {
			c.Warn(1292, fmt.Sprintf("Truncated incorrect INTEGER value: '%s'", shorten(v.ToString())))
		}
		return n
	}
	return temporalInteger(v)
}

// temporalInteger is a date or time as a number such as 20240229101113, rounded to a second.
func temporalInteger(v Value) int64 {
	switch v.Type() {
	case sqltypes.Time:
		if t, _, state := datetime.ParseTime(v.ToString(), 0); state == datetime.TimeOK {
			return t.FormatInt64()
		}
	case sqltypes.Date:
		n, _ := strconv.ParseInt(strings.ReplaceAll(v.ToString(), "-", ""), 10, 64)
		return n
	default:
		if d, _, ok := datetime.ParseDateTime(v.ToString(), 0); ok {
			return d.FormatInt64()
		}
	}
	n, _ := fastparse.ParseInt64(v.ToString(), 10)
	return n
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

// Float is the i-th argument as a double.
func (c *Call) Float(i int) float64 {
	v := c.numeric(i)
	switch t := v.Type(); {
	case sqltypes.IsText(t) || sqltypes.IsBinary(t):
		f, err := fastparse.ParseFloat64(v.ToString())
		if err != nil {
			c.Warn(1292, fmt.Sprintf("Truncated incorrect DOUBLE value: '%s'", shorten(v.ToString())))
		}
		return f
	case t == sqltypes.Datetime, t == sqltypes.Timestamp, t == sqltypes.Date, t == sqltypes.Time:
		n, err := evalengine.CoerceTo(v, evalengine.NewType(sqltypes.Float64, 0), 0)
		if err != nil {
			return 0
		}
		f, _ := n.ToFloat64()
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

// DateTime is the i-th argument as a date with time; false: it is none, after warning 1292. A time is one of today.
func (c *Call) DateTime(i int) (datetime.DateTime, bool) {
	v := c.Args[i]
	switch v.Type() {
	case sqltypes.Time:
		if t, _, state := datetime.ParseTime(v.ToString(), -1); state == datetime.TimeOK {
			return t.ToDateTime(c.Now.In(c.zone())), true
		}
	case sqltypes.Date:
		if d, ok := datetime.ParseDate(v.ToString()); ok {
			return datetime.DateTime{Date: d}, true
		}
	}
	if sqltypes.IsIntegral(v.Type()) {
		n, _ := strconv.ParseInt(v.ToString(), 10, 64)
		if dt, ok := datetime.ParseDateTimeInt64(n); ok {
			return dt, true
		}
	} else if dt, _, ok := datetime.ParseDateTime(v.ToString(), -1); ok {
		return dt, true
	} else if d, ok := datetime.ParseDate(v.ToString()); ok {
		return datetime.DateTime{Date: d}, true
	}
	c.Warn(1292, fmt.Sprintf("Incorrect datetime value: '%s'", shorten(v.ToString())))
	return datetime.DateTime{}, false
}

// shorten bounds a value shown in a message.
func shorten(s string) string {
	const most = 128
	if len(s) > most {
		return s[:most]
	}
	return s
}
